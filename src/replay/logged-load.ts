import type { Operation } from '../base/protocol/operations.ts';
import { ENDPOINTS } from '../base/protocol/push.ts';
import { CHECKDATA_ENDPOINT, endpointIn, operationIn, sizeClassIn, statusIn } from './arrival-rows.ts';

/** A part of the time of a log. */
export type LoggedStretch = {
  readonly arrivals: number;
  /** Requests with another status than 2xx. */
  readonly errors: number;
  /** Mean response time in milliseconds; `undefined` if the log has none. */
  readonly meanMs: number | undefined;
};

/** A time without arrivals, since the start of the log. */
export type Silence = { readonly fromUs: number; readonly toUs: number };

/** What the arrivals of a log were, by time since its start. */
export type LoggedLoad = {
  /** The log in parts of the same length, without the rest at its end. */
  readonly binUs: number;
  readonly bins: number;
  readonly stretchOf: (fromBin: number, toBin: number) => LoggedStretch;
  /** Response time that this share of the arrivals did not exceed, in milliseconds; `undefined` if the log has none. */
  readonly percentileMs: (fromBin: number, toBin: number, share: number) => number | undefined;
  readonly arrivals: number;
  readonly lastUs: number;
  /** Requests by operation, and by status; 0: unknown. */
  readonly operations: ReadonlyMap<Operation, number>;
  readonly statuses: ReadonlyMap<number, number>;
  /** Half of the pushes of check data have at least this size class; 0: unknown. */
  readonly sizeClass: number;
  readonly busiest: { readonly second: number; readonly arrivals: number };
  /** Long gaps, the longest first. */
  readonly silences: readonly Silence[];
};

export type LoadObserver = ReturnType<typeof createLoadObserver>;

/** When there would be more, each becomes twice as long. */
const MAX_BINS = 1024;
const FIRST_BIN_US = 1e6;
/** Response times are counted in classes, each this much wider than the one before, from a tenth of a millisecond to hours. */
const CLASS_RATIO = 1.1;
const CLASSES = 192;
const FIRST_CLASS_US = 100;

const SIZE_CLASSES = 64;
const STATUS_BITS = 10;
const SILENCES = 3;
/** A gap is a silence if it is this many mean gaps long, and some seconds. */
const SILENT_GAPS = 20;
const MIN_SILENCE_US = 5e6;

/** Takes arrivals in order of time. */
export function createLoadObserver() {
  const bins = createBins();
  const gaps = createGaps();
  const answers = new Float64Array(ENDPOINTS.length << STATUS_BITS);
  const sizes = new Float64Array(SIZE_CLASSES);
  const busiest = { second: 0, arrivals: 0 };
  let [arrivals, lastUs] = [0, 0];
  let [second, inSecond] = [0, 0];
  const countInSecond = (atUs: number): void => {
    const now = Math.floor(atUs / 1e6);
    inSecond = now === second ? inSecond + 1 : 1;
    second = now;
    if (inSecond > busiest.arrivals) Object.assign(busiest, { second, arrivals: inSecond });
  };
  return {
    take: (atUs: number, answer: number, durationUs: number): void => {
      const index = (endpointIn(answer) << STATUS_BITS) | statusIn(answer);
      bins.take(atUs, statusIn(answer), durationUs);
      gaps.take(atUs);
      countInSecond(atUs);
      arrivals++;
      lastUs = atUs;
      answers[index] = (answers[index] as number) + 1;
      if (endpointIn(answer) === CHECKDATA_ENDPOINT)
        sizes[sizeClassIn(answer)] = (sizes[sizeClassIn(answer)] as number) + 1;
    },
    end: (): LoggedLoad => ({
      ...bins.end(lastUs),
      arrivals,
      lastUs,
      busiest,
      operations: tallied(answers, operationIn),
      statuses: tallied(answers, statusIn),
      sizeClass: indexOfShare(sizes, 0.5),
      silences: gaps.silences(),
    }),
  };
}

/** Keeps the longest gaps. */
function createGaps() {
  let gaps: Silence[] = [];
  let [arrivals, firstUs, lastUs] = [0, 0, 0];
  return {
    take: (atUs: number): void => {
      if (arrivals++ === 0) firstUs = atUs;
      else if (atUs - lastUs >= MIN_SILENCE_US)
        gaps = [...gaps, { fromUs: lastUs, toUs: atUs }].sort((a, b) => lengthOf(b) - lengthOf(a)).slice(0, SILENCES);
      lastUs = atUs;
    },
    silences: (): readonly Silence[] => {
      const meanGapUs = (lastUs - firstUs) / Math.max(1, arrivals - 1);
      return gaps.filter((gap) => lengthOf(gap) > SILENT_GAPS * meanGapUs);
    },
  };
}

/** Counts arrivals by their time. */
function createBins() {
  const columns: Columns = {
    counts: new Float64Array(MAX_BINS),
    errors: new Float64Array(MAX_BINS),
    timeSums: new Float64Array(MAX_BINS),
    classes: new Uint32Array(MAX_BINS * CLASSES),
  };
  const { counts, errors, timeSums, classes } = columns;
  let binUs = FIRST_BIN_US;
  const halve = (): void => {
    for (const column of [counts, errors, timeSums]) pairUp(column, 1);
    pairUp(classes, CLASSES);
    binUs *= 2;
  };
  return {
    take: (atUs: number, status: number, durationUs: number): void => {
      while (atUs >= binUs * MAX_BINS) halve();
      const bin = Math.floor(atUs / binUs);
      counts[bin] = (counts[bin] as number) + 1;
      if (status !== 0 && (status < 200 || status > 299)) errors[bin] = (errors[bin] as number) + 1;
      if (durationUs < 0) return;
      timeSums[bin] = (timeSums[bin] as number) + durationUs;
      const index = bin * CLASSES + classOf(durationUs);
      classes[index] = (classes[index] as number) + 1;
    },
    end: (lastUs: number) => ({ binUs, ...partsOf(columns, Math.max(1, Math.floor(lastUs / binUs))) }),
  };
}

/** What is counted of each bin. */
type Columns = {
  readonly counts: Float64Array;
  readonly errors: Float64Array;
  readonly timeSums: Float64Array;
  readonly classes: Uint32Array;
};

function partsOf(
  { counts, errors, timeSums, classes }: Columns,
  bins: number,
): Pick<LoggedLoad, 'bins' | 'stretchOf' | 'percentileMs'> {
  const classesOf = (from: number, to: number): Float64Array => {
    const totals = new Float64Array(CLASSES);
    for (let index = from * CLASSES; index < to * CLASSES; index++)
      totals[index % CLASSES] = (totals[index % CLASSES] as number) + (classes[index] as number);
    return totals;
  };
  return {
    bins,
    stretchOf: (from, to) => {
      const timed = sum(classesOf(from, to));
      const meanMs = timed === 0 ? undefined : sum(timeSums.subarray(from, to)) / timed / 1000;
      return { arrivals: sum(counts.subarray(from, to)), errors: sum(errors.subarray(from, to)), meanMs };
    },
    percentileMs: (from, to, share) => {
      const totals = classesOf(from, to);
      return sum(totals) === 0 ? undefined : (FIRST_CLASS_US * CLASS_RATIO ** indexOfShare(totals, share)) / 1000;
    },
  };
}

function sum(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Sums of counts by a property of the answers that are their indices. */
function tallied<Key>(counts: Float64Array, keyOf: (answer: number) => Key): ReadonlyMap<Key, number> {
  const tally = new Map<Key, number>();
  for (const [index, count] of counts.entries()) {
    const answer = ((index >> STATUS_BITS) << 16) | (index & ((1 << STATUS_BITS) - 1));
    if (count > 0) tally.set(keyOf(answer), (tally.get(keyOf(answer)) ?? 0) + count);
  }
  return tally;
}

/** The first index up to which there is this share of all counts. */
function indexOfShare(counts: Float64Array, share: number): number {
  let rest = sum(counts) * share;
  return Math.max(
    0,
    counts.findIndex((count) => {
      rest -= count;
      return rest <= 0;
    }),
  );
}

/** Adds up pairs of equal parts of this size; the second half becomes empty. */
function pairUp(column: Float64Array | Uint32Array, size: number): void {
  const half = column.length / 2;
  for (let index = 0; index < half; index++) {
    const from = Math.floor(index / size) * 2 * size + (index % size);
    column[index] = (column[from] as number) + (column[from + size] as number);
  }
  column.fill(0, half);
}

/** The class whose upper end is at least this time. */
function classOf(durationUs: number): number {
  if (durationUs <= FIRST_CLASS_US) return 0;
  return Math.min(CLASSES - 1, Math.ceil(Math.log(durationUs / FIRST_CLASS_US) / Math.log(CLASS_RATIO)));
}

function lengthOf(gap: Silence): number {
  return gap.toUs - gap.fromUs;
}
