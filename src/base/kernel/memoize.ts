/** Returns a function that computes its value on the first call, then releases what it was computed from and returns the same value. */
export function once<T>(make: () => T): () => T {
  let state: { readonly make: () => T } | { readonly value: T } = { make };
  return () => {
    if ('make' in state) state = { value: state.make() };
    return state.value;
  };
}

/** Computes a value once per object. It lives as long as the object. */
export function oncePerObject<Key extends object, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const made = new WeakMap<Key, { readonly value: Made }>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known.value;
    const value = make(key);
    made.set(key, { value });
    return value;
  };
}

/** Caches results by text. When `maxEntries` results are cached, all are dropped, which only costs time. */
export function memoized<T>(maxEntries: number, make: (text: string) => T): (text: string) => T {
  const made = new Map<string, T>();
  return (text) => {
    const known = made.get(text);
    if (known !== undefined) return known;
    const value = make(text);
    if (made.size >= maxEntries) made.clear();
    made.set(text, value);
    return value;
  };
}
