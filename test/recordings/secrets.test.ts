import { describe, expect, it } from 'vitest';
import { documentWithoutSecrets, withoutSecrets } from '../../src/recordings/secrets.ts';

const SECRET = 'hunter2-Swordf1sh';
const PEM = `-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA${SECRET}\n-----END RSA PRIVATE KEY-----`;

describe('secrets in texts', () => {
  it.each([
    `/usr/bin/app --password=${SECRET} --port 80`,
    `/usr/bin/app --db-password ${SECRET}`,
    `/usr/bin/app -Dspring.datasource.password=${SECRET} -jar app.jar`,
    `env DB_PASSWORD=${SECRET} API_KEY="${SECRET}" /usr/bin/app`,
    `/usr/bin/app --api-key ${SECRET} --access_key=${SECRET}`,
    `{"token": "${SECRET}", 'secret': '${SECRET}'}`,
    `postgres://shop:${SECRET}@db.example.com/shop`,
    `curl -u admin:${SECRET} https://example.com`,
    `curl -H "Authorization: Bearer ${SECRET}" https://example.com`,
    `curl -H 'Authorization: X-OITC-API ${SECRET}' https://example.com`,
    `mysqldump -u root -p${SECRET} shop`,
    `sshpass -p ${SECRET} ssh backup@example.com`,
    `redis-cli -h cache -a ${SECRET} info`,
    `key follows\n${PEM}\nend`,
    `-----BEGIN OPENSSH PRIVATE KEY-----\n${SECRET}`,
    `the agent's own ${SECRET} in the middle of a text`,
  ])('are removed: %s', (text) => {
    expect(withoutSecrets(text, text.startsWith('the agent') ? [SECRET] : [])).not.toContain(SECRET);
  });

  it.each([
    'Dispatch Password Requests to Console Directory Watch',
    '/usr/sbin/sshd -D -p 22 -o PasswordAuthentication=no',
    'https://example.com:8443/path@2',
    '/usr/lib/policykit-1/polkitd --no-debug',
    'GNOME Keyring and passwords',
  ])('are not found in harmless text: %s', (text) => {
    expect(withoutSecrets(text, [])).toBe(text);
  });

  it('are removed from names of members, too', () => {
    const { text, removed } = documentWithoutSecrets(`{"customchecks":{"${SECRET}":{"rc":0}}}`, [SECRET]);
    expect({ text, removed }).toEqual({ text: '{"customchecks":{"[removed]":{"rc":0}}}', removed: 1 });
  });

  it('are counted in a document, and nothing else changes', () => {
    const text = `{"n":131072000000000000001,"cmdline":"app --password=${SECRET}","other":"a \\u003c b"}`;
    expect(documentWithoutSecrets(text, [])).toEqual({
      removed: 1,
      text: '{"n":131072000000000000001,"cmdline":"app --password=[removed]","other":"a < b"}',
    });
    expect(documentWithoutSecrets('{"a":1}', [SECRET])).toEqual({ removed: 0, text: '{"a":1}' });
  });
});
