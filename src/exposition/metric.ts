import type { Family, Labels, Sample } from './family.ts';

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
