import { z } from 'zod';
import type { KeptDocument } from './raising.ts';

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

/** A frame of the log is a line of JSON. For a document, its text follows, compressed with Zstandard, and a line break. */
export const frameSchema = z.discriminatedUnion('kind', [
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
    document: kind,
    /** Start of the check run or of the collection, in Unix ms. */
    instantMs: count,
    sizeBytes: count,
    /** Size of the compressed text after this line. */
    bytes: count,
    crc32: count,
    /** Number of texts from which secrets were removed. */
    secrets: count,
  }),
]);

export type LogFrame = z.infer<typeof frameSchema>;
export type LogFrameOf<Kind extends LogFrame['kind']> = Extract<LogFrame, { readonly kind: Kind }>;

const hostSchema = z.strictObject({
  name: z.string().min(1),
  id: z.string(),
  documents: z.array(
    z.strictObject({
      document: kind,
      instantMs: count,
      sizeBytes: count,
      /** Offset of the compressed text in the log, and its size. */
      offset: count,
      bytes: count,
      crc32: count,
      secrets: count,
    }),
  ),
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
type IndexedHost = RecordingIndex['hosts'][number];

/** A frame, and the offset of the data after it. */
export type PlacedFrame = { readonly frame: LogFrame; readonly bodyOffset: number };

/** This many push times define a rhythm. The limit keeps a recorder that runs for months from growing. */
const LAST_PUSHES = 1000;

/** The index of a log, built while its frames are read or written. */
export type Indexing = {
  readonly add: (placed: PlacedFrame) => void;
  readonly index: (logBytes: number) => RecordingIndex;
};

export function createIndexing(): Indexing {
  const hosts = new Map<string, IndexedHost>();
  let head = { muster: '', anonymized: false };
  const hostNamed = (name: string, id = '') => {
    const none = { checkdata: 0, packages: 0 };
    const host = hosts.get(name) ?? {
      ...{ name, id, documents: [], pushes: none, rhythm: { checkdata: [], packages: [] } },
    };
    hosts.set(name, host);
    return host;
  };
  return {
    add({ frame, bodyOffset: offset }) {
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
    index: (logBytes) => ({
      ...{ format: RECORDING_FORMAT, ...head, logBytes },
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
  const gaps = instantsMs.slice(1).map((instant, place) => (instant - (instantsMs[place] ?? 0)) / 1000);
  const sorted = gaps.toSorted((a, b) => a - b);
  const everySeconds = sorted[sorted.length >> 1];
  if (sorted.length < 2 || everySeconds === undefined) return undefined;
  const off = gaps.map((gap) => Math.abs(gap - everySeconds)).sort((a, b) => a - b);
  return { everySeconds, jitterSeconds: off[Math.floor(off.length * 0.9)] ?? 0 };
}

/** An open recording. What was added survives a killed process. A failed addition throws and leaves no partial data. */
export type RecordingWriter = {
  readonly anonymized: boolean;
  /** Names of the recorded hosts, by id. */
  readonly hosts: ReadonlyMap<string, string>;
  /** Bytes of a torn frame from a killed writer, which were cut off. */
  readonly tornBytes: number;
  readonly index: () => RecordingIndex;
  readonly addHost: (name: string, id: string) => void;
  readonly addPush: (push: Omit<LogFrameOf<'push'>, 'kind'>) => void;
  readonly addDocument: (document: NewDocument) => void;
  /** Writes the index. */
  readonly save: () => void;
  readonly close: () => void;
};

type NewDocument = KeptDocument & { readonly secrets: number };
