import { resolve } from 'node:path';
import { type Address, parseAddress, parsePort } from '../../ground/kernel/address.ts';
import { UserError } from '../../ground/kernel/errors.ts';
import { parseDuration } from '../../ground/kernel/units.ts';
import { readCertificates, readKey, readTextFile } from '../../ground/storage/text-files.ts';
import { formatProblems, inReadingOrder, openDocument, problemAt } from '../../scenario/reading/document.ts';
import { plainData } from '../../scenario/reading/parse.ts';
import type { Fault } from '../../server/faults/schema.ts';
import { readFaults } from '../../server/faults/schema.ts';
import type { HostAssignment, MonitoringServerSettings, ServerTls } from '../../server/settings.ts';
import type { Io } from '../io.ts';
import { onlyOne, variableOf } from './common.ts';
import type { ServeFlags } from './serve.ts';

type ServeSettings = Partial<MonitoringServerSettings> & Pick<MonitoringServerSettings, 'host' | 'apiKey' | 'tls'>;

/** Validates the flags of `muster serve`. Throws `UserError` for an invalid value. */
export async function serverSettings(flags: ServeFlags, io: Io): Promise<ServeSettings> {
  const { dialect, release: version, verify } = flags;
  const data = onlyOne('data', flags.data);
  const faults = onlyOne('faults', flags.faults);
  return {
    ...listenAddress(onlyOne('listen', flags.listen)),
    apiKey: onlyOne('api-key', flags['api-key']) ?? variableOf('api-key', io.env).value ?? '',
    tls: await tlsOf(flags, io),
    dialect,
    version,
    verify,
    hostAssignment: hostAssignmentOf(onlyOne('assign', flags.assign)),
    dataFile: data === undefined ? undefined : resolve(io.cwd, data),
    faults: faults === undefined ? [] : await faultsIn(faults, io),
    seed: wholeNumber('seed', onlyOne('seed', flags.seed)),
    admin: adminOf(flags, io),
  };
}

function listenAddress(text: string): Address {
  const address = parseAddress(text);
  if (address !== undefined) return address;
  throw new UserError(`--listen: expected host:port such as 127.0.0.1:8080 or [::1]:0, found ${JSON.stringify(text)}.`);
}

function hostAssignmentOf(text: string): HostAssignment {
  if (text === 'automatic' || text === 'manual') return { kind: text };
  const delayMs = parseDuration(text);
  if (delayMs !== undefined) return { kind: 'delayed', delayMs };
  throw new UserError(`--assign: expected automatic, manual or a delay such as 30s, found ${JSON.stringify(text)}.`);
}

function adminOf(flags: ServeFlags, { env }: Io): MonitoringServerSettings['admin'] {
  const port = onlyOne('admin', flags.admin);
  const tokenFlag = onlyOne('admin-token', flags['admin-token']);
  if (port === undefined && tokenFlag === undefined) return undefined;
  const token = tokenFlag ?? variableOf('admin-token', env).value;
  if (port === undefined || token === undefined || token === '') {
    throw new UserError('--admin: expected a port and a token for requests; set --admin PORT and MUSTER_ADMIN_TOKEN.');
  }
  return { port: portNumber('admin', port), token };
}

type TlsFlags = Pick<ServeFlags, 'tls' | 'tls-cert' | 'tls-key'>;

export async function tlsOf(flags: TlsFlags, { cwd }: Io): Promise<ServerTls | undefined> {
  const certificate = onlyOne('tls-cert', flags['tls-cert']);
  const key = onlyOne('tls-key', flags['tls-key']);
  if (certificate === undefined && key === undefined) return flags.tls && { kind: 'self_signed' };
  if (certificate === undefined || key === undefined || flags.tls !== undefined) {
    throw new UserError('--tls-cert and --tls-key: expected both, without --tls self-signed.');
  }
  return {
    kind: 'given',
    certificate: await readCertificates(resolve(cwd, certificate)),
    key: await readKey(resolve(cwd, key)),
  };
}

function portNumber(flag: string, text: string): number {
  const port = parsePort(text);
  if (port !== undefined) return port;
  throw new UserError(`--${flag}: expected a port from 0 to 65535, found ${JSON.stringify(text)}.`);
}

function wholeNumber(flag: string, text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new UserError(`--${flag}: expected a whole number, found ${JSON.stringify(text)}.`);
}

async function faultsIn(file: string, { cwd }: Io): Promise<readonly Fault[]> {
  const { document, problems } = openDocument(await readTextFile('faults file', resolve(cwd, file)));
  if (problems.length > 0) throw new UserError(formatProblems(file, problems));
  const raw = plainData(document);
  const read = 'finding' in raw ? { kind: 'problems' as const, findings: [raw.finding] } : readFaults(raw.data);
  if (read.kind === 'faults') return read.faults;
  const placed = read.findings.map((finding) => problemAt(document, finding));
  throw new UserError(formatProblems(file, inReadingOrder(placed)));
}
