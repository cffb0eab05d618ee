import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { type Address, addressOf, isAllowedHost, parseAddress } from '../../kernel/address.ts';
import { TargetNotAllowedError, UserError } from '../../kernel/errors.ts';
import { printable } from '../../kernel/printable.ts';
import { parseDuration } from '../../kernel/units.ts';
import type { RecordingSummary } from '../../recorder/messages.ts';
import { type OpenFolder, openFolder } from '../../recorder/open-folder.ts';
import { type Polled, pollAgents } from '../../recorder/poll.ts';
import { startRecordingProxy } from '../../recorder/proxy.ts';
import type { Taken } from '../../recording/intake.ts';
import { nodeTls } from '../../runtime/builtins.ts';
import { writtenAddress } from '../../scenario/listen-range.ts';
import { openPullState } from '../../storage/pull-state.ts';
import { readCertificates, readKey } from '../../storage/text-files.ts';
import type { RelayTarget } from '../../transport/relay.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { onlyOne } from '../flags/common.ts';
import type { RecordFlags } from '../flags/record.ts';
import { tlsOf } from '../flags/server-settings.ts';
import type { Io } from '../io.ts';
import { assertAgentsAllowed, type PullOrder, readPullFile } from '../pull/pull-file.ts';
import { importFiles, matchedFiles } from './import-files.ts';

const WAYS = '--import, --poll, or --listen with --forward';
/** Connections of agents that are in the middle of something may end it. */
const GRACE_MS = 3000;

export async function recordHosts(flags: RecordFlags, io: Io, end: (code: ExitCode) => void): Promise<void> {
  if (flags.out === undefined) throw new UserError('record: expected -o and the folder of the recording, found none.');
  const ways = [flags.import, flags.poll, flags.listen ?? flags.forward].filter((way) => way !== undefined);
  if (ways.length !== 1)
    throw new UserError(`record: expected one of ${WAYS}, found ${ways.length === 0 ? 'none' : 'several'}.`);
  if (flags.import !== undefined) return importAll(flags.import, flags, { io, end });
  return flags.poll === undefined ? forward(flags, io, end) : poll(flags, io, end);
}

type Ending = { readonly io: Io; readonly end: (code: ExitCode) => void };

/** Takes what it can, and names what it cannot take. */
function importAll(patterns: readonly string[], flags: RecordFlags, { io, end }: Ending): void {
  const files = patterns.flatMap((pattern) => matchedFiles(pattern, io.cwd));
  const folder = opened(flags, io);
  let faults = 0;
  importFiles(files, { cwd: io.cwd, folder, isAnonymous: flags.anonymize }, (file, taken) => {
    if (taken.kind === 'fault') faults++;
    tell(io, lineOf(file, taken));
  });
  folder.close();
  io.stdout.write(`${summaryText(folder.summary(), flags)}\n`);
  if (faults > 0) end(EXIT_CODES.userError);
}

async function poll(flags: RecordFlags, io: Io, end: (code: ExitCode) => void): Promise<void> {
  const order = await readPullFile(resolve(io.cwd, onlyOne('poll', flags.poll) ?? ''));
  assertAgentsAllowed(order, flags.allow ?? []);
  const credentials = await credentialsFor(flags, order, io);
  const folder = opened(flags, io);
  const told = new Set<string>();
  let documents = 0;
  const { agents, basicAuth, every: everyMs, packages: packagesEveryMs, concurrency, timeout: timeoutMs } = order;
  const secure = credentials !== undefined || order.https;
  await untilStopped(flags, io, (signal) =>
    pollAgents(
      { agents, secure, basicAuth, everyMs, packagesEveryMs, concurrency, timeoutMs, credentials },
      {
        ...{ folder, signal, nameOf: writtenAddress },
        report: (polled) => {
          if (polled.kind === 'taken' && polled.taken.kind !== 'fault') documents++;
          const line = pollLine(polled);
          // Reports unreachable agents once.
          if (line === undefined || told.has(line)) return;
          told.add(line);
          tell(io, line);
        },
      },
    ),
  );
  folder.close();
  io.stdout.write(`${summaryText(folder.summary(), flags)}\n`);
  if (documents > 0) return;
  tell(io, 'No agent answered with a document.');
  end(EXIT_CODES.userError);
}

/** The certificate with which the agents' own server asks them: given, or that of a server of ours that has exchanged some. */
async function credentialsFor(flags: RecordFlags, { autoTls, state }: PullOrder, { cwd }: Io) {
  const [certificate, key] = [onlyOne('client-cert', flags['client-cert']), onlyOne('client-key', flags['client-key'])];
  if ((certificate === undefined) !== (key === undefined))
    throw new UserError('--client-cert and --client-key go together.');
  if (certificate !== undefined && key !== undefined) {
    return { certificate: await readCertificates(resolve(cwd, certificate)), key: await readKey(resolve(cwd, key)) };
  }
  if (!autoTls || state === undefined) return undefined;
  const { authority, close } = await openPullState(state);
  close();
  if (authority !== undefined) return authority;
  throw new UserError(
    `${state} has no authority: expected that of a server that has exchanged certificates with these agents; give its own with --client-cert and --client-key.`,
  );
}

function pollLine(polled: Polled): string | undefined {
  const name = `${writtenAddress(polled.agent)}${polled.path}`;
  if (polled.kind === 'failed') return `${name}: ${polled.reason}`;
  // Between two of its check runs an agent answers with the same.
  return polled.taken.kind === 'known' ? undefined : lineOf(name, polled.taken);
}

async function forward(flags: RecordFlags, io: Io, end: (code: ExitCode) => void): Promise<void> {
  const listen = listenAddress(onlyOne('listen', flags.listen));
  const target = await targetOf(flags, io);
  const tls = await tlsOf(flags, io);
  const anonymizeKey = keyFor(flags);
  const task = {
    folder: resolve(io.cwd, folderOf(flags)),
    everyMs: durationOf('every', flags.every),
    anonymizeKey,
  };
  // What cannot be written is better known before agents come.
  const first = opened(flags, io, anonymizeKey);
  first.close();
  const proxy = await startRecordingProxy({ listen, target, tls, task }, (line) => tell(io, line));
  io.stdout.write(`${tls === undefined ? 'http' : 'https'}://${writtenAddress({ ...listen, port: proxy.port })}\n`);
  await untilStopped(flags, io, stopped);
  const summary = await proxy.stop(GRACE_MS);
  const { connections, requestsLost, stopped: reason } = proxy.counts();
  const lost = requestsLost === 0 ? 'nothing lost' : `${requestsLost} requests not recorded`;
  tell(io, `${connections} connections, ${lost}`);
  if (summary === undefined) {
    tell(io, `Recording stopped: ${reason}`);
    end(EXIT_CODES.notStored);
  } else io.stdout.write(`${summaryText(summary, flags)}\n`);
}

function stopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
}

function listenAddress(text: string | undefined): Address {
  const address = text === undefined ? undefined : parseAddress(text);
  if (address !== undefined) return address;
  const found = text === undefined ? 'nothing' : JSON.stringify(text);
  throw new UserError(`--listen: expected host:port such as 127.0.0.1:8080 beside --forward, found ${found}.`);
}

/** A path would have to be put before that of each request: nothing of them is changed. */
async function targetOf(flags: RecordFlags, io: Io): Promise<RelayTarget> {
  const text = onlyOne('forward', flags.forward);
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
  const isBase = url !== undefined && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '';
  if (!isBase || url.username !== '') {
    const found = text === undefined ? 'nothing' : JSON.stringify(text);
    throw new UserError(
      `--forward: expected a URL without a path such as https://monitoring.example.com, found ${found}.`,
    );
  }
  const address = addressOf(url);
  assertServerAllowed(url, address.host, flags.allow ?? []);
  const ca = onlyOne('ca', flags.ca);
  if (ca !== undefined && (flags.insecure || url.protocol === 'http:')) {
    const beside = flags.insecure ? 'beside --insecure' : 'for a server that speaks plain HTTP';
    throw new UserError(`--ca: expected an https:// --forward that is verified, found --ca ${beside}.`);
  }
  if (url.protocol === 'http:') return { address, tls: undefined };
  const authorities = ca === undefined ? usualAuthorities() : await readCertificates(resolve(io.cwd, ca));
  const secureContext = nodeTls.createSecureContext({ ca: authorities });
  return { address, tls: { secureContext, verify: !flags.insecure } };
}

/** As with the target of a run: traffic goes to another machine only if somebody has named that. */
function assertServerAllowed({ origin }: URL, host: string, allow: readonly string[]): void {
  if (isAllowedHost(host, allow)) return;
  throw new TargetNotAllowedError(
    `The server ${origin} is not on this machine: Muster forwards to other hosts only if they are allowed by name. If you may, pass --allow ${host}.`,
  );
}

/** Agents that verify trust those of their machines; so do we. */
function usualAuthorities(): string[] {
  return [...nodeTls.getCACertificates('default'), ...nodeTls.getCACertificates('system')];
}

/** Until an interrupt or the end of the duration. */
async function untilStopped(flags: RecordFlags, io: Io, act: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const duration = onlyOne('duration', flags.duration);
  const timer = duration && setTimeout(() => stop.abort(), durationOf('duration', duration));
  const unsubscribe = io.onInterrupt(() => stop.abort());
  if (duration === undefined) tell(io, 'Recording; interrupt to stop.');
  await act(stop.signal);
  if (timer) clearTimeout(timer);
  unsubscribe();
}

function durationOf(flag: string, text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds !== undefined && milliseconds > 0) return milliseconds;
  throw new UserError(`--${flag}: expected a duration such as 30s or 15m, found ${JSON.stringify(text)}.`);
}

function folderOf(flags: RecordFlags): string {
  return onlyOne('out', flags.out) ?? '';
}

/** Not needed again: an extension of an anonymized recording uses other names. */
function keyFor({ anonymize }: RecordFlags): string | undefined {
  return anonymize ? randomBytes(32).toString('hex') : undefined;
}

function opened(flags: RecordFlags, io: Io, anonymizeKey = keyFor(flags)): OpenFolder {
  const folder = openFolder(resolve(io.cwd, folderOf(flags)), { everyMs: 0, anonymizeKey });
  const { tornBytes } = folder;
  const torn = `its end is incomplete because a recorder was killed: ${tornBytes} bytes removed`;
  tell(io, tornBytes === 0 ? undefined : `${folderOf(flags)}: ${torn}`);
  return folder;
}

function lineOf(name: string, result: Taken): string | undefined {
  if (result.kind === 'fault') {
    const { place, expected, found } = result.fault;
    return `${name}: ${place}: expected ${expected}, found ${found}; skipped`;
  }
  if (result.kind === 'known') return `${name}: ${result.host} already contains this document; skipped`;
  if (result.kind === 'kept' && result.secrets > 0) {
    return `${name}: took secrets out of ${result.secrets} ${result.secrets === 1 ? 'text' : 'texts'}`;
  }
  return undefined;
}

function tell(io: Io, line: string | undefined): void {
  if (line !== undefined) io.stderr.write(`${printable(line)}\n`);
}

function summaryText({ hosts, checkdata, packages }: RecordingSummary, flags: RecordFlags): string {
  return `${folderOf(flags)}: ${hosts} ${hosts === 1 ? 'host' : 'hosts'}, ${checkdata} check data, ${packages} packages`;
}
