/**
 * Random values as functions of their coordinates. The same seed, label and numbers always give the same value, and the values of one label
 * never depend on another.
 */

/** Hashes a label and any number of integers to 32 bits. Numbers above 2^32 count with all their 53 bits. */
export function hash32(seed: number, label: string, ...coordinates: number[]): number {
  let state = begin(seed, label);
  for (const coordinate of coordinates) state = mix(state, coordinate);
  return finish(state);
}

/** `hash32` for a fixed seed and label with one coordinate; hashes the label only once. */
export function labeled(seed: number, label: string): (coordinate: number) => number {
  const state = begin(seed, label);
  return (coordinate) => finish(mix(state, coordinate));
}

/** A value in [0, 1) for these coordinates. */
export function uniform(seed: number, label: string, ...coordinates: number[]): number {
  return hash32(seed, label, ...coordinates) / 0x1_0000_0000;
}

/** The n-th value in [0, 1) of the golden-ratio sequence: any consecutive or evenly strided part of it is evenly distributed. */
export function spread(n: number): number {
  return (n * 0.618_033_988_749_894_9 + 0.5) % 1;
}

/**
 * A permutation of the integers below `count`, at most 2^53, without a table. A Feistel network permutes the integers of the next even
 * number of bits; results beyond `count` pass through it again.
 */
export function shuffled(seed: number, label: string, count: number): (n: number) => number {
  const side = 2 ** Math.max(1, Math.ceil(Math.log2(count) / 2));
  const rounds = [0, 1, 2, 3].map((round) => labeled(seed, `${label}.${round}`));
  return (n) => {
    let value = n;
    do {
      let left = Math.floor(value / side);
      let right = value % side;
      for (const round of rounds) {
        const mixed = left ^ (round(right) % side);
        left = right;
        right = mixed;
      }
      value = left * side + right;
    } while (value >= count);
    return value;
  };
}

/** A stream of values in [0, 1) from a 32-bit state (mulberry32). */
export function randomStream(seed32: number): () => number {
  let state = seed32 | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let word = Math.imul(state ^ (state >>> 15), 1 | state);
    word = (word + Math.imul(word ^ (word >>> 7), 61 | word)) ^ word;
    return ((word ^ (word >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

function begin(seed: number, label: string): number {
  let state = mix(0x9e3779b9, seed);
  for (let i = 0; i < label.length; i++) state = step(state, label.charCodeAt(i));
  return state;
}

function mix(state: number, value: number): number {
  const low = step(state, value | 0);
  return step(low, Math.floor(value / 0x1_0000_0000) | 0);
}

// Block step and finalizer of murmur3: well-known avalanche behavior at a few nanoseconds per word.
function step(state: number, word: number): number {
  let k = Math.imul(word, 0xcc9e2d51);
  k = Math.imul((k << 15) | (k >>> 17), 0x1b873593);
  const mixed = state ^ k;
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0;
}

function finish(state: number): number {
  let h = state ^ (state >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
