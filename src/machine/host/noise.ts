import { hash32, labeled } from '../../kernel/random.ts';

/*
 * Cheap noise as closed functions of place: the hot path calls these hundreds of times per document, so they take one
 * key made beforehand instead of labels. Slopes are bounded, which is what keeps counters from ever falling.
 */

/** The keys of a fleet's hosts. */
export function hostKeys(seed: number): (agent: number) => number {
  const hash = labeled(seed, 'machine');
  return (agent) => hash(agent) | 0;
}

/** The label of a random stream as a number, made once; `keyOf` then gives each host its own stream for it. */
export function streamLabel(label: string): number {
  return hash32(0, label);
}

/** A key made from a key and a label or number: mixed bits with a sign, which the engine keeps without a box. */
export function keyOf(key: number, n: number): number {
  return mixed(key, n);
}

/** 32 well-mixed bits for a key and a whole number. */
export function scramble(key: number, n: number): number {
  return mixed(key, n) >>> 0;
}

/** A value in [0, 1). */
export function unit(key: number, n: number): number {
  return (mixed(key, n) >>> 0) / 0x1_0000_0000;
}

function mixed(key: number, n: number): number {
  let h = Math.imul(key ^ Math.imul(n, 0x9e3779b1), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
  return h ^ (h >>> 15);
}

/** Smooth noise in [-1, 1] with zero slope at whole numbers and a slope of 3 at most between. */
export function smoothNoise(key: number, x: number): number {
  const left = Math.floor(x);
  const share = x - left;
  const from = unit(key, left);
  const to = unit(key, left + 1);
  return 2 * (from + (to - from) * share * share * (3 - 2 * share)) - 1;
}

/**
 * Makes time run unevenly: slopes lie within 1 ± `strength` (below 1), changing every `grid`. Warps of warps give
 * bursts, and what is counted along warped time only ever grows.
 */
export function warp(x: number, key: number, shape: { readonly grid: number; readonly strength: number }): number {
  return x + ((shape.strength * shape.grid) / 3) * smoothNoise(key, x / shape.grid);
}

/**
 * Makes what happens come in bursts: each half of a block gets a share of its own of what the whole has, and so do its halves,
 * `depth` times (a multiplicative cascade). Shares lie within a half ± `strength` / 2. Whole blocks keep what they have, so that
 * the mean stays; a burst may have dozens of times as much as the median. What is counted along it only ever grows.
 */
export function bursts(x: number, key: number, { block, depth, strength }: Bursts): number {
  const number = Math.floor(x / block);
  const own = mixed(key, number);
  let passed = number * block;
  let width = block;
  let span = block;
  let left = x - passed;
  let node = 1;
  for (let level = 0; level < depth; level++) {
    span /= 2;
    const share = 0.5 + strength * (unit(own, node) - 0.5);
    node *= 2;
    if (left < span) width *= share;
    else {
      passed += width * share;
      width *= 1 - share;
      left -= span;
      node++;
    }
  }
  return passed + (width * left) / span;
}

export type Bursts = { readonly block: number; readonly depth: number; readonly strength: number };

/** Hosts whose chance under a name lies between the two. What has one name excludes each other where these do. */
export type Draw = { readonly name: string; readonly from: number; readonly to: number };

/** Whether a host has what is drawn: the same wherever it is asked. */
export function drawn({ name, from, to }: Draw): (hostKey: number) => boolean {
  const label = streamLabel(`service.installed.${name}`);
  return (hostKey) => {
    const chance = unit(keyOf(hostKey, label), 0);
    return from <= chance && chance < to;
  };
}

/** On which share of the hosts it is. */
export function shareOfHosts(draw: Draw | undefined): number {
  return draw === undefined ? 1 : draw.to - draw.from;
}
