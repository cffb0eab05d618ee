import { deflateSync, inflateSync } from 'node:zlib';
import { build, decodeFromCompressedBase64, type Histogram as HdrHistogram, JsHistogram } from 'hdr-histogram-js';
import type { Latency } from './schema.ts';

/** Durations in whole microseconds with three significant digits. Grows with its largest value and never shrinks. */
export type Histogram = HdrHistogram;

/** Range of values. A value outside is recorded as the nearer bound. */
const MIN_MICROSECONDS = 1;
const MAX_MICROSECONDS = 3_600_000_000;

// Initial room for about 65 ms: a histogram grows only a few times, and never once it is warm.
const INITIAL_MICROSECONDS = 65_535;
const SIGNIFICANT_DIGITS = 3;
const TICKS_PER_HALF_DISTANCE = 5;

export function createHistogram(): Histogram {
  return build({
    bitBucketSize: 32,
    autoResize: true,
    lowestDiscernibleValue: MIN_MICROSECONDS,
    highestTrackableValue: INITIAL_MICROSECONDS,
    numberOfSignificantValueDigits: SIGNIFICANT_DIGITS,
  });
}

/** Hot path. @throws RangeError on NaN, so that a missing timestamp does not count as a fast answer. */
export function record(histogram: Pick<Histogram, 'recordValue'>, durationMs: number): void {
  const microseconds = Math.round(durationMs * 1000);
  if (microseconds >= MIN_MICROSECONDS && microseconds <= MAX_MICROSECONDS) histogram.recordValue(microseconds);
  else histogram.recordValue(clamp(microseconds));
}

function clamp(microseconds: number): number {
  if (Number.isNaN(microseconds)) throw new RangeError('a duration to record is not a number');
  return microseconds < MIN_MICROSECONDS ? MIN_MICROSECONDS : MAX_MICROSECONDS;
}

/** A histogram in transit between threads and machines: the counts of an HdrHistogram V2 payload. Empty without values. */
export type PackedHistogram = Uint8Array;

/** Adds the values of `from`. The resulting statistics do not depend on the order of merges. */
export function merge(into: Histogram, from: Histogram | PackedHistogram): void {
  if (from instanceof Uint8Array) {
    mergePacked(into, from);
    return;
  }
  // The library's `add` grows a histogram differently, which would change its encoded text.
  if (from.totalCount > 0) into.recordValueWithCount(from.maxValue, 0);
  into.add(from);
}

/** Returns the values of `whole` that are not in `part`, and changes neither. */
export function without(whole: Histogram, part: Histogram | undefined): Histogram {
  if (part === undefined || part.totalCount === 0) return whole;
  const rest = createHistogram();
  rest.add(whole);
  rest.subtract(part);
  return rest;
}

/**
 * Encodes as a compressed HdrHistogram V2 payload in base64, as Java's library does. The JavaScript library writes other values in two
 * fields, with which the Rust crate 7.6.0 refuses a histogram.
 */
export function encode(values: AnyHistogram): string {
  const packed = values instanceof Uint8Array ? values : pack(values);
  const counts = packed.length === 0 ? Uint8Array.of(0) : packed;
  const head = Buffer.alloc(HEAD_BYTES);
  // After the cookie and the length, the normalizing offset is 0. The last field is the ratio of values to integers.
  for (const [index, value] of [V2_COOKIE, counts.length, 0, SIGNIFICANT_DIGITS].entries())
    head.writeUInt32BE(value, 4 * index);
  head.writeBigUInt64BE(BigInt(MIN_MICROSECONDS), 16);
  head.writeBigUInt64BE(BigInt(roomOf(values)), 24);
  head.writeDoubleBE(1, 32);
  const deflated = deflateSync(Buffer.concat([head, counts]));
  const outer = Buffer.alloc(8);
  outer.writeUInt32BE(V2_COMPRESSED_COOKIE, 0);
  outer.writeUInt32BE(deflated.length, 4);
  return Buffer.concat([outer, deflated]).toString('base64');
}

/** The largest value that fits into a histogram with these values without making it grow. */
function roomOf(values: AnyHistogram): number {
  if (!(values instanceof Uint8Array)) return walkable(values).highestTrackableValue;
  const last = SCALE.valueFromIndex(Math.max(0, eachPacked(values, () => {}) - 1));
  return Math.max(INITIAL_MICROSECONDS, 2 ** (32 - Math.clz32(last)) - 1);
}

const V2_COOKIE = 0x1c849313;
const V2_COMPRESSED_COOKIE = 0x1c849314;
const HEAD_BYTES = 40;

export function decode(base64: string): Histogram {
  return decodeFromCompressedBase64(base64);
}

/** The counts of an encoded histogram, in a tenth of the time of decoding, which makes room for all values. @throws Error if it is not ours */
export function packedOf(base64: string): PackedHistogram {
  const outer = Buffer.from(base64, 'base64');
  const inner = inflateSync(outer.subarray(8));
  const isWhole = outer.readUInt32BE(0) === V2_COMPRESSED_COOKIE && outer.readUInt32BE(4) === outer.length - 8;
  const isOurs = inner.readUInt32BE(0) === V2_COOKIE && inner.readUInt32BE(12) === SIGNIFICANT_DIGITS;
  if (isWhole && isOurs && inner.readUInt32BE(4) === inner.length - HEAD_BYTES)
    return checkedCounts(inner.subarray(HEAD_BYTES));
  throw new Error('it has the wrong head');
}

/**
 * Packs into as few bytes as the text of `encode`. Compressing and decoding that text takes a hundred times as long as adding the
 * histogram to another one, and a coordinator receives thousands per second.
 */
export function pack(histogram: Histogram): PackedHistogram {
  return packed((add) => eachIndex(histogram, (_walked, index, count) => add(index, count)));
}

/** @param walk calls back with each index that has a count, in ascending order. */
function packed(walk: (add: (index: number, count: number) => void) => void): PackedHistogram {
  const bytes: number[] = [];
  let next = 0;
  walk((index, count) => {
    const zeros = index - next;
    if (zeros > 0) appendNumber(bytes, zeros === 1 ? 0 : 2 * zeros - 1);
    appendNumber(bytes, 2 * count);
    next = index + 1;
  });
  return Uint8Array.from(bytes);
}

/** A few values, packed like a histogram: takes time and memory for each value instead of each bucket. */
export type ValueList = Pick<Histogram, 'recordValue' | 'totalCount'> & {
  /** Packs the values and removes them. */
  take(): PackedHistogram;
};

export function createValueList(): ValueList {
  let indexes: number[] = [];
  return {
    get totalCount() {
      return indexes.length;
    },
    recordValue: (microseconds) => void indexes.push(SCALE.countsArrayIndex(microseconds)),
    take: () => {
      const sorted = Uint32Array.from(indexes).sort();
      indexes = [];
      return packed((add) => {
        for (let from = 0, to = 0; from < sorted.length; from = to) {
          while (to < sorted.length && sorted[to] === sorted[from]) to++;
          add(sorted[from] as number, to - from);
        }
      });
    },
  };
}

/** Checks counts that were stored. @throws Error if there is a value that no histogram can have */
export function checkedCounts(bytes: PackedHistogram): PackedHistogram {
  if (eachPacked(bytes, () => {}) > SCALE.countsArrayIndex(MAX_MICROSECONDS) + 1)
    throw new Error('it has too large values');
  return bytes;
}

export function unpacked(values: AnyHistogram): Histogram {
  return values instanceof Uint8Array ? unpack(values) : values;
}

export function unpack(packed: PackedHistogram): Histogram {
  const histogram = createHistogram();
  mergePacked(histogram, packed);
  return histogram;
}

/** A value's index does not depend on how far a histogram has grown. The library's way from an index by its value takes four times as long. */
function mergePacked(into: Histogram, packed: PackedHistogram): void {
  const target = walkable(into);
  let total = 0;
  let first = 0;
  const end = eachPacked(packed, (index, count) => {
    if (total === 0) first = index;
    total += count;
    if (index < target.countsArrayLength) target.addToCountAtIndex(index, count);
    else {
      target.recordValueWithCount(target.valueFromIndex(index), count);
      target.addToTotalCount(-count);
    }
  });
  if (packed.length === 0) return;
  target.addToTotalCount(total);
  if (total > 0) target.updateMinAndMax(target.valueFromIndex(first));
  // As in a decoded histogram, the maximum is the upper bound of the last bucket.
  target.recordValueWithCount(target.highestEquivalentValue(target.valueFromIndex(end - 1)), 0);
}

/** Returns the index after the last count. */
function eachPacked(packed: PackedHistogram, visit: (index: number, count: number) => void): number {
  let index = 0;
  let number = 0;
  let scale = 1;
  for (const byte of packed) {
    number += (byte & LOW_BITS) * scale;
    if (byte > LOW_BITS) {
      scale *= LOW_BITS + 1;
      continue;
    }
    if (number % 2 === 1) index += (number + 1) / 2;
    else {
      if (number > 0) visit(index, number / 2);
      index++;
    }
    number = 0;
    scale = 1;
  }
  return index;
}

const LOW_BITS = 0x7f;

/** Appends seven bits per byte, lowest first; the eighth bit is set in all bytes but the last. */
function appendNumber(bytes: number[], number: number): void {
  let left = number;
  while (left > LOW_BITS) {
    bytes.push((left % (LOW_BITS + 1)) + LOW_BITS + 1);
    left = Math.floor(left / (LOW_BITS + 1));
  }
  bytes.push(left);
}

export function valueCount(values: AnyHistogram): number {
  if (!(values instanceof Uint8Array)) return values.totalCount;
  let sum = 0;
  eachPacked(values, (_, count) => {
    sum += count;
  });
  return sum;
}

/** Value in milliseconds that `percentile` (0 to 100) of all values do not exceed; `undefined` if there are none. */
export function percentileMs(histogram: Histogram, percentile: number): number | undefined {
  return histogram.totalCount === 0 ? undefined : histogram.getValueAtPercentile(percentile) / 1000;
}

// The library's own minimum and maximum are exact until the first merge and bucket bounds after it, so they would depend on how
// a fleet is split. The outermost percentiles are always bucket bounds.
export function minMs(histogram: Histogram): number | undefined {
  return percentileMs(histogram, 0);
}

export function maxMs(histogram: Histogram): number | undefined {
  return percentileMs(histogram, 100);
}

/** The library's own mean gives the same result and takes many times as long. */
export function meanMs(histogram: Histogram): number | undefined {
  if (histogram.totalCount === 0) return undefined;
  let sum = 0;
  eachCount(histogram, (walked, value, count) => {
    sum += walked.medianEquivalentValue(value) * count;
  });
  return sum / histogram.totalCount / 1000;
}

/** Counts values up to each ascending bound and above the previous one, then those above all. The sum is as accurate as their mean. */
export function countsByBound(
  histogram: Histogram,
  boundsMs: readonly number[],
): { readonly counts: readonly number[]; readonly sumMs: number } {
  const counts = boundsMs.map(() => 0).concat(0);
  let bound = 0;
  const sumMs = countsByValue(histogram, (valueMs, count) => {
    while (valueMs > (boundsMs[bound] ?? Number.POSITIVE_INFINITY)) bound++;
    counts[bound] = (counts[bound] ?? 0) + count;
  });
  return { counts, sumMs };
}

/** Visits each recorded value in ascending order, with its count. Returns the sum of all values in milliseconds, as accurate as their mean. */
export function countsByValue(histogram: AnyHistogram, visit: (valueMs: number, count: number) => void): number {
  let sum = 0;
  eachCount(histogram, (walked, value, count) => {
    sum += walked.medianEquivalentValue(value) * count;
    visit(walked.highestEquivalentValue(value) / 1000, count);
  });
  return sum / 1000;
}

export type AnyHistogram = Histogram | PackedHistogram;

/** Knows which value an index stands for, which is the same in all histograms. */
const SCALE = walkable(createHistogram());

function eachCount(histogram: AnyHistogram, visit: (walked: JsHistogram, value: number, count: number) => void): void {
  eachIndex(histogram, (walked, index, count) => visit(walked, walked.valueFromIndex(index), count));
}

function eachIndex(histogram: AnyHistogram, visit: (walked: JsHistogram, index: number, count: number) => void): void {
  if (histogram instanceof Uint8Array) {
    eachPacked(histogram, (index, count) => visit(SCALE, index, count));
    return;
  }
  const walked = walkable(histogram);
  let left = walked.totalCount;
  // Thousands of empty buckets below the smallest value took most of the time.
  const first = walked.getCountAtIndex(0) > 0 || left === 0 ? 0 : walked.countsArrayIndex(walked.minNonZeroValue);
  for (let index = first; left > 0; index++) {
    const count = walked.getCountAtIndex(index);
    if (count === 0) continue;
    visit(walked, index, count);
    left -= count;
  }
}

function walkable(histogram: Histogram): JsHistogram {
  if (histogram instanceof JsHistogram) return histogram;
  throw new TypeError('this kind of histogram cannot be walked through');
}

/** Percentile distribution in milliseconds, in the format of HdrHistogram's plotter (`.hgrm`). */
export function percentileDistribution(histogram: Histogram): string {
  return histogram.outputPercentileDistribution(TICKS_PER_HALF_DISTANCE, 1000);
}

const SHOWN_PERCENTILES = [50, 75, 90, 95, 99, 99.9] as const;

/** Figures of one clock, in milliseconds; `undefined` for an empty histogram. Walks through the histogram once, where each percentile would take a walk of its own. */
export function latencyOf(histogram: AnyHistogram): Latency | undefined {
  const count = valueCount(histogram);
  if (count === 0) return undefined;
  const ranks = SHOWN_PERCENTILES.map((percentile) => rankOf(percentile, count));
  const reached: number[] = [];
  let [passed, sum, min, max] = [0, 0, 0, 0];
  eachCount(histogram, (walked, value, times) => {
    if (passed === 0) min = walked.lowestEquivalentValue(value);
    max = walked.highestEquivalentValue(value);
    sum += walked.medianEquivalentValue(value) * times;
    passed += times;
    while (passed >= (ranks[reached.length] ?? Number.POSITIVE_INFINITY)) reached.push(max);
  });
  const [p50 = 0, p75 = 0, p90 = 0, p95 = 0, p99 = 0, p999 = 0] = reached.map((value) => rounded(value / 1000));
  const mean = rounded(sum / count / 1000);
  return { count, min: rounded(min / 1000), mean, p50, p75, p90, p95, p99, p999, max: rounded(max / 1000) };
}

/** How many values are at most the percentile. As in the library, the error of the multiplication does not make it one more. */
function rankOf(percentile: number, count: number): number {
  return Math.max(1, Math.ceil((percentile / 100) * count * (1 - Number.EPSILON)));
}

/** Rounds to three decimals: microseconds for values in milliseconds, and enough digits for a rate. */
export function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
