import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { messageOf, UserError } from '../../base/kernel/errors.ts';
import { type DocumentFault, type DocumentKind, documentText, MAX_DOCUMENT_BYTES } from '../../recordings/reading.ts';
import { hostOfFile, type Taken } from '../../recordings/recorder/intake.ts';
import { readHostRecording } from '../../recordings/recorder/recording-folder.ts';
import { RECORDING_FILES } from '../../recordings/recorder/recording-log.ts';
import type { KeptDocument } from '../../recordings/simulated-hosts.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import {
  conclude,
  intakeLines,
  intakeSettings,
  printLine,
  type RecordOrder,
  startRecording,
  tryToStore,
} from './recorder.ts';

/** Imports all valid documents of files into a recording, one after another, and reports the others. */
export async function importFiles(patterns: readonly string[], order: RecordOrder): Promise<ExitCode> {
  const { io } = order;
  const files = patterns.flatMap((pattern) => matchedFiles(pattern, io.cwd));
  const intake = startRecording(order, intakeSettings(order));
  let faults = 0;
  const filesOf = new Map<string, readonly string[]>();
  const hasStoredAll = await tryToStore(order, async () => {
    for (const document of documentsOf(files, io.cwd)) {
      const result = 'fault' in document ? document : intake.take({ ...document, arrivedMs: undefined, secrets: [] });
      if (result.kind === 'fault') faults++;
      else filesOf.set(result.host, [...(filesOf.get(result.host) ?? []), document.name]);
      for (const line of intakeLines(document.name, result)) printLine(io, line);
      // An interrupt ends the process between documents.
      await turnOfTheLoop();
    }
    intake.close();
  });
  for (const [host, own] of filesOf) {
    if (new Set(own).size > 1) printLine(io, `${host}: merged from ${own.length} files, ${own[0]} to ${own.at(-1)}`);
  }
  conclude(order, intake.summary());
  if (!hasStoredAll) return EXIT_CODES.notStored;
  return faults > 0 ? EXIT_CODES.userError : EXIT_CODES.pass;
}

/** The files that match a pattern, sorted. @throws UserError if none do */
function matchedFiles(pattern: string, cwd: string): readonly string[] {
  const found = existsSync(resolve(cwd, pattern)) ? [pattern] : globSync(pattern, { cwd }).sort();
  if (found.length > 0) return found;
  throw new UserError(`--import: expected files or a pattern such as 'dumps/*.json', found no files for ${pattern}.`);
}

/** A document of a file, or why it cannot be read. `source` names the host that it is of, if it does not say so itself. */
type FileDocument = { readonly name: string } & (
  | { readonly text: string; readonly source: (kind: DocumentKind) => string }
  | Extract<Taken, { kind: 'fault' }>
);

function* documentsOf(files: readonly string[], cwd: string): Generator<FileDocument> {
  for (const file of files) yield* documentsIn(file, cwd);
}

/** The document in a file, or all documents of a recording. */
function documentsIn(file: string, cwd: string): Iterable<FileDocument> {
  const path = resolve(cwd, file);
  const fault = (expected: string, found: string): readonly FileDocument[] => [faultyFile(file, { expected, found })];
  try {
    if (existsSync(join(path, RECORDING_FILES.log))) return recordedDocuments(file, readHostRecording(path).documents);
    const stats = statSync(path);
    if (!stats.isFile())
      return fault('a file, or the folder of a recording', stats.isDirectory() ? 'another folder' : 'a special file');
    if (stats.size > MAX_DOCUMENT_BYTES) return fault(`at most ${MAX_DOCUMENT_BYTES} bytes`, `${stats.size} bytes`);
    const text = documentText(unpacked(readFileSync(path)));
    if (typeof text !== 'string') return [faultyFile(file, text)];
    return [{ name: file, text, source: (kind) => hostOfFile(relative(cwd, path), kind) }];
  } catch (error) {
    return fault('a readable file', messageOf(error));
  }
}

/** The first two bytes of a gzip file (RFC 1952). */
const GZIP = [0x1f, 0x8b];

function unpacked(bytes: Buffer): Buffer {
  const isGzip = GZIP.every((byte, index) => bytes[index] === byte);
  return isGzip ? gunzipSync(bytes, { maxOutputLength: MAX_DOCUMENT_BYTES }) : bytes;
}

function faultyFile(name: string, fault: Omit<DocumentFault, 'place'>): FileDocument {
  return { kind: 'fault', name, fault: { place: 'the file', ...fault } };
}

/** Yields one document after another, because they may not fit in memory together. */
function* recordedDocuments(file: string, documents: readonly KeptDocument[]): Generator<FileDocument> {
  for (const document of documents) {
    const name = `${file} (${document.host})`;
    try {
      yield { name, text: document.text, source: () => document.host };
    } catch (error) {
      yield faultyFile(name, { expected: 'a readable document', found: messageOf(error) });
    }
  }
}
