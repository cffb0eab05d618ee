const CHOICE = 'one of ';

/** The expectation of a value or name out of a few. */
export function oneOf(candidates: readonly string[]): string {
  return candidates.length === 1 ? candidates.join() : CHOICE + candidates.join(', ');
}

/** The candidates that an expectation written by `oneOf` lists, up to what else there is; none for any other. */
export function candidatesIn(expectation: string): readonly string[] {
  if (expectation.startsWith(CHOICE)) {
    const [names = ''] = expectation.slice(CHOICE.length).split(', or ');
    return names.split(', ');
  }
  return expectation.includes(' ') ? [] : [expectation];
}
