import { resolve } from 'node:path';
import type { InferredOptionTypes, Options } from 'yargs';
import type { Fault } from '../../faults/fault.ts';
import { readFaults } from '../../faults/read-faults.ts';
import { type Address, parseAddress, parsePort } from '../../kernel/address.ts';
import { UserError } from '../../kernel/errors.ts';
import { parseDuration } from '../../kernel/units.ts';
import type { HostAssignment, MonitoringServerSettings, TlsSettings } from '../../monitoring-server/settings.ts';
import { DIALECT_NAMES } from '../../protocol/dialect-names.ts';
import { openDocument, problemAt } from '../../scenario/reading/document.ts';
import { plainData } from '../../scenario/reading/parse.ts';
import { formatProblems, inReadingOrder } from '../../scenario/reading/problem.ts';
import { readCertificates, readFaultsFile, readKey } from '../../storage/text-files.ts';
import type { Io } from '../io.ts';
import { onlyOne, variableOf } from './scenario.ts';

const text = { type: 'string', requiresArg: true } as const;

export const SERVE_FLAGS = {
  listen: { ...text, alias: 'l', default: '127.0.0.1:8080', describe: 'Address and port' },
  'api-key': { ...text, describe: 'Key to demand; empty: none [MUSTER_API_KEY]' },
  tls: { choices: ['self-signed'] as const, describe: 'Speak HTTPS with a certificate made for this run' },
  'tls-cert': { ...text, describe: 'Speak HTTPS with the certificate in this PEM file' },
  'tls-key': { ...text, describe: 'PEM file with the private key of --tls-cert' },
  dialect: {
    choices: DIALECT_NAMES,
    default: 'documented' as const,
    describe: 'As the written API says, or as the released server behaves',
  },
  release: {
    choices: ['5.3', '5.5'] as const,
    default: '5.5' as const,
    describe: 'Release of the shipped dialect; 5.3 has no package endpoint',
  },
  assign: { ...text, default: 'automatic', describe: 'When agents become hosts: automatic, manual or a delay: 30s' },
  data: { ...text, describe: 'File that keeps registrations beyond a restart' },
  verify: { type: 'boolean', default: false, describe: "Hold every document against the agent's shapes" },
  faults: { ...text, describe: 'YAML or JSON file with what to do wrong on purpose' },
  pull: { ...text, describe: 'YAML file with agents to poll at their own web servers' },
  seed: { ...text, default: '1', describe: 'Seed of the faults' },
  admin: { ...text, describe: 'Port of the admin endpoint, on loopback' },
  'admin-token': { ...text, describe: 'Token that the admin endpoint demands [MUSTER_ADMIN_TOKEN]' },
} as const satisfies Record<string, Options>;

export type ServeFlags = InferredOptionTypes<typeof SERVE_FLAGS>;

type ServeSettings = Partial<MonitoringServerSettings> & Pick<MonitoringServerSettings, 'host' | 'apiKey' | 'tls'>;

/** Throws `UserError` for a flag that cannot be meant so. */
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
    throw new UserError(
      '--admin needs a port, and the token that requests must carry: in MUSTER_ADMIN_TOKEN or as --admin-token.',
    );
  }
  return { port: portNumber('admin', port), token };
}

async function tlsOf(flags: ServeFlags, { cwd }: Io): Promise<TlsSettings | undefined> {
  const certificate = onlyOne('tls-cert', flags['tls-cert']);
  const key = onlyOne('tls-key', flags['tls-key']);
  if (certificate === undefined && key === undefined) return flags.tls && { kind: 'self_signed' };
  if (certificate === undefined || key === undefined || flags.tls !== undefined) {
    throw new UserError('--tls-cert and --tls-key go together, and instead of --tls self-signed.');
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
  const { document, problems } = openDocument(await readFaultsFile(resolve(cwd, file)));
  if (problems.length > 0) throw new UserError(formatProblems(file, problems));
  const raw = plainData(document);
  const read = 'finding' in raw ? { kind: 'problems' as const, findings: [raw.finding] } : readFaults(raw.data);
  if (read.kind === 'faults') return read.faults;
  const placed = read.findings.map((finding) => problemAt(document, finding));
  throw new UserError(formatProblems(file, inReadingOrder(placed)));
}
