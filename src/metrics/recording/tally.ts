/** Counts by name; what never happened is absent. */
export type CountBy<K extends string> = Partial<Record<K, number>>;

export function addTally<K extends string>(into: CountBy<K>, from: Readonly<CountBy<K>>): void {
  for (const [key, count] of tallyEntries(from)) into[key] = (into[key] ?? 0) + count;
}

export function tallySum<K extends string>(tally: Readonly<CountBy<K>>): number {
  return tallyEntries(tally).reduce((sum, [, count]) => sum + count, 0);
}

export function tallyEntries<K extends string>(tally: Readonly<CountBy<K>>): [K, number][] {
  return Object.entries(tally) as [K, number][];
}

/** Returns the same counts sorted by name, so that reading and writing them again gives the same text. */
export function plainTally<K extends string>(tally: Readonly<CountBy<K>>): Record<string, number> {
  return Object.fromEntries(tallyEntries(tally).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The counts, highest first; equal ones in their order. */
export function mostFrequent<K extends string>(tally: Readonly<CountBy<K>>): readonly [K, number][] {
  return tallyEntries(tally).sort(([, a], [, b]) => b - a);
}
