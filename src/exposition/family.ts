/** One metric of an exposition, with all its samples. Plain data. */
export type Family = {
  /** In base units; of a counter without its `_total`. */
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly samples: readonly Sample[];
};

export type Labels = Readonly<Record<string, string | number>>;

export type Sample = {
  readonly labels: Labels;
  readonly value: number;
  /** Which part of a histogram it is. */
  readonly suffix?: '_bucket' | '_sum' | '_count';
};

/** Values by size: how many are up to each bound and above the one before, and at last how many are above all. */
export type Classes = { readonly bounds: readonly number[]; readonly counts: readonly number[]; readonly sum: number };

export function histogramSamples(labels: Labels, { bounds, counts, sum }: Classes): Sample[] {
  let count = 0;
  const buckets = [...bounds, Number.POSITIVE_INFINITY].map((bound, index): Sample => {
    count += counts[index] ?? 0;
    return { suffix: '_bucket', labels: { ...labels, le: boundText(bound) }, value: count };
  });
  return [...buckets, { suffix: '_sum', labels, value: sum }, { suffix: '_count', labels, value: count }];
}

/** As OpenMetrics wants it in either format: two scrapes must not disagree about a label. */
function boundText(bound: number): string {
  if (bound === Number.POSITIVE_INFINITY) return '+Inf';
  return Number.isInteger(bound) ? `${bound}.0` : `${bound}`;
}

/** A metric, and what it says of each item. */
export type Metric<Item> = Omit<Family, 'samples'> & {
  readonly samples: (item: Item, labels: Labels) => readonly Sample[];
};

/** An item, and the labels that tell it from the others. */
export type Labelled<Item> = { readonly item: Item; readonly labels: Labels };

export function familiesOf<Item>(metrics: readonly Metric<Item>[], items: readonly Labelled<Item>[]): Family[] {
  return metrics.map(({ samples, ...metric }) => ({
    ...metric,
    samples: items.flatMap(({ item, labels }) => samples(item, labels)),
  }));
}
