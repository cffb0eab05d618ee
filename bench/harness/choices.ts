/** All combinations of the values in `path=one|other` texts, each as `path=value` texts; none if there are no texts. */
export function choicesOf(sets: readonly string[]): readonly (readonly string[])[] {
  if (sets.length === 0) return [];
  return sets.reduce<readonly (readonly string[])[]>(
    (all, set) => all.flatMap((chosen) => valuesOf(set).map((one) => [...chosen, one])),
    [[]],
  );
}

function valuesOf(set: string): readonly string[] {
  const path = set.slice(0, set.indexOf('=') + 1);
  return set
    .slice(path.length)
    .split('|')
    .map((value) => `${path}${value}`);
}
