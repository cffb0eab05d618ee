const CHOICE = 'one of ';

/** The expectation of a value or name out of a few. */
export function oneOf(candidates: readonly string[]): string {
  return candidates.length === 1 ? candidates.join() : CHOICE + candidates.join(', ');
}

/** The candidates that an expectation written by `oneOf` lists; none for any other expectation. */
export function candidatesIn(expectation: string): readonly string[] {
  if (expectation.startsWith(CHOICE)) return expectation.slice(CHOICE.length).split(', ');
  return expectation.includes(' ') ? [] : [expectation];
}
