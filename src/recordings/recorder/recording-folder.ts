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
import { z } from 'zod';
import { messageOf, UserError } from '../../base/kernel/errors.ts';
import { VERSION } from '../../base/kernel/version.ts';
import { jsonIn } from '../../base/protocol/exact-json.ts';
import { assertOwn } from '../../base/storage/ownership.ts';
import { makeFolder, writeWhole } from '../../base/storage/whole-files.ts';
import { MAX_DOCUMENT_BYTES } from '../reading.ts';
import type { KeptDocument } from '../simulated-hosts.ts';

/*
 * A recording is a folder with two files. The log contains everything that was recorded, frame by frame, so a killed recorder
 * leaves whole frames and at most one torn frame. The index locates the documents in the log, for programs and people. It is
 * derived from the log, and rebuilt if it does not cover the whole log.
 */

export const RECORDING_FILES = { index: 'index.json', log: 'documents.log' } as const;

/** Changes with the format of either file. */
const RECORDING_FORMAT = 1;

const kind = z.enum(['checkdata', 'packages']);
const count = z.int().nonnegative();

/** A document in the log. `bytes` is the size of its compressed text, `secrets` the number of texts in which something was replaced. */
const documentShape = {
  document: kind,
  /** Start of the check run or of the collection, in Unix ms. */
  instantMs: count,
  sizeBytes: count,
  bytes: count,
  crc32: count,
  secrets: count,
};

/** A frame of the log is a line of JSON. For a document, its text follows, compressed with Zstandard, and a line break. */
const frameSchema = z.discriminatedUnion('kind', [
  /** The first frame. */
  z.strictObject({
    kind: z.literal('recording'),
    format: z.literal(RECORDING_FORMAT),
    muster: z.string(),
    anonymized: z.boolean(),
  }),
  /** A host and its name. `id` distinguishes its agent from others without revealing it. */
  z.strictObject({ kind: z.literal('host'), host: z.string().min(1), id: z.string() }),
  /** A push, whether or not its document was kept; in Unix ms. */
  z.strictObject({ kind: z.literal('push'), host: z.string().min(1), document: kind, instantMs: count }),
  z.strictObject({
    kind: z.literal('document'),
    host: z.string().min(1),
    ...documentShape,
  }),
]);

type LogFrame = z.infer<typeof frameSchema>;

const hostSchema = z.strictObject({
  name: z.string().min(1),
  id: z.string(),
  /** With the offsets of their compressed texts in the log. */
  documents: z.array(z.strictObject({ ...documentShape, offset: count })),
  /** The number of pushes, and the times of the last ones in Unix ms. */
  pushes: z.strictObject({ checkdata: count, packages: count }),
  rhythm: z.strictObject({ checkdata: z.array(count), packages: z.array(count) }),
});

const indexSchema = z.strictObject({
  format: z.literal(RECORDING_FORMAT),
  muster: z.string(),
  anonymized: z.boolean(),
  /** Size of the log that the index covers. */
  logBytes: count,
  hosts: z.array(hostSchema),
});

export type RecordingIndex = z.infer<typeof indexSchema>;
type IndexedHost = RecordingIndex['hosts'][number];

/** A frame, and the offset of the data after it. */
type PlacedFrame = { readonly frame: LogFrame; readonly bodyOffset: number };

/** This many push times define a rhythm. The limit keeps a recorder that runs for months from growing. */
const LAST_PUSHES = 1000;

/** The index of a log, built while its frames are read or written. */
function createIndexing() {
  const hosts = new Map<string, IndexedHost>();
  let head = { muster: '', anonymized: false };
  const hostNamed = (name: string, id = '') => {
    const none = { checkdata: 0, packages: 0 };
    const host = hosts.get(name) ?? {
      name,
      id,
      documents: [],
      pushes: none,
      rhythm: { checkdata: [], packages: [] },
    };
    hosts.set(name, host);
    return host;
  };
  return {
    add({ frame, bodyOffset: offset }: PlacedFrame): void {
      if (frame.kind === 'recording') head = { muster: frame.muster, anonymized: frame.anonymized };
      else if (frame.kind === 'host') hostNamed(frame.host, frame.id);
      else if (frame.kind === 'push') {
        const { pushes, rhythm } = hostNamed(frame.host);
        const instants = rhythm[frame.document];
        pushes[frame.document]++;
        instants.push(frame.instantMs);
        if (instants.length >= 2 * LAST_PUSHES) instants.splice(0, LAST_PUSHES);
      } else {
        const { kind: _, host, ...document } = frame;
        hostNamed(host).documents.push({ ...document, offset });
      }
    },
    index: (logBytes: number): RecordingIndex => ({
      format: RECORDING_FORMAT,
      ...head,
      logBytes,
      hosts: [...hosts.values()].map(({ rhythm: { checkdata, packages }, ...host }) => {
        return {
          ...host,
          rhythm: { checkdata: checkdata.slice(-LAST_PUSHES), packages: packages.slice(-LAST_PUSHES) },
        };
      }),
    }),
  };
}

/**
 * Intervals between pushes in seconds: the median, and the 90th percentile of the deviations from it. `undefined` for fewer than
 * three pushes.
 */
export function rhythmOf(
  instantsMs: readonly number[],
): { readonly everySeconds: number; readonly jitterSeconds: number } | undefined {
  const gaps = instantsMs.slice(1).map((instant, index) => (instant - (instantsMs[index] ?? 0)) / 1000);
  const sorted = gaps.toSorted((a, b) => a - b);
  const everySeconds = sorted[sorted.length >> 1];
  if (sorted.length < 2 || everySeconds === undefined) return undefined;
  const off = gaps.map((gap) => Math.abs(gap - everySeconds)).sort((a, b) => a - b);
  return { everySeconds, jitterSeconds: off[Math.floor(off.length * 0.9)] ?? 0 };
}

const NEWLINE = '\n';
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

type FramesFound = { readonly wholeBytes: number; readonly tornBytes: number };

const MAX_LINE_BYTES = 4096;

/**
 * Iterates over the complete frames of a log.
 * @throws UserError if other data is found.
 */
function eachFrame(log: string, take: (placed: PlacedFrame) => void): FramesFound {
  const sizeBytes = statSync(log).size;
  const descriptor = openSync(log, 'r');
  const line = Buffer.alloc(MAX_LINE_BYTES);
  let at = 0;
  try {
    while (at < sizeBytes) {
      const read = readSync(descriptor, line, 0, MAX_LINE_BYTES, at);
      const end = line.subarray(0, read).indexOf(NEWLINE);
      if (end < 0 && read < MAX_LINE_BYTES) break;
      const frame = frameOf(line.toString('utf8', 0, end), log, at);
      const bodyOffset = at + end + 1;
      // Only the end can be torn. A frame larger than any document was not written by Muster.
      if (frame.kind === 'document' && frame.bytes > MAX_TEXT_BYTES) throw otherFrame(log, at);
      const next = frame.kind === 'document' ? bodyOffset + frame.bytes + 1 : bodyOffset;
      if (next > sizeBytes) break;
      take({ frame, bodyOffset });
      at = next;
    }
  } finally {
    closeSync(descriptor);
  }
  return { wholeBytes: at, tornBytes: sizeBytes - at };
}

function frameOf(line: string, log: string, at: number): LogFrame {
  const data = jsonIn(line);
  if (data === undefined) throw otherFrame(log, at);
  const read = frameSchema.safeParse(data);
  if (read.success) return read.data;
  const format = (data as { format?: unknown } | null)?.format;
  if (format !== undefined && format !== RECORDING_FORMAT) throw otherFormat(log, format);
  const [issue] = read.error.issues;
  throw new UserError(
    `${log}: expected a frame of a recording at byte ${at}, found an invalid one: ${issue?.path.join('.')}: ${issue?.message}.`,
  );
}

function otherFrame(log: string, at: number): UserError {
  return new UserError(
    `${log}: expected a frame of a recording at byte ${at}, found other data; was the file changed?`,
  );
}

function otherFormat(file: string, format: unknown): UserError {
  return new UserError(
    `${file} has format ${String(format)}, but this Muster reads ${RECORDING_FORMAT}: use the version of Muster that wrote it.`,
  );
}

/** A recording on disk. */
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

/** Anonymized documents may be slightly longer than the originals. */
const MAX_TEXT_BYTES = 2 * MAX_DOCUMENT_BYTES;

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
