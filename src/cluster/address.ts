import { isLoopback } from '../base/kernel/address.ts';
import { UserError } from '../base/kernel/errors.ts';
import { parseDuration } from '../base/kernel/units.ts';
import { readCertificates, readTextFile } from '../base/storage/text-files.ts';
import { type Sealing, sealingWith, UNSEALED } from './sealing.ts';

/** Addresses of a cluster's NATS servers, and the credentials for them. */
export type BusAddress = {
  /** Without credentials; several with commas between them. */
  readonly url: string;
  readonly isEncrypted: boolean;
  /** `undefined` if the server requires no credentials. */
  readonly login: Login | undefined;
  /** Certificates of the trusted authority; `undefined`: those that Node trusts. */
  readonly ca: string | undefined;
  readonly waitMs: number;
  readonly answeredMs: number;
};

const ANSWERED_MS = 5000;

export type Login =
  | { readonly kind: 'creds'; readonly text: string }
  | { readonly kind: 'nkey'; readonly seed: string }
  | { readonly kind: 'user'; readonly user: string; readonly password: string };

/** Environment variables; files are given by path. */
type BusEnvironment = Readonly<Record<string, string | undefined>>;

const FORM = 'the address of a NATS server such as nats://127.0.0.1:4222 or tls://nats.example:4222';

/** Addresses of servers, with commas between them. `shown` always has ports. */
export type NatsUrl = { readonly shown: string; readonly isEncrypted: boolean; readonly isRemote: boolean };

/**
 * Reads the address of a server, or those of several such as `nats://a:4222,nats://b:4222`: the first connection takes any of them. Beyond
 * loopback, TLS is required, because passwords and API keys cross the network.
 * @throws UserError for another address, for credentials in it, which messages would show, and for servers with TLS beside others.
 */
export function readNatsUrl(text: string): NatsUrl {
  const servers = text.split(',').map((server) => readServer(server.trim()));
  const [isEncrypted = false, ...others] = servers.map((server) => server.isEncrypted);
  if (others.includes(!isEncrypted))
    throw new UserError(`The cluster: expected tls:// in all addresses or in none, found both in ${text}.`);
  const shown = servers.map((server) => server.shown).join(',');
  return { shown, isEncrypted, isRemote: servers.some(({ isRemote }) => isRemote) };
}

function readServer(text: string): NatsUrl {
  const url = URL.parse(text);
  if (url === null || !['nats:', 'tls:'].includes(url.protocol) || url.hostname === '' || url.search + url.hash !== '')
    throw new UserError(`The cluster: expected ${FORM}, found ${JSON.stringify(text.replace(/\/\/.*@/, '//***@'))}.`);
  if (url.username !== '' || url.password !== '')
    throw new UserError(
      `The cluster: expected ${FORM} without credentials, because messages show the address, found some; set MUSTER_NATS_USER and MUSTER_NATS_PASSWORD, MUSTER_NATS_NKEY or MUSTER_NATS_CREDS.`,
    );
  const shown = `${url.protocol}//${url.hostname}:${url.port || '4222'}`;
  const isEncrypted = url.protocol === 'tls:';
  const isRemote = !isLoopback(url.hostname.replace(/^\[(.*)\]$/, '$1'));
  if (isRemote && !isEncrypted) throw lacking(shown, 'TLS', 'use a tls:// address and give the server a certificate');
  return { shown, isEncrypted, isRemote };
}

function lacking(shown: string, what: string, remedy: string): UserError {
  return new UserError(
    `${shown}: expected ${what} for a remote server, because secrets cross the network, found none; ${remedy}.`,
  );
}

/**
 * Reads the settings for joining a cluster. Beyond loopback, credentials and a cluster key are required, too.
 * @throws UserError if one of them is missing, and like `readNatsUrl`.
 */
export async function readBusAddress(
  text: string,
  environment: BusEnvironment,
): Promise<{ readonly address: BusAddress; readonly sealing: Sealing }> {
  const { shown, isEncrypted, isRemote } = readNatsUrl(text);
  const login = await loginOf(environment);
  const sealing = await sealingOf(environment);
  if (isRemote && login === undefined)
    throw lacking(shown, 'credentials', 'set MUSTER_NATS_CREDS, MUSTER_NATS_NKEY or MUSTER_NATS_USER');
  if (isRemote && sealing === UNSEALED)
    throw lacking(
      shown,
      'a cluster key',
      'set MUSTER_CLUSTER_KEY or MUSTER_CLUSTER_KEY_FILE to 32 random bytes in base64',
    );
  const { MUSTER_NATS_CA: caFile } = environment;
  return {
    address: {
      url: shown,
      isEncrypted,
      login,
      waitMs: waitOf(environment),
      answeredMs: ANSWERED_MS,
      ca: caFile ? await readCertificates(caFile) : undefined,
    },
    sealing,
  };
}

/** If processes start in any order, the server may be the last. */
function waitOf({ MUSTER_NATS_WAIT: text }: BusEnvironment): number {
  const waitMs = text ? parseDuration(text) : 0;
  if (waitMs !== undefined && Number.isFinite(waitMs)) return waitMs;
  throw new UserError(
    `MUSTER_NATS_WAIT: expected a duration such as 10m, found ${JSON.stringify(text)}; correct or unset it.`,
  );
}

async function loginOf(environment: BusEnvironment): Promise<Login | undefined> {
  const { MUSTER_NATS_CREDS: creds, MUSTER_NATS_NKEY: nkey, MUSTER_NATS_USER: user } = environment;
  if (creds) return { kind: 'creds', text: await readTextFile('file of a secret', creds) };
  if (nkey) return { kind: 'nkey', seed: (await readTextFile('file of a secret', nkey)).trim() };
  return user ? { kind: 'user', user, password: environment.MUSTER_NATS_PASSWORD ?? '' } : undefined;
}

async function sealingOf(environment: BusEnvironment): Promise<Sealing> {
  const { MUSTER_CLUSTER_KEY: key, MUSTER_CLUSTER_KEY_FILE: file } = environment;
  if (key) return sealingWith(key, 'MUSTER_CLUSTER_KEY');
  return file ? sealingWith(await readTextFile('file of a secret', file), 'MUSTER_CLUSTER_KEY_FILE') : UNSEALED;
}
