import { memoized } from '../../base/kernel/memoize.ts';
import { slot, type Text } from '../document/nodes.ts';
import { scramble, streamLabel } from '../host/noise.ts';
import type { LiveCells } from './template.ts';

/** Values that no two hosts share: UUIDs, the second half of hardware addresses, and other long hexadecimal numbers. */
const DASH = String.raw`(?:-|\\x2d)`;
const UUID = `[0-9a-f]{8}(?:${DASH}[0-9a-f]{4}){3}${DASH}[0-9a-f]{12}`;
const MAC = '(?<=\\b(?:[0-9a-f]{2}:){3})[0-9a-f]{2}:[0-9a-f]{2}:[0-9a-f]{2}\\b(?!:)';
const NUMBER = '(?<![0-9a-z])(?=[a-f]*[0-9])(?=[0-9]*[a-f])(?:[0-9a-f]{32,64}|[0-9a-f]{12})(?![0-9a-z])';
const IDENTITY = new RegExp(`(${UUID}|${MAC}|${NUMBER})`, 'g');
const SEPARATOR = /(\\x2d|-|:)/;
/** Digits of an identity that one cell holds. */
const PIECES = /.{1,8}/g;

/** Returns a text with the host's own identities. */
export type WithIdentities = (line: string) => string | Text;

/** An identity that occurs several times or in several spellings stays one identity on each host. */
export function identities({ filled }: LiveCells): WithIdentities {
  const digits = memoized(Number.POSITIVE_INFINITY, (piece) => {
    const label = streamLabel(`recorded.identity.${piece}`);
    const below = 16 ** piece.length;
    const cell = filled(({ hostKey }) => scramble(hostKey, label) % below);
    return slot.hex(cell, piece.length);
  });
  // Splitting by a group keeps what it matches at the odd places.
  const parts = (identity: string) =>
    identity.split(SEPARATOR).flatMap((piece, index): Text['parts'] => {
      return index % 2 === 1 ? [piece] : (piece.match(PIECES) ?? []).map(digits);
    });
  return (line) => {
    const pieces = line.split(IDENTITY);
    if (pieces.length === 1) return line;
    return slot.text(...pieces.flatMap((piece, index) => (index % 2 === 1 ? parts(piece) : [piece])));
  };
}
