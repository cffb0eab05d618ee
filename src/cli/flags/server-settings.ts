import { resolve } from 'node:path';
import { parseAddress, parsePort } from '../../base/kernel/address.ts';
import { UserError } from '../../base/kernel/errors.ts';
import { parseDuration } from '../../base/kernel/units.ts';
import { readCertificates, readKey, readTextFile } from '../../base/storage/text-files.ts';
import {
  formatProblems,
  inReadingOrder,
  openDocument,
  plainData,
  problemsAt,
} from '../../scenario/reading/document.ts';
import type { Fault } from '../../server/faults/schema.ts';
import { readFaults } from '../../server/faults/schema.ts';
import type { HostAssignment, MonitoringServerSettings, ServerTls } from '../../server/settings.ts';
import type { ServeFlags } from '../commands/others.ts';
import type { Io } from '../io.ts';
import { flagOrVariable, readFlag, wholeNumber } from './values.ts';

type ServeSettings = Partial<MonitoringServerSettings> & Pick<MonitoringServerSettings, 'host' | 'apiKey' | 'tls'>;

/** Validates the flags of `muster serve`. Throws `UserError` for an invalid value. */
export async function serverSettings(flags: ServeFlags, io: Io): Promise<ServeSettings> {
  const { dialect, release: version, verify, data, faults } = flags;
  return {
    ...readFlag('listen', flags, { expected: 'host:port such as 127.0.0.1:8080 or [::1]:0', read: parseAddress }),
    apiKey: flagOrVariable('api-key', flags, io.env).value ?? '',
    tls: await tlsOf(flags, io),
    dialect,
    version,
    verify,
    hostAssignment: readFlag('assign', flags, HOST_ASSIGNMENT),
    restricted: (flags.restrict ?? []).map((restrict) => readFlag('restrict', { restrict }, RESTRICTION)),
    dataFile: data === undefined ? undefined : resolve(io.cwd, data),
    faults: faults === undefined ? [] : await faultsIn(faults, io),
    seed: readFlag('seed', flags, wholeNumber(0, 999_999_999_999_999, 'a whole number')),
    admin: adminOf(flags, io),
  };
}

const HOST_ASSIGNMENT = {
  expected: 'automatic, manual or a delay such as 30s',
  read: (text: string): HostAssignment | undefined => {
    if (text === 'automatic' || text === 'manual') return { kind: text };
    const delayMs = parseDuration(text);
    return delayMs === undefined ? undefined : { kind: 'delayed', delayMs };
  },
};

const RESTRICTION = {
  expected: 'a container and read or none, such as 5:read',
  read: (text: string): MonitoringServerSettings['restricted'][number] | undefined => {
    const [, id, right] = /^(\d{1,9}):(read|none)$/.exec(text) ?? [];
    return id === undefined ? undefined : { id: Number(id), right: right === 'read' ? 'read' : 'none' };
  },
};

function adminOf(flags: ServeFlags, { env }: Io): MonitoringServerSettings['admin'] {
  const { admin, 'admin-token': tokenFlag } = flags;
  if (admin === undefined && tokenFlag === undefined) return undefined;
  const { value: token } = flagOrVariable('admin-token', flags, env);
  if (admin === undefined || !token) {
    throw new UserError('--admin: expected a port and a token for requests; set --admin PORT and MUSTER_ADMIN_TOKEN.');
  }
  return { port: readFlag('admin', { admin }, { expected: 'a port from 0 to 65535', read: parsePort }), token };
}

type TlsFlags = Pick<ServeFlags, 'tls-cert' | 'tls-key'> & Partial<Pick<ServeFlags, 'tls'>>;

export async function tlsOf(flags: TlsFlags, { cwd }: Io): Promise<ServerTls | undefined> {
  const { 'tls-cert': certificate, 'tls-key': key } = flags;
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

async function faultsIn(file: string, { cwd }: Io): Promise<readonly Fault[]> {
  const { document, problems } = openDocument(await readTextFile('faults file', resolve(cwd, file)));
  if (problems.length > 0) throw new UserError(formatProblems(file, problems));
  const raw = plainData(document);
  const read = 'finding' in raw ? { kind: 'problems' as const, findings: [raw.finding] } : readFaults(raw.data);
  if (read.kind === 'faults') return read.faults;
  const placed = problemsAt(document, read.findings);
  throw new UserError(formatProblems(file, inReadingOrder(placed)));
}
