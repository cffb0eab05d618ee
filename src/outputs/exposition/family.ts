import { countsByBound, type Histogram } from '../../metrics/recording/histogram.ts';

/** One metric of an exposition, with all its samples. Plain data, except for histograms, which are not copies. */
export type Family = { readonly help: string } & (
  | (Named<'counter' | 'gauge'> & { readonly samples: readonly Sample<number>[] })
  | (Named<'histogram'> & { readonly samples: readonly Sample<Spread>[] })
);

/** The name is in base units; a counter's name lacks its `_total`. */
type Named<Type> = { readonly name: string; readonly type: Type };

export type Labels = Readonly<Record<string, string | number>>;

export type Sample<Value = number> = { readonly labels: Labels; readonly value: Value };

/** Distribution of a metric: recorded durations, or values that were counted by size. */
export type Spread =
  | { readonly kind: 'recorded'; readonly histogram: Histogram }
  | ({ readonly kind: 'counted' } & Classes);

/** Values by size: the count up to each bound and above the previous one, and finally the count above all bounds. */
export type Classes = { readonly bounds: readonly number[]; readonly counts: readonly number[]; readonly sum: number };

/** From half a millisecond to beyond the timeout of a request. Equal for all runs, so that they can be added up. */
const BOUNDS_SECONDS = [
  ...[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5],
  ...[1, 2.5, 5, 10, 15, 30, 60],
];
const BOUNDS_MS = BOUNDS_SECONDS.map((seconds) => seconds * 1000);

/** Counts in seconds. Recorded values have the accuracy of their histogram: three digits. */
export function classesOf(distribution: Spread): Classes {
  if (distribution.kind === 'counted') return distribution;
  const { counts, sumMs } = countsByBound(distribution.histogram, BOUNDS_MS);
  return { bounds: BOUNDS_SECONDS, counts, sum: sumMs / 1000 };
}
