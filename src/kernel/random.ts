/**
 * Random values as functions of their coordinates: the same seed, label and numbers give the same value
 * everywhere and at any time, and one label's values never depend on another's.
 */

/** Hashes a label and any whole numbers into 32 bits. Numbers above 2^32 count with all their 53 bits. */
export function hash32(seed: number, label: string, ...coordinates: number[]): number {
  let state = begin(seed, label);
  for (const coordinate of coordinates) state = mix(state, coordinate);
  return finish(state);
}

/** `hash32` of one seed and label for any number of times: the same values without walking the label each time. */
export function labeled(seed: number, label: string): (coordinate: number) => number {
  const state = begin(seed, label);
  return (coordinate) => finish(mix(state, coordinate));
}

/** A value in [0, 1) for these coordinates. */
export function uniform(seed: number, label: string, ...coordinates: number[]): number {
  return hash32(seed, label, ...coordinates) / 0x1_0000_0000;
}

/** A whole number in [low, high] for these coordinates. */
export function integerBetween(low: number, high: number, value: number): number {
  return low + Math.floor(value * (high - low + 1));
}

/** The n-th value in [0, 1) of the golden-ratio sequence: any run of it, or any stride of it, is evenly spread. */
export function spread(n: number): number {
  return (n * 0.618_033_988_749_894_9 + 0.5) % 1;
}

/**
 * A shuffle of the whole numbers below `count`, at most 2^53: each has a place of its own below `count`, and no table is
 * kept. A Feistel network permutes the numbers of the next even count of bits; what falls beyond goes through it again.
 */
export function shuffled(seed: number, label: string, count: number): (n: number) => number {
  const side = 2 ** Math.max(1, Math.ceil(Math.log2(count) / 2));
  const rounds = [0, 1, 2, 3].map((round) => labeled(seed, `${label}.${round}`));
  return (n) => {
    let place = n;
    do {
      let left = Math.floor(place / side);
      let right = place % side;
      for (const round of rounds) {
        const mixed = left ^ (round(right) % side);
        left = right;
        right = mixed;
      }
      place = left * side + right;
    } while (place >= count);
    return place;
  };
}

/** A stream of values in [0, 1) from one 32-bit state (mulberry32). */
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

// murmur3's block step and finaliser: well-known avalanche behavior at a few nanoseconds a word.
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
