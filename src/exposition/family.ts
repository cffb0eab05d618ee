import { countsByBound, type Histogram } from '../metrics/recording/histogram.ts';

/** One metric of an exposition, with all its samples. Plain data, but for histograms, which are not copies. */
export type Family = { readonly help: string } & (
  | (Named<'counter' | 'gauge'> & { readonly samples: readonly Sample<number>[] })
  | (Named<'histogram'> & { readonly samples: readonly Sample<Spread>[] })
);

/** The name is in base units; of a counter without its `_total`. */
type Named<Type> = { readonly name: string; readonly type: Type };

export type Labels = Readonly<Record<string, string | number>>;

export type Sample<Value = number> = { readonly labels: Labels; readonly value: Value };

/** How values of a metric lie: durations as they were recorded, or counted by size from the first. */
export type Spread =
  | { readonly kind: 'recorded'; readonly histogram: Histogram }
  | ({ readonly kind: 'counted' } & Classes);

/** Values by size: how many are up to each bound and above the one before, and at last how many are above all. */
export type Classes = { readonly bounds: readonly number[]; readonly counts: readonly number[]; readonly sum: number };

/** From half a millisecond to beyond the time limit of a request; the same for all runs, so that they can be added up. */
const BOUNDS_SECONDS = [
  ...[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5],
  ...[1, 2.5, 5, 10, 15, 30, 60],
];
const BOUNDS_MS = BOUNDS_SECONDS.map((seconds) => seconds * 1000);

/** In seconds; what was recorded as exact as its histogram holds it: to three digits. */
export function classesOf(distribution: Spread): Classes {
  if (distribution.kind === 'counted') return distribution;
  const { counts, sumMs } = countsByBound(distribution.histogram, BOUNDS_MS);
  return { bounds: BOUNDS_SECONDS, counts, sum: sumMs / 1000 };
}

/** A metric, and what it says of each item. */
export type Metric<Item> = { readonly help: string } & (
  | (Named<'counter' | 'gauge'> & { readonly samples: Samples<Item, number> })
  | (Named<'histogram'> & { readonly samples: Samples<Item, Spread> })
);

type Samples<Item, Value> = (item: Item, labels: Labels) => readonly Sample<Value>[];

/** An item, and the labels that tell it from the others. */
export type Labeled<Item> = { readonly item: Item; readonly labels: Labels };

export function familiesOf<Item>(metrics: readonly Metric<Item>[], items: readonly Labeled<Item>[]): Family[] {
  const all = <Value>(samples: Samples<Item, Value>) => items.flatMap(({ item, labels }) => samples(item, labels));
  return metrics.map((metric) =>
    metric.type === 'histogram'
      ? { ...metric, samples: all(metric.samples) }
      : { ...metric, samples: all(metric.samples) },
  );
}
