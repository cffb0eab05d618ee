import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect, nkeys } from '@nats-io/transport-node';
import { type NatsServer, startNats } from './nats-server.ts';

type KeyPair = ReturnType<typeof nkeys.createUser>;

/** A server that requires TLS, with the files of its users. */
export type SecuredNats = NatsServer & {
  /** Certificate of the authority that signed the server's, and of another one. */
  readonly ca: string;
  readonly otherCa: string;
  /** The folder of the files, which is removed with the server. */
  readonly folder: string;
};

/** Admits the user `muster` with this password, and an nkey whose seed is in the file at `nkey`. */
export async function startNatsForUsers(password: string): Promise<SecuredNats & { readonly nkey: string }> {
  const user = nkeys.createUser();
  return started((write) => ({
    nkey: write('user.nk', `${seedOf(user)}\n`),
    lines: [
      `authorization { users: [ { user: muster, password: "${password}" }, { nkey: ${user.getPublicKey()} } ] }`,
      'jetstream: enabled',
    ],
  }));
}

/** Admits users that its operator has signed, from a credentials file. */
export async function startNatsForCreds(): Promise<SecuredNats & { readonly creds: string }> {
  const operator = nkeys.createOperator();
  const [account, system] = [nkeys.createAccount(), nkeys.createAccount()];
  const user = nkeys.createUser();
  const unlimited = { subs: -1, data: -1, payload: -1, imports: -1, exports: -1, conn: -1, leaf: -1 };
  const storage = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 };
  const accountToken = signed({ name: 'muster', key: account, by: operator }, 'account', {
    limits: { ...unlimited, ...storage },
  });
  const systemToken = signed({ name: 'system', key: system, by: operator }, 'account', { limits: unlimited });
  const operatorToken = signed({ name: 'operator', key: operator, by: operator }, 'operator', {
    system_account: system.getPublicKey(),
  });
  const userToken = signed({ name: 'machine', key: user, by: account }, 'user', { subs: -1, data: -1, payload: -1 });
  return started((write) => ({
    creds: write(
      'machine.creds',
      [
        `-----BEGIN NATS USER JWT-----\n${userToken}\n------END NATS USER JWT------\n`,
        `-----BEGIN USER NKEY SEED-----\n${seedOf(user)}\n------END USER NKEY SEED------\n`,
      ].join('\n'),
    ),
    lines: [
      `operator: ${operatorToken}`,
      `system_account: ${system.getPublicKey()}`,
      'resolver: MEMORY',
      `resolver_preload { ${account.getPublicKey()}: ${accountToken}, ${system.getPublicKey()}: ${systemToken} }`,
      'jetstream: enabled',
    ],
  }));
}

// The client expects a name other than the address in certificates.
const ANY_NAME = { checkServerIdentity: () => undefined };

/** Names of all streams, buckets and objects on a server, and all their stored messages with subjects and headers. */
export async function keptRaw(
  { url, ca }: SecuredNats,
  { user, password }: { readonly user: string; readonly password: string },
): Promise<{ readonly names: readonly string[]; readonly bytes: Buffer }> {
  const nats = await connect({
    servers: url,
    user,
    pass: password,
    tls: { ca: readFileSync(ca, 'utf8'), ...ANY_NAME },
  });
  const manager = await jetstreamManager(nats);
  const names: string[] = [];
  const parts: Uint8Array[] = [];
  for await (const { config, state } of manager.streams.list()) {
    names.push(config.name);
    parts.push(Buffer.from(JSON.stringify(config)));
    for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
      // The message was replaced in the meantime.
      const message = await manager.streams.getMessage(config.name, { seq }).catch(() => null);
      if (message === null) continue;
      parts.push(Buffer.from(message.subject), Buffer.from(JSON.stringify([...message.header])), message.data);
    }
  }
  await nats.close();
  return { names, bytes: Buffer.concat(parts) };
}

type Write = (name: string, text: string) => string;

async function started<Files extends object>(
  files: (write: Write) => Files & { readonly lines: readonly string[] },
): Promise<SecuredNats & Omit<Files, 'lines'>> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-nats-tls-'));
  const at = (name: string): string => join(folder, name);
  const write: Write = (name, text) => {
    writeFileSync(at(name), text, { mode: 0o600 });
    return at(name);
  };
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const certify = (name: string, ...words: string[]) =>
    execFileSync(
      'openssl',
      ['req', '-x509', ...key, '-keyout', at(`${name}.key`), '-out', at(`${name}.pem`), ...words],
      {
        stdio: 'pipe',
      },
    );
  for (const name of ['ca', 'other']) certify(name, '-subj', `/CN=${name}`);
  const [issuer, names] = [['-CA', at('ca.pem'), '-CAkey', at('ca.key')], 'subjectAltName=IP:127.0.0.1'];
  certify('server', '-subj', '/CN=nats', ...issuer, '-addext', names, '-addext', 'basicConstraints=critical,CA:FALSE');
  const { lines, ...made } = files(write);
  const tls = `tls { cert_file: "${at('server.pem')}", key_file: "${at('server.key')}" }`;
  const nats = await startNats('-c', write('nats.conf', [tls, ...lines, ''].join('\n')));
  return {
    ...nats,
    ...made,
    folder,
    ca: at('ca.pem'),
    otherCa: at('other.pem'),
    url: nats.url.replace('nats:', 'tls:'),
    close: async () => {
      await nats.close();
      rmSync(folder, { recursive: true });
    },
  };
}

function seedOf(key: KeyPair): string {
  return Buffer.from(key.getSeed()).toString();
}

type Named = { readonly name: string; readonly key: KeyPair; readonly by: KeyPair };

/** A JWT in which one key makes statements about another, in NATS's format. */
function signed({ name, key, by }: Named, type: string, facts: object): string {
  const part = (value: object | Uint8Array): string =>
    Buffer.from(value instanceof Uint8Array ? value : JSON.stringify(value)).toString('base64url');
  const claims = {
    jti: name,
    iat: 1_700_000_000,
    iss: by.getPublicKey(),
    sub: key.getPublicKey(),
    name,
    nats: { ...facts, type, version: 2 },
  };
  const text = `${part({ typ: 'JWT', alg: 'ed25519-nkey' })}.${part(claims)}`;
  return `${text}.${part(by.sign(Buffer.from(text)))}`;
}
