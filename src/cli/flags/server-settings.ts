import { resolve } from 'node:path';
import { parseAddress, parsePort } from '../../ground/kernel/address.ts';
import { UserError } from '../../ground/kernel/errors.ts';
import { parseDuration } from '../../ground/kernel/units.ts';
import { readCertificates, readKey, readTextFile } from '../../ground/storage/text-files.ts';
import { formatProblems, inReadingOrder, openDocument, problemAt } from '../../scenario/reading/document.ts';
import { plainData } from '../../scenario/reading/parse.ts';
import type { Fault } from '../../server/faults/schema.ts';
import { readFaults } from '../../server/faults/schema.ts';
import type { HostAssignment, MonitoringServerSettings, ServerTls } from '../../server/settings.ts';
import type { ServeFlags } from '../commands/others.ts';
import type { Io } from '../io.ts';
import { variableOf } from './common.ts';
import { parsed, wholeNumber } from './values.ts';

type ServeSettings = Partial<MonitoringServerSettings> & Pick<MonitoringServerSettings, 'host' | 'apiKey' | 'tls'>;

/** Validates the flags of `muster serve`. Throws `UserError` for an invalid value. */
export async function serverSettings(flags: ServeFlags, io: Io): Promise<ServeSettings> {
  const { dialect, release: version, verify } = flags;
  const { data, faults } = flags;
  return {
    ...parsed(flags.listen, parseAddress, (found) => {
      return `--listen: expected host:port such as 127.0.0.1:8080 or [::1]:0, found ${found}.`;
    }),
    apiKey: flags['api-key'] ?? variableOf('api-key', io.env).value ?? '',
    tls: await tlsOf(flags, io),
    dialect,
    version,
    verify,
    hostAssignment: parsed(flags.assign, hostAssignment, (found) => {
      return `--assign: expected automatic, manual or a delay such as 30s, found ${found}.`;
    }),
    restricted: (flags.restrict ?? []).map((text) =>
      parsed(
        text,
        restriction,
        (found) => `--restrict: expected a container and read or none, such as 5:read, found ${found}.`,
      ),
    ),
    dataFile: data === undefined ? undefined : resolve(io.cwd, data),
    faults: faults === undefined ? [] : await faultsIn(faults, io),
    seed: parsed(flags.seed, wholeNumber(0, 999_999_999_999_999), (found) => {
      return `--seed: expected a whole number, found ${found}.`;
    }),
    admin: adminOf(flags, io),
  };
}

function hostAssignment(text: string): HostAssignment | undefined {
  if (text === 'automatic' || text === 'manual') return { kind: text };
  const delayMs = parseDuration(text);
  return delayMs === undefined ? undefined : { kind: 'delayed', delayMs };
}

function restriction(text: string): MonitoringServerSettings['restricted'][number] | undefined {
  const [, id, right] = /^(\d{1,9}):(read|none)$/.exec(text) ?? [];
  return id === undefined ? undefined : { id: Number(id), right: right === 'read' ? 'read' : 'none' };
}

function adminOf(flags: ServeFlags, { env }: Io): MonitoringServerSettings['admin'] {
  const { admin: given, 'admin-token': tokenFlag } = flags;
  if (given === undefined && tokenFlag === undefined) return undefined;
  const token = tokenFlag ?? variableOf('admin-token', env).value;
  if (given === undefined || token === undefined || token === '') {
    throw new UserError('--admin: expected a port and a token for requests; set --admin PORT and MUSTER_ADMIN_TOKEN.');
  }
  const port = parsed(given, parsePort, (found) => `--admin: expected a port from 0 to 65535, found ${found}.`);
  return { port, token };
}

type TlsFlags = Pick<ServeFlags, 'tls' | 'tls-cert' | 'tls-key'>;

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
  const placed = read.findings.map((finding) => problemAt(document, finding));
  throw new UserError(formatProblems(file, inReadingOrder(placed)));
}
