import { generateKeyPairSync } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { UserError } from '../../../../src/base/kernel/errors.ts';
import type { AgentFileTexts } from '../../../../src/base/protocol/agent-files.ts';
import { assertStoredTls, type TlsFileSettings, tlsModeOf } from '../../../../src/wire/web-server/tls/tls-mode.ts';
import { type Authority, type Issued, makeAuthority } from '../authority.ts';

const AUTO: TlsFileSettings = { autoTls: true, tlsLevel: 'intermediate', ownCertificate: undefined };
const own = { certFile: '/etc/own.crt', keyFile: '/etc/own.key' };

let authority: Authority;
let agent: Issued;
let whole: AgentFileTexts;

beforeAll(async () => {
  authority = await makeAuthority();
  agent = await authority.issue();
  whole = { 'agent.crt': agent.certificate, 'agent.key': agent.key, 'server_ca.crt': authority.certificate };
});

const without = (file: keyof AgentFileTexts): AgentFileTexts => {
  const { [file]: _gone, ...rest } = whole;
  return rest;
};

const ownFiles = (path: string) => ({ [own.certFile]: agent.certificate, [own.keyFile]: agent.key })[path];
const noFiles = () => undefined;

describe('an agent listens', () => {
  it('with mutual TLS, if key, certificate and authority exist', () => {
    expect(tlsModeOf(AUTO, whole, noFiles)).toEqual({
      kind: 'tls',
      setup: {
        certificateChain: `${agent.certificate}\n${authority.certificate}`,
        key: agent.key,
        clientCa: authority.certificate,
        level: 'intermediate',
      },
    });
  });

  it('over plain HTTP if one of them is missing, or if Auto-TLS is off', () => {
    for (const file of ['agent.crt', 'agent.key', 'server_ca.crt'] as const)
      expect(tlsModeOf(AUTO, without(file), noFiles)).toEqual({ kind: 'plain' });
    expect(tlsModeOf({ ...AUTO, autoTls: false }, whole, noFiles)).toEqual({ kind: 'plain' });
  });

  it('with TLS but no client certificates, if it has its own certificate and no Auto-TLS', () => {
    const mode = tlsModeOf({ autoTls: false, tlsLevel: 'lax', ownCertificate: own }, whole, ownFiles);
    expect(mode).toEqual({
      kind: 'tls',
      setup: { certificateChain: agent.certificate, key: agent.key, clientCa: undefined, level: 'lax' },
    });
  });

  it('not at all with its own certificate if a file of Auto-TLS is missing', () => {
    const mode = tlsModeOf({ ...AUTO, ownCertificate: own }, without('server_ca.crt'), ownFiles);
    expect(mode).toEqual({
      kind: 'death',
      file: 'server_ca.crt',
      reason: 'The web server cannot use server_ca.crt: it does not exist.',
    });
  });

  it('not at all if its own certificate does not exist', () => {
    const mode = tlsModeOf({ autoTls: false, tlsLevel: 'lax', ownCertificate: own }, whole, noFiles);
    expect(mode).toMatchObject({ kind: 'death', file: '/etc/own.crt' });
  });

  it.each([
    ['agent.crt', '', /^The web server cannot use agent\.crt: it contains no certificate in PEM: .+\.$/],
    ['agent.key', 'half', /^The web server cannot use agent\.key: it contains no private key in PEM: .+\.$/],
    ['server_ca.crt', 'no PEM', /^The web server cannot use server_ca\.crt: it contains no certificate in PEM: .+\.$/],
  ] as const)('not at all with %s of %j', (file, text, reason) => {
    const mode = tlsModeOf(AUTO, { ...whole, [file]: text }, noFiles);
    expect(mode).toMatchObject({ kind: 'death', file });
    expect(mode.kind === 'death' && mode.reason).toMatch(reason);
  });

  it('not at all with a certificate for another key', async () => {
    const other = await authority.issue();
    const mode = tlsModeOf(AUTO, { ...whole, 'agent.crt': other.certificate }, noFiles);
    expect(mode).toMatchObject({
      kind: 'death',
      reason: 'The web server cannot use agent.crt: it does not belong to the key in agent.key.',
    });
  });

  it('even if the authority did not issue its certificate', async () => {
    const foreign = await makeAuthority();
    const files = { ...whole, 'server_ca.crt': foreign.certificate };
    expect(tlsModeOf(AUTO, files, noFiles).kind).toBe('tls');
  });
});

describe('a PEM file is read as by the agent:', () => {
  const BEGIN = '-----BEGIN CERTIFICATE-----\n';
  const BROKEN = `${BEGIN}!!!!\n-----END CERTIFICATE-----\n`;
  const changes: Readonly<Record<string, (text: string) => string>> = {
    'text around a block': (text) => `a: b\n${text}end`,
    'spaces and carriage returns at line ends': (text) => text.replaceAll('\n', ' \r\n'),
    'no final line feed': (text) => text.trimEnd(),
    'one long line': (text) => text.replaceAll(/(?<!-)\n(?!-)/g, ''),
    'a block that is not base64': (text) => `${BROKEN}${text}${BROKEN}`,
    'headers, except of an authority': (text) => text.replace(BEGIN, `${BEGIN}A: b\n\n`),
    'a byte order mark': (text) => `\ufeff${text}`,
    'another label': (text) => text.replaceAll('CERTIFICATE', 'X509 CERTIFICATE'),
    'the label of OpenSSL': (text) => text.replaceAll('CERTIFICATE', 'TRUSTED CERTIFICATE'),
    'spaces before the lines': (text) => text.replaceAll(/^/gm, ' '),
    'no block': () => '',
  };
  const REFUSED = ['a byte order mark', 'another label', 'the label of OpenSSL', 'spaces before the lines', 'no block'];

  it.each(Object.entries(changes))('%s', (name, change) => {
    const kindWith = (file: 'agent.crt' | 'server_ca.crt') =>
      tlsModeOf(AUTO, { ...whole, [file]: change(whole[file] ?? '') }, noFiles).kind;
    const kind = REFUSED.includes(name) ? 'death' : 'tls';
    const isOfAuthority = name === 'headers, except of an authority';
    expect([kindWith('agent.crt'), kindWith('server_ca.crt')]).toEqual([kind, isOfAuthority ? 'death' : kind]);
  });
});

it('an invalid certificate chain is refused even if its key was accepted before', () => {
  const modeWith = (more: string) =>
    tlsModeOf(AUTO, { ...whole, 'agent.crt': `${whole['agent.crt']}${more}` }, noFiles);
  const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
  for (let time = 0; time < 2; time++) {
    expect(modeWith('').kind).toBe('tls');
    expect(modeWith(broken)).toMatchObject({ kind: 'death', file: 'agent.crt' });
  }
});

describe('TLS files from an earlier run', () => {
  const where = (hostName: string, file: string) => `/ids.db.agents/${hostName}/${file}`;
  const check = (files: AgentFileTexts, settings = AUTO) =>
    assertStoredTls([{ hostName: 'web-de-00007', settings, files }], noFiles, where);

  it('are accepted if they are valid, or not used', () => {
    check(whole);
    check({ ...without('agent.crt'), 'agent.key': 'half' });
    check({ ...whole, 'agent.crt': 'half' }, { ...AUTO, autoTls: false });
  });

  it.each(['agent.crt', 'agent.key', 'server_ca.crt'] as const)('are refused if %s is half-written', (file) => {
    const half = whole[file]?.slice(0, 150) ?? '';
    expect(() => check({ ...whole, [file]: half })).toThrow(UserError);
    expect(() => check({ ...whole, [file]: half })).toThrow(
      new RegExp(`^Agent web-de-00007 .*/ids\\.db\\.agents/web-de-00007/${file}: .*Restore the file, or delete`),
    );
  });

  it('are refused if the key belongs to another certificate', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    expect(() => check({ ...whole, 'agent.key': key })).toThrow(/does not belong to the key/);
  });
});
