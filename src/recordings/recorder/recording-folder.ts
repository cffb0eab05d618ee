import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  fchmodSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { messageOf, UserError } from '../../base/kernel/errors.ts';
import { VERSION } from '../../base/kernel/version.ts';
import { assertOwn } from '../../base/storage/ownership.ts';
import { makeFolder, writeWhole } from '../../base/storage/whole-files.ts';
import type { KeptDocument } from '../simulated-hosts.ts';
import {
  createIndexing,
  eachFrame,
  indexSchema,
  type LogFrame,
  MAX_TEXT_BYTES,
  NEWLINE,
  otherFormat,
  RECORDING_FILES,
  RECORDING_FORMAT,
  type RecordingIndex,
} from './recording-log.ts';

/** Only this user may read a recording. */
const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;

export type RecordingWriter = ReturnType<typeof openRecording>;

/**
 * Opens a folder for recording, either a new one or one that contains a recording. What is added survives a killed process. A failed
 * addition throws and leaves no partial data.
 * @throws UserError if it is not writable, or contains something else.
 */
export function openRecording(folder: string, anonymized: boolean) {
  const log = join(folder, RECORDING_FILES.log);
  const descriptor = opened(folder, log);
  const indexing = createIndexing();
  const found = eachFrame(log, indexing.add);
  let size = found.wholeBytes;
  ftruncateSync(descriptor, size);
  const append = (frame: LogFrame, body?: Buffer) => {
    const line = Buffer.from(`${JSON.stringify(frame)}${NEWLINE}`);
    const bytes = body === undefined ? line : Buffer.concat([line, body, Buffer.from(NEWLINE)]);
    try {
      writeAll(descriptor, bytes, size);
    } catch (error) {
      ftruncateSync(descriptor, size);
      throw error;
    }
    indexing.add({ frame, bodyOffset: size + line.length });
    size += bytes.length;
  };
  if (size === 0) append({ kind: 'recording', format: RECORDING_FORMAT, muster: VERSION, anonymized });
  const there = indexing.index(size);
  const hosts = new Map(there.hosts.map(({ id, name }) => [id, name]));
  return {
    anonymized: there.anonymized,
    /** Names of the recorded hosts, by id. */
    hosts: hosts as ReadonlyMap<string, string>,
    /** Bytes of a torn frame from a killed writer, which were cut off. */
    tornBytes: found.tornBytes,
    index: () => indexing.index(size),
    addHost: (host: string, id: string): void => {
      append({ kind: 'host', host, id });
      hosts.set(id, host);
    },
    addPush: (push: Omit<Extract<LogFrame, { kind: 'push' }>, 'kind'>): void => append({ kind: 'push', ...push }),
    addDocument: ({ host, kind, instantMs, text, secrets }: KeptDocument & { readonly secrets: number }): void => {
      const body = zstdCompressSync(text);
      const sizes = { sizeBytes: Buffer.byteLength(text), bytes: body.length, crc32: crc32(body) };
      append({ kind: 'document', host, document: kind, instantMs, ...sizes, secrets }, body);
    },
    save: (): void => saveIndex(folder, indexing.index(size)),
    close: (): void => {
      saveIndex(folder, indexing.index(size));
      closeSync(descriptor);
    },
  };
}

function opened(folder: string, log: string): number {
  try {
    makeFolder(folder, PRIVATE_FOLDER);
    for (const path of [folder, log]) assertOwn(path, 'choose another folder');
    const isOwn = existsSync(log) || readdirSync(folder).length === 0;
    const descriptor = openSync(log, existsSync(log) ? 'r+' : 'w+', PRIVATE_FILE);
    if (isOwn) chmodSync(folder, PRIVATE_FOLDER);
    fchmodSync(descriptor, PRIVATE_FILE);
    return descriptor;
  } catch (error) {
    throw new UserError(`Cannot record into ${folder}: ${messageOf(error)}; choose a writable folder.`);
  }
}

function saveIndex(folder: string, index: RecordingIndex): void {
  writeWhole(join(folder, RECORDING_FILES.index), `${JSON.stringify(index, null, 1)}${NEWLINE}`, {
    mode: PRIVATE_FILE,
  });
}

function writeAll(descriptor: number, bytes: Buffer, at: number): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done, bytes.length - done, at + done);
}

export type StoredRecording = {
  readonly index: RecordingIndex;
  /** Texts are read on each access, because together they may be larger than memory. */
  readonly documents: readonly KeptDocument[];
  /** SHA-256, in hex, of the documents' checksums: equal for recordings with equal content. */
  readonly hash: string;
  /** Ignored bytes at the end, from a recorder that was killed during a write. */
  readonly tornBytes: number;
};

/** @throws UserError if the folder contains no recording, or it is unreadable. */
export function readHostRecording(folder: string): StoredRecording {
  const log = join(folder, RECORDING_FILES.log);
  if (!isFile(log)) {
    throw new UserError(
      `${folder} is not a recording: expected ${RECORDING_FILES.log} in it, found none; choose a folder written by muster record.`,
    );
  }
  const { index, tornBytes } = readIndex(folder, log);
  const documents = index.hosts.flatMap(({ name, documents }) =>
    documents.map((place): KeptDocument => {
      const { document: kind, instantMs } = place;
      return {
        host: name,
        kind,
        instantMs,
        get text() {
          return textAt(log, name, place);
        },
      };
    }),
  );
  return { index, documents, tornBytes, hash: hashOf(index) };
}

type PlacedDocument = RecordingIndex['hosts'][number]['documents'][number];

/** @throws UserError if the bytes do not match, because the log was changed or the index belongs to another one. */
function textAt(log: string, host: string, { bytes, sizeBytes, offset, crc32: sum }: PlacedDocument): string {
  const changed = new UserError(
    `${log}: expected a document of ${host} at byte ${offset}, found other bytes; was the file changed?`,
  );
  if (bytes > MAX_TEXT_BYTES || sizeBytes > MAX_TEXT_BYTES) throw changed;
  const body = Buffer.alloc(bytes);
  const descriptor = openSync(log, 'r');
  try {
    readSync(descriptor, body, 0, bytes, offset);
  } finally {
    closeSync(descriptor);
  }
  if (crc32(body) !== sum) throw changed;
  try {
    const most = Math.max(1, sizeBytes);
    return zstdDecompressSync(body, { maxOutputLength: most, chunkSize: most + 64 }).toString();
  } catch {
    throw changed;
  }
}

function readIndex(folder: string, log: string): Pick<StoredRecording, 'index' | 'tornBytes'> {
  const file = join(folder, RECORDING_FILES.index);
  const known = isFile(file) ? checkedIndex(file) : undefined;
  if (known?.logBytes === statSync(log).size) return { index: known, tornBytes: 0 };
  const indexing = createIndexing();
  const { wholeBytes, tornBytes } = eachFrame(log, indexing.add);
  return { index: indexing.index(wholeBytes), tornBytes };
}

/** A device instead of a file may be endless. */
function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** `undefined` if the index is unreadable; the log contains the same information. */
function checkedIndex(file: string): RecordingIndex | undefined {
  try {
    const data: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const format = (data as { format?: unknown } | null)?.format;
    if (format !== undefined && format !== RECORDING_FORMAT) throw otherFormat(file, format);
    return indexSchema.safeParse(data).data;
  } catch (error) {
    if (error instanceof UserError) throw error;
    return undefined;
  }
}

function hashOf({ hosts }: RecordingIndex): string {
  const hash = createHash('sha256');
  for (const { name, documents } of hosts) {
    for (const { document, instantMs, sizeBytes, crc32: sum } of documents) {
      hash.update(`${JSON.stringify([name, document, instantMs, sizeBytes, sum])}\n`);
    }
  }
  return hash.digest('hex');
}
