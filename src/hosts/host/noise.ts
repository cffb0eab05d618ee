import { hash32, labeled } from '../../base/kernel/random.ts';

/*
 * Cheap noise as a closed-form function of position. The hot path calls these functions hundreds of times per document, so they
 * take one precomputed key instead of labels. Bounded slopes ensure that counters never decrease.
 */

export function hostKeys(seed: number): (agent: number) => number {
  const hash = labeled(seed, 'machine');
  return (agent) => hash(agent) | 0;
}

/** The label of a random stream as a number, computed once. `keyOf` then derives each host's own stream. */
export function streamLabel(label: string): number {
  return hash32(0, label);
}

/** Derives a key from a key and a label or number. The result is signed, so that the JavaScript engine does not box it. */
export function keyOf(key: number, n: number): number {
  let h = Math.imul(key ^ Math.imul(n, 0x9e3779b1), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
  return h ^ (h >>> 15);
}

/** 32 well-mixed bits for a key and an integer. */
export function scramble(key: number, n: number): number {
  return keyOf(key, n) >>> 0;
}

/** A value in [0, 1). */
export function unit(key: number, n: number): number {
  return (keyOf(key, n) >>> 0) / 0x1_0000_0000;
}

/** A range over hosts: the least value, and how much more the largest is. */
export type ValueRange = readonly [least: number, more: number];

/** The value of a range at a share of it, in [0, 1). By index, because destructuring an array is slow, and each process needs some. */
export function inRange(range: ValueRange, share: number): number {
  return range[0] + range[1] * share;
}

/** A host with the figures of a recording has 80 to 120 % of them. Chosen. */
export const AROUND_RECORDED: ValueRange = [0.8, 0.4];

/** The choice at a random number in [0, 1). There is at least one. */
export function pick<Choice>(choices: readonly Choice[], chance: number): Choice {
  return choices[Math.floor(chance * choices.length)] as Choice;
}

/** The index of the weight whose share of the sum contains the point. */
export function weighted(weights: readonly number[], point: number): number {
  let rest = point;
  for (let index = 0; index < weights.length; index++) {
    rest -= weights[index] as number;
    if (rest < 0) return index;
  }
  return weights.length - 1;
}

/** Each row as often as its weight, which is a whole number; 0 if absent. */
export function byWeight<Weighted extends { readonly weight?: number | undefined }>(
  rows: readonly Weighted[],
): readonly Weighted[] {
  return rows.flatMap((row) => Array.from({ length: row.weight ?? 0 }, () => row));
}

/** Smooth noise in [-1, 1], with zero slope at integers and a slope of at most 3 in between. */
export function smoothNoise(key: number, x: number): number {
  const start = Math.floor(x);
  const share = x - start;
  const from = unit(key, start);
  const to = unit(key, start + 1);
  return 2 * (from + (to - from) * share * share * (3 - 2 * share)) - 1;
}

/**
 * Makes time run unevenly: slopes are within 1 ± `strength` (below 1) and change every `grid`. Nested warps produce bursts. Values
 * counted along warped time never decrease.
 */
export function warp(x: number, key: number, shape: { readonly grid: number; readonly strength: number }): number {
  return x + ((shape.strength * shape.grid) / 3) * smoothNoise(key, x / shape.grid);
}

/**
 * Makes events bursty with a multiplicative cascade: each half of a block gets a random share of the whole, and so do its halves,
 * `depth` times. Shares are within a half ± `strength` / 2. Whole blocks keep their amount, so the mean is unchanged, while a burst
 * may have dozens of times the median. Values counted along it never decrease.
 */
export function bursts(x: number, key: number, { block, depth, strength }: Bursts): number {
  const number = Math.floor(x / block);
  const own = keyOf(key, number);
  let sum = number * block;
  let width = block;
  let span = block;
  let rest = x - sum;
  let node = 1;
  for (let level = 0; level < depth; level++) {
    span /= 2;
    const share = 0.5 + strength * (unit(own, node) - 0.5);
    node *= 2;
    if (rest < span) width *= share;
    else {
      sum += width * share;
      width *= 1 - share;
      rest -= span;
      node++;
    }
  }
  return sum + (width * rest) / span;
}

export type Bursts = { readonly block: number; readonly depth: number; readonly strength: number };
