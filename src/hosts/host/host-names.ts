import { type Cells, slot, type Text } from '../document/nodes.ts';
import type { Fill } from './part.ts';

/**
 * The names of a fleet's hosts: a word, a country and a number of five digits, with dashes between them. Names are given out on the
 * wire, so callers pass them in.
 */
export type FleetHostNames = {
  readonly words: readonly string[];
  readonly countries: readonly string[];
  /** Indices of word and country, and the number. */
  readonly of: (agent: number) => readonly [word: number, country: number, number: number];
};

const UNNAMED: FleetHostNames = { words: ['host'], countries: ['local'], of: (agent) => [0, 0, agent] };
const DIGITS = [...'0123456789abcdefghijklmnopqrstuvwxyz'];
const PLACES = [4, 3, 2, 1, 0] as const;

/** The name of a host as text of a document. Without names, hosts are numbered. */
export function hostName(
  names: FleetHostNames | undefined,
  cells: Cells,
): { readonly node: Text; readonly fill: Fill } {
  const { words, countries, of } = names ?? UNNAMED;
  const row = cells.row('word', 'country');
  const digits = PLACES.map((place) => ({ place, cell: cells.one() }));
  const number = digits.map(({ cell }) => slot.word(cell, DIGITS));
  return {
    node: slot.text(slot.word(row.word, words), '-', slot.word(row.country, countries), '-', ...number),
    fill(frame, { agent }) {
      const [own, country, digitsOf] = of(agent);
      frame[row.word] = own;
      frame[row.country] = country;
      for (const { place, cell } of digits) frame[cell] = Math.floor(digitsOf / 36 ** place) % 36;
    },
  };
}
