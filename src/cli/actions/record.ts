import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { type Address, addressOf, addressText, isAllowedHost, parseAddress } from '../../base/kernel/address.ts';
import { messageOf, TargetNotAllowedError, UserError } from '../../base/kernel/errors.ts';
import { printable } from '../../base/kernel/printable.ts';
import { counted } from '../../base/kernel/units.ts';
import { quoted } from '../../base/notation/finding.ts';
import { nodeTls } from '../../base/runtime/builtins.ts';
import { openPullState } from '../../base/storage/pull-state.ts';
import { readCertificates, readKey, readTextFileSync } from '../../base/storage/text-files.ts';
import { systemReason } from '../../base/storage/whole-files.ts';
import type { KeptDocument } from '../../recordings/raising.ts';
import {
  type DocumentFault,
  type DocumentKind,
  documentText,
  faultText,
  MAX_DOCUMENT_BYTES,
} from '../../recordings/reading.ts';
import {
  hostOfFile,
  type Intake,
  type IntakeSettings,
  notesOf,
  openIntake,
  type RecordingSummary,
  type Taken,
} from '../../recordings/recorder/intake.ts';
import { type Polled, pollAgents } from '../../recordings/recorder/poll.ts';
import { RECORDER_LIMITS, startRecordingProxy } from '../../recordings/recorder/proxy.ts';
import { RECORDING_FILES, readHostRecording } from '../../recordings/recorder/recording-folder.ts';
import type { SanitizerRules } from '../../recordings/sanitizing.ts';
import { displayUrl } from '../../scenario/server-urls.ts';
import type { RelayTarget } from '../../wire/transport/relay.ts';
import type { RecordFlags } from '../commands/hosts.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { tlsOf } from '../flags/server-settings.ts';
import { durationAboveZero, readFlag } from '../flags/values.ts';
import type { Io } from '../io.ts';
import { assertAgentsAllowed, type PullOrder, readPullFile } from '../pull/pull-file.ts';

const WAYS = '--import, --poll, or --listen with --forward';
/** Time for agents' connections to finish exchanges in progress. */
const GRACE_MS = 2000;
/** Longest time to take in a forwarded document. Files may take longer, because nobody waits for them. */
const LIMIT_MS = 1000;

/** Records hosts, or prints what a recording contains. */
export async function recordOrInspect(flags: RecordFlags, io: Io): Promise<ExitCode> {
  if (flags.what === undefined) return recordHosts(flags, io);
  const { inspectRecording } = await import('./inspect-recording.ts');
  inspectRecording(flags.folder ?? flags.out ?? '.', flags.json, io);
  return EXIT_CODES.pass;
}

async function recordHosts(flags: RecordFlags, io: Io): Promise<ExitCode> {
  if (flags.out === undefined)
    throw new UserError('record: expected a folder for the recording, found none; add -o FOLDER.');
  const ways = [flags.import, flags.poll, flags.listen ?? flags.forward].filter((way) => way !== undefined);
  if (ways.length !== 1)
    throw new UserError(`record: expected one of ${WAYS}, found ${ways.length === 0 ? 'none' : 'several'}.`);
  if (flags.import !== undefined) return importAll(flags.import, flags, io);
  return flags.poll === undefined ? forward(flags, io) : poll(flags, io);
}

/** Imports all valid documents and reports the others. */
async function importAll(patterns: readonly string[], flags: RecordFlags, io: Io): Promise<ExitCode> {
  const files = patterns.flatMap((pattern) => matchedFiles(pattern, io.cwd));
  const intake = opened(flags, io);
  let faults = 0;
  const filesOf = new Map<string, readonly string[]>();
  const isStored = await storing(flags, io, async () => {
    await importFiles(files, { cwd: io.cwd, intake }, (file, taken) => {
      if (taken.kind === 'fault') faults++;
      else filesOf.set(taken.host, [...(filesOf.get(taken.host) ?? []), file]);
      for (const line of linesOf(file, taken)) printLine(io, line);
    });
    intake.close();
  });
  for (const [host, own] of filesOf) {
    const isSeveral = new Set(own).size > 1;
    printLine(io, isSeveral ? `${host}: merged from ${own.length} files, ${own[0]} to ${own.at(-1)}` : undefined);
  }
  conclude(intake.summary(), flags, io);
  if (!isStored) return EXIT_CODES.notStored;
  return faults > 0 ? EXIT_CODES.userError : EXIT_CODES.pass;
}

/** The files that match a pattern, sorted. @throws UserError if none do */
function matchedFiles(pattern: string, cwd: string): readonly string[] {
  const found = existsSync(resolve(cwd, pattern)) ? [pattern] : globSync(pattern, { cwd }).sort();
  if (found.length > 0) return found;
  throw new UserError(`--import: expected files or a pattern such as 'dumps/*.json', found no files for ${pattern}.`);
}

type Import = { readonly cwd: string; readonly intake: Intake };

/** Imports the documents of files into a recording, one file after another, because they may not fit in memory together. */
async function importFiles(
  files: readonly string[],
  { cwd, intake }: Import,
  report: (name: string, taken: Taken) => void,
): Promise<void> {
  for (const file of files) {
    for (const one of offersOf(file, cwd)) {
      if (one.kind === 'fault') report(one.name, one);
      else report(one.name, intake.take({ ...one, arrivedMs: undefined, secrets: [] }));
      // An interrupt ends the process between documents.
      await turnOfTheLoop();
    }
  }
}

type FileOffer = { readonly name: string } & (
  | { readonly kind: 'offer'; readonly text: string; readonly source: (kind: DocumentKind) => string }
  | Extract<Taken, { kind: 'fault' }>
);

/** The document in a file, or all documents of a recording. */
function offersOf(file: string, cwd: string): Iterable<FileOffer> {
  const path = resolve(cwd, file);
  const fault = (expected: string, found: string): readonly FileOffer[] => [faultOf(file, { expected, found })];
  try {
    if (existsSync(join(path, RECORDING_FILES.log))) return offersOfRecording(file, readHostRecording(path).documents);
    const stats = statSync(path);
    if (!stats.isFile())
      return fault('a file, or the folder of a recording', stats.isDirectory() ? 'another folder' : 'a special file');
    if (stats.size > MAX_DOCUMENT_BYTES) return fault(`at most ${MAX_DOCUMENT_BYTES} bytes`, `${stats.size} bytes`);
    const text = documentText(unpacked(readFileSync(path)));
    if (typeof text !== 'string') return [faultOf(file, text)];
    return [{ kind: 'offer', name: file, text, source: (kind) => hostOfFile(relative(cwd, path), kind) }];
  } catch (error) {
    return fault('a readable file', messageOf(error));
  }
}

function unpacked(bytes: Buffer): Buffer {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return isGzip ? gunzipSync(bytes, { maxOutputLength: MAX_DOCUMENT_BYTES }) : bytes;
}

function faultOf(name: string, fault: Omit<DocumentFault, 'place'>): FileOffer {
  return { kind: 'fault', name, fault: { place: 'the file', ...fault } };
}

/** Yields one document after another, because they may not fit in memory together. */
function* offersOfRecording(file: string, documents: readonly KeptDocument[]): Generator<FileOffer> {
  for (const document of documents) {
    const name = `${file} (${document.host})`;
    try {
      yield { kind: 'offer', name, text: document.text, source: () => document.host };
    } catch (error) {
      yield faultOf(name, { expected: 'a readable document', found: messageOf(error) });
    }
  }
}

/** Returns whether everything could be written. A full disk is no bug, and what was written before stays. */
async function storing(flags: RecordFlags, io: Io, act: () => Promise<void>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    const reason = systemReason(error);
    if (reason === undefined) throw error;
    printLine(
      io,
      `${folderOf(flags)}: expected a disk that can be written, found: ${reason}; what was recorded before is kept.`,
    );
    return false;
  }
}

async function poll(flags: RecordFlags, io: Io): Promise<ExitCode> {
  const order = await readPullFile(resolve(io.cwd, flags.poll ?? ''));
  assertAgentsAllowed(order, flags.allow ?? []);
  const credentials = await credentialsFor(flags, order, io);
  const intake = opened(flags, io);
  const printed = new Set<string>();
  let documents = 0;
  const { agents, basicAuth, every: everyMs, packages: packagesEveryMs, concurrency, timeout: timeoutMs } = order;
  const secure = credentials !== undefined || order.https;
  const isStored = await storing(flags, io, async () => {
    await untilStopped(flags, io, (signal) =>
      pollAgents(
        { agents, secure, basicAuth, everyMs, packagesEveryMs, concurrency, timeoutMs, credentials },
        {
          intake,
          signal,
          nameOf: addressText,
          report: (polled) => {
            if (polled.kind === 'taken' && polled.taken.kind !== 'fault') documents++;
            // Reports unreachable agents once, and odd figures once for a host.
            for (const { topic, line } of pollLines(polled)) {
              if (!printed.has(topic)) printLine(io, line);
              printed.add(topic);
            }
          },
        },
      ),
    );
    intake.close();
  });
  conclude(intake.summary(), flags, io);
  if (!isStored) return EXIT_CODES.notStored;
  if (documents > 0) return EXIT_CODES.pass;
  printLine(io, 'No agent answered with a document.');
  return EXIT_CODES.userError;
}

/** The client certificate for polling: from the flags, or that of a Muster server that has exchanged certificates with the agents. */
async function credentialsFor(flags: RecordFlags, { autoTls, state }: PullOrder, { cwd }: Io) {
  const [certificate, key] = [flags['client-cert'], flags['client-key']];
  if ((certificate === undefined) !== (key === undefined))
    throw new UserError('--client-cert and --client-key: expected both or neither, found one.');
  if (certificate !== undefined && key !== undefined) {
    return { certificate: await readCertificates(resolve(cwd, certificate)), key: await readKey(resolve(cwd, key)) };
  }
  if (!autoTls || state === undefined) return undefined;
  const { authority, close } = await openPullState(state);
  close();
  if (authority !== undefined) return authority;
  throw new UserError(
    `${state}: expected the CA of a server that has exchanged certificates with these agents, found none; pass that server's certificate with --client-cert and --client-key.`,
  );
}

function pollLines(polled: Polled): ReturnType<typeof notesOf> {
  const name = `${addressText(polled.agent)}${polled.path}`;
  if (polled.kind === 'taken' && polled.taken.kind === 'kept')
    return notesOf(polled.taken).map(({ topic, line }) => ({ topic, line: `${name}: ${line}` }));
  // Until its next check run, an agent returns the same document.
  if (polled.kind === 'taken' && polled.taken.kind === 'known') return [];
  const lines = polled.kind === 'failed' ? [`${name}: ${polled.reason}`] : linesOf(name, polled.taken);
  return lines.map((line) => ({ topic: line, line }));
}

async function forward(flags: RecordFlags, io: Io): Promise<ExitCode> {
  const listen = listenAddress(flags.listen);
  const target = await targetOf(flags, io);
  const tls = await tlsOf(flags, io);
  const settings = { ...settingsOf(flags, io), everyMs: readFlag('every', flags, DURATION), limitMs: LIMIT_MS };
  const task = { folder: resolve(io.cwd, folderOf(flags)), intake: settings, limits: RECORDER_LIMITS };
  // Fails before agents connect if the folder is not writable.
  opened(flags, io, settings).close();
  const proxy = await startRecordingProxy({ listen, target, tls, task }, (line) => printLine(io, line));
  io.stdout.write(`${tls === undefined ? 'http' : 'https'}://${addressText({ ...listen, port: proxy.port })}\n`);
  await untilStopped(flags, io, (signal) => once(signal, 'abort'));
  const summary = await proxy.stop(GRACE_MS);
  const { connections, requestsLost, stopped: reason, hangs } = proxy.counts();
  if (summary !== undefined) conclude(summary, flags, io);
  const lost = requestsLost === 0 ? 'nothing lost' : `${counted(requestsLost, 'request')} not recorded`;
  const why = summary === undefined ? `; recording stopped: ${reason}` : '';
  printLine(io, `${counted(connections, 'connection')}, ${lost}${why}`);
  if (hangs) io.leave?.(EXIT_CODES.notStored);
  return summary === undefined || requestsLost > 0 ? EXIT_CODES.notStored : EXIT_CODES.pass;
}

function listenAddress(text: string | undefined): Address {
  const address = text === undefined ? undefined : parseAddress(text);
  if (address !== undefined) return address;
  const found = text === undefined ? 'nothing' : JSON.stringify(text);
  throw new UserError(`--listen: expected host:port such as 127.0.0.1:8080 with --forward, found ${found}.`);
}

/** Rejects a URL with a path: it would have to be added to each request, and the proxy changes nothing. */
async function targetOf(flags: RecordFlags, io: Io): Promise<RelayTarget> {
  const { forward: text, ca } = flags;
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
  const isBase = url !== undefined && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '';
  if (!isBase || url.username !== '') {
    const found = text === undefined ? 'nothing' : quoted(displayUrl(text));
    throw new UserError(
      `--forward: expected a URL without user and path such as https://monitoring.example.com, found ${found}.`,
    );
  }
  const address = addressOf(url);
  assertServerAllowed(url, address.host, flags.allow ?? []);
  if (ca !== undefined && (flags.insecure || url.protocol === 'http:')) {
    const found = flags.insecure ? '--insecure' : 'an http:// URL';
    throw new UserError(`--ca: expected an https:// URL in --forward and verification, found ${found}; omit --ca.`);
  }
  if (url.protocol === 'http:') return { address, tls: undefined };
  const authorities = ca === undefined ? usualAuthorities() : await readCertificates(resolve(io.cwd, ca));
  const secureContext = nodeTls.createSecureContext({ ca: authorities });
  return { address, tls: { secureContext, verify: !flags.insecure } };
}

/** As with the target of a run, traffic goes to another machine only with permission. */
function assertServerAllowed({ origin }: URL, host: string, allow: readonly string[]): void {
  if (isAllowedHost(host, allow)) return;
  throw new TargetNotAllowedError(
    `The server ${origin} is not on this machine: Muster forwards to remote servers only with permission. If you may send traffic to it, pass --allow ${host}.`,
  );
}

/** The CAs that verifying agents would trust: those of Node and of the machine. */
function usualAuthorities(): string[] {
  return [...nodeTls.getCACertificates('default'), ...nodeTls.getCACertificates('system')];
}

/** Runs until an interrupt or the end of the duration. */
async function untilStopped(flags: RecordFlags, io: Io, act: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  const stop = new AbortController();
  const { duration } = flags;
  const timer = duration && setTimeout(() => stop.abort(), readFlag('duration', { duration }, DURATION));
  const unsubscribe = io.onInterrupt(() => stop.abort());
  if (duration === undefined) printLine(io, 'Recording; interrupt to stop.');
  await act(stop.signal);
  if (timer) clearTimeout(timer);
  unsubscribe();
}

const DURATION = durationAboveZero('a duration such as 30s or 15m');

function folderOf(flags: RecordFlags): string {
  return flags.out ?? '';
}

/** With a new key each time, which is never stored. */
function settingsOf(flags: RecordFlags, io: Io): IntakeSettings {
  const key = randomBytes(32).toString('hex');
  return { everyMs: 0, limitMs: Number.POSITIVE_INFINITY, key, anonymous: flags.anonymize, rules: rulesOf(flags, io) };
}

const RULE = /^(keep|drop|option) +(\S.*)$/;

/** The rules of the flags, and of a file with one rule per line. */
function rulesOf(flags: RecordFlags, { cwd }: Io): SanitizerRules {
  const rules = { keep: new Set(flags.keep), drop: new Set(flags.drop), option: new Set<string>() };
  const { rules: file } = flags;
  const lines = file === undefined ? [] : readTextFileSync('rules file', resolve(cwd, file)).split(/\r?\n/);
  lines.forEach((line, index) => {
    const rule = line.replace(/(^|\s)#.*$/, '').trim();
    if (rule === '') return;
    const [, kind, word] = RULE.exec(rule) ?? [];
    if (kind === undefined || word === undefined) {
      throw new UserError(
        `${file}:${index + 1}: expected keep WORD, drop WORD or option --NAME, found ${JSON.stringify(line)}.`,
      );
    }
    rules[kind as keyof SanitizerRules].add(word);
  });
  const lower = (words: ReadonlySet<string>) => new Set([...words].map((word) => word.toLowerCase()));
  return { keep: lower(rules.keep), drop: lower(rules.drop), option: lower(rules.option) };
}

function opened(flags: RecordFlags, io: Io, settings = settingsOf(flags, io)): Intake {
  const intake = openIntake(resolve(io.cwd, folderOf(flags)), settings);
  const { tornBytes } = intake;
  const torn = `removed an incomplete end of ${counted(tornBytes, 'byte')}, left by a killed recorder`;
  printLine(io, tornBytes === 0 ? undefined : `${folderOf(flags)}: ${torn}`);
  return intake;
}

function linesOf(name: string, result: Taken): readonly string[] {
  if (result.kind === 'fault') return [`${name}: ${faultText(result.fault)}; skipped`];
  if (result.kind === 'known') return [`${name}: ${result.host} already contains this document; skipped`];
  if (result.kind === 'slow') return [`${name}: taking it in took too long; skipped`];
  return notesOf(result).map(({ line }) => `${name}: ${line}`);
}

function printLine(io: Io, line: string | undefined): void {
  if (line !== undefined) io.stderr.write(`${printable(line)}\n`);
}

/** What was recorded, what it contains, and how to look at it. */
function conclude({ hosts, checkdata, packages }: RecordingSummary, flags: RecordFlags, io: Io): void {
  const documents = `${counted(checkdata, 'check-data document')}, ${counted(packages, 'package document')}`;
  io.stdout.write(`${folderOf(flags)}: ${counted(hosts, 'host')}, ${documents}\n`);
  const contents = flags.anonymize
    ? 'public words, figures, and replacements of everything else'
    : 'names, paths, descriptions and addresses of these hosts, and replacements of other values';
  printLine(io, `${folderOf(flags)} contains ${contents}; look at it with: muster record inspect ${folderOf(flags)}`);
}
