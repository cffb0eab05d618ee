import type { Cause } from './causes.ts';

/**
 * Causes as bits, in words of 32. Of a package any of them will do, and none means that every host has it; of a host they
 * are all that it has.
 */
export type Reasons = readonly number[];

export const ALWAYS: Reasons = [];

/** Each at the place of its bit. */
export type Known = readonly Cause[];

type Caused = { readonly causes: readonly Cause[] };

/** Gives each cause that is needed a bit, so that short lists need few. */
export function withReasons<One extends Caused>(
  all: readonly One[],
): { readonly known: Known; readonly members: readonly (One & { readonly reasons: Reasons })[] } {
  const known = [...new Set(all.flatMap(({ causes }) => causes))];
  const places = new Map(known.map((cause, place) => [cause, place]));
  const members = all.map((one) => ({ ...one, reasons: bitsOf(one.causes.map((cause) => places.get(cause) ?? 0)) }));
  return { known, members };
}

function bitsOf(places: readonly number[]): Reasons {
  const words: number[] = [];
  for (const place of places) {
    while (words.length <= place >> 5) words.push(0);
    words[place >> 5] = (words[place >> 5] ?? 0) | (1 << (place & 31));
  }
  return words;
}

/** What a host has at an instant (Unix ms). */
export function reasonsAt(known: Known, hostKey: number, unixMs: number): Reasons {
  const words: number[] = [];
  for (let first = 0; first < known.length; first += 32) {
    let word = 0;
    for (let i = first; i < known.length && i < first + 32; i++) {
      if ((known[i] as Cause).has(hostKey, unixMs)) word |= 1 << (i & 31);
    }
    words.push(word);
  }
  return words;
}

/** Whether something that any of these reasons brings is there. */
export function isThere(reasons: Reasons, host: Reasons): boolean {
  for (let i = 0; i < reasons.length; i++) if (((reasons[i] as number) & (host[i] as number)) !== 0) return true;
  return reasons.length === 0;
}

/** The same text for the same reasons. */
export function reasonsText(reasons: Reasons): string {
  return reasons.join(' ');
}
