/** A function that makes its value at the first call and has it from then on. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/**
 * A function that keeps what it made, so that equal texts are worked on once. At `most` results it drops all of them:
 * what is made twice costs time and nothing else.
 */
export function memoized<T>(most: number, make: (text: string) => T): (text: string) => T {
  const made = new Map<string, T>();
  return (text) => {
    const known = made.get(text);
    if (known !== undefined) return known;
    const value = make(text);
    if (made.size >= most) made.clear();
    made.set(text, value);
    return value;
  };
}
