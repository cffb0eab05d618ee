/**
 * A function that remembers what it made, so that many equal texts are worked on once. At `most` results it forgets all of
 * them: what was made twice costs time and nothing else.
 */
export function remembered<T>(most: number, make: (text: string) => T): (text: string) => T {
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
