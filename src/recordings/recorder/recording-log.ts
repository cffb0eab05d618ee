import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { z } from 'zod';
import { UserError } from '../../base/kernel/errors.ts';
import { jsonIn } from '../../base/protocol/exact-json.ts';
import { MAX_DOCUMENT_BYTES } from '../reading.ts';

/*
 * A recording is a folder with two files. The log contains everything that was recorded, frame by frame, so a killed recorder
 * leaves whole frames and at most one torn frame. The index locates the documents in the log, for programs and people. It is
 * derived from the log, and rebuilt if it does not cover the whole log.
 */

export const RECORDING_FILES = { index: 'index.json', log: 'documents.log' } as const;

/** Changes with the format of either file. */
export const RECORDING_FORMAT = 1;

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

export type LogFrame = z.infer<typeof frameSchema>;

const hostSchema = z.strictObject({
  name: z.string().min(1),
  id: z.string(),
  /** With the offsets of their compressed texts in the log. */
  documents: z.array(z.strictObject({ ...documentShape, offset: count })),
  /** The number of pushes, and the times of the last ones in Unix ms. */
  pushes: z.strictObject({ checkdata: count, packages: count }),
  rhythm: z.strictObject({ checkdata: z.array(count), packages: z.array(count) }),
});

export const indexSchema = z.strictObject({
  format: z.literal(RECORDING_FORMAT),
  muster: z.string(),
  anonymized: z.boolean(),
  /** Size of the log that the index covers. */
  logBytes: count,
  hosts: z.array(hostSchema),
});

export type RecordingIndex = z.infer<typeof indexSchema>;

/** A frame, and the offset of the data after it. */
type PlacedFrame = { readonly frame: LogFrame; readonly bodyOffset: number };

/** This many push times define a rhythm. The limit keeps a recorder that runs for months from growing. */
const LAST_PUSHES = 1000;

/** The index of a log, built while its frames are read or written. */
export function createIndexing() {
  const hosts = new Map<string, RecordingIndex['hosts'][number]>();
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

/** Intervals between pushes in seconds: the median, and the 90th percentile of the deviations from it. `undefined` for fewer than three pushes. */
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

export const NEWLINE = '\n';

const MAX_LINE_BYTES = 4096;

/** Iterates over the complete frames of a log. @throws UserError if other data is found. */
export function eachFrame(log: string, take: (placed: PlacedFrame) => void) {
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

export function otherFormat(file: string, format: unknown): UserError {
  return new UserError(
    `${file} has format ${String(format)}, but this Muster reads ${RECORDING_FORMAT}: use the version of Muster that wrote it.`,
  );
}

/** Anonymized documents may be slightly longer than the originals. */
export const MAX_TEXT_BYTES = 2 * MAX_DOCUMENT_BYTES;
