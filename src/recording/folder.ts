import { z } from 'zod';
import type { KeptDocument } from './raising.ts';

/*
 * A recording is a folder with two files. The log has all that was recorded, one frame behind another, so that a recorder that
 * is killed leaves whole frames and at most one that is torn. The index says what stands where, for programs and people; it is
 * made from the log, and made again where it lacks the end of it.
 */

export const RECORDING_FILES = { index: 'index.json', log: 'documents.log' } as const;

/** What changes with the form of either file. */
export const RECORDING_FORMAT = 1;

const kind = z.enum(['checkdata', 'packages']);
const count = z.int().nonnegative();

/**
 * A frame of the log is a line of JSON; behind that of a document, its text follows, compressed with Zstandard, and a line break.
 */
export const frameSchema = z.discriminatedUnion('kind', [
  /** The first one. */
  z.strictObject({
    kind: z.literal('recording'),
    format: z.literal(RECORDING_FORMAT),
    muster: z.string(),
    anonymized: z.boolean(),
  }),
  /** A host under its name; `id` tells its agent from others without saying which it is. */
  z.strictObject({ kind: z.literal('host'), host: z.string().min(1), id: z.string() }),
  /** A push that was seen, whether its document was kept or not; Unix ms. */
  z.strictObject({ kind: z.literal('push'), host: z.string().min(1), document: kind, instantMs: count }),
  z.strictObject({
    kind: z.literal('document'),
    host: z.string().min(1),
    document: kind,
    /** When its check run or its collection began, in Unix ms. */
    instantMs: count,
    sizeBytes: count,
    /** Behind this line. */
    bytes: count,
    crc32: count,
    /** Texts out of which secrets were taken. */
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
      /** Where it begins in the log, and how many bytes it takes there. */
      offset: count,
      bytes: count,
      crc32: count,
      secrets: count,
    }),
  ),
  /** How many pushes were seen, and the instants of the last of them, in Unix ms. */
  pushes: z.strictObject({ checkdata: count, packages: count }),
  rhythm: z.strictObject({ checkdata: z.array(count), packages: z.array(count) }),
});

export const indexSchema = z.strictObject({
  format: z.literal(RECORDING_FORMAT),
  muster: z.string(),
  anonymized: z.boolean(),
  /** So much of the log it is of. */
  logBytes: count,
  hosts: z.array(hostSchema),
});

export type RecordingIndex = z.infer<typeof indexSchema>;
type IndexedHost = RecordingIndex['hosts'][number];

/** A frame, and where what follows it begins. */
export type PlacedFrame = { readonly frame: LogFrame; readonly bodyOffset: number };

/** So many pushes say what a rhythm is; a recorder that is at work for months must not grow with each. */
const LAST_PUSHES = 1000;

/** The index of a log, made while its frames go by. */
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

/** Between the pushes of a document in seconds: the median, and how far most are from it. Undefined with fewer than three. */
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

/** A recording that is added to. What was added is there if the process is killed; what fails throws, and leaves no part. */
export type RecordingWriter = {
  readonly anonymized: boolean;
  /** Names of the hosts that it has, by their id. */
  readonly hosts: ReadonlyMap<string, string>;
  /** Bytes that a writer before this one, which was killed, had begun to write: they were cut off. */
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
