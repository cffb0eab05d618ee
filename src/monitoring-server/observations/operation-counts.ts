/** Upper bounds, in seconds, of the classes that documents are counted in by their age on arrival. */
export const AGE_BOUNDS_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300] as const;

/** From this age on the shipped server calls a host's data stale (docs/protocol.md, "submit_checkdata.json"). */
const STALE_MS = 120_000;
/** Clocks of two machines differ by less. */
const CLOCK_TOLERANCE_MS = 1000;

/** What arrived of one operation. A document is dated by its check run or package collection. */
export type OperationCounts = {
  /** Requests that arrived whole and named their agent. */
  received: number;
  /** Success answers handed to the network whole. */
  acknowledged: number;
  /** Documents with the date of the one that this agent sent before. */
  repeated: number;
  /** Documents with an earlier date than the one before. */
  backward: number;
  /** Documents older than two minutes on arrival. */
  stale: number;
  /** Documents dated more than a second ahead of this machine's clock. */
  ahead: number;
  undated: number;
  /** Documents by age: one class for each of `AGE_BOUNDS_SECONDS`, and one for what is older. */
  readonly ageCounts: number[];
  ageSumMs: number;
  ageMaxMs: number;
};

export function emptyOperationCounts(): OperationCounts {
  return {
    ...{ received: 0, acknowledged: 0, repeated: 0, backward: 0, stale: 0, ahead: 0, undated: 0 },
    ageCounts: Array.from({ length: AGE_BOUNDS_SECONDS.length + 1 }, () => 0),
    ageSumMs: 0,
    ageMaxMs: 0,
  };
}

/** One document's date beside the one before (0: there was none) and the instant of its arrival, all in Unix ms. */
export type DocumentDates = { readonly instantMs: number; readonly previousMs: number; readonly arrivedMs: number };

export function countDocument(counts: OperationCounts, { instantMs, previousMs, arrivedMs }: DocumentDates): void {
  if (instantMs === previousMs) counts.repeated++;
  if (instantMs < previousMs) counts.backward++;
  const ageMs = arrivedMs - instantMs;
  if (ageMs > STALE_MS) counts.stale++;
  if (ageMs < -CLOCK_TOLERANCE_MS) counts.ahead++;
  const bound = AGE_BOUNDS_SECONDS.findIndex((seconds) => ageMs <= seconds * 1000);
  const ageClass = bound < 0 ? AGE_BOUNDS_SECONDS.length : bound;
  counts.ageCounts[ageClass] = (counts.ageCounts[ageClass] ?? 0) + 1;
  counts.ageSumMs += Math.max(0, ageMs);
  counts.ageMaxMs = Math.max(counts.ageMaxMs, ageMs);
}
