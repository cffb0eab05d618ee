import { type Cell, type Cells, hex, type Text, text } from '../document/nodes.ts';
import { keyOf, scramble, streamLabel } from '../host/noise.ts';
import type { Fill } from '../host/part.ts';

/** Values that no two hosts share: UUIDs, the second half of hardware addresses, and other long hexadecimal numbers. */
const DASH = String.raw`(?:-|\\x2d)`;
const UUID = `[0-9a-f]{8}(?:${DASH}[0-9a-f]{4}){3}${DASH}[0-9a-f]{12}`;
const MAC = '(?<=\\b(?:[0-9a-f]{2}:){3})[0-9a-f]{2}:[0-9a-f]{2}:[0-9a-f]{2}\\b(?!:)';
const NUMBER = '(?<![0-9a-z])(?=[a-f]*[0-9])(?=[0-9]*[a-f])(?:[0-9a-f]{32,64}|[0-9a-f]{12})(?![0-9a-z])';
const IDENTITY = new RegExp(`${UUID}|${MAC}|${NUMBER}`, 'g');
const SEPARATOR = /(\\x2d|-|:)/;
const MOST_DIGITS = 8;

const IDENTITIES = streamLabel('recorded.identities');

export type OwnIdentities = {
  /** Returns the text with the host's own identities. */
  readonly told: (line: string) => string | Text;
  readonly fill: Fill;
};

/** An identity that occurs several times or in several spellings stays one identity on each host. */
export function identities(cells: Cells): OwnIdentities {
  const known = new Map<string, Cell>();
  const widths: { readonly cell: Cell; readonly below: number }[] = [];
  const slot = (piece: string) => {
    const width = Math.min(MOST_DIGITS, piece.length);
    const cell = known.get(piece) ?? cells.one();
    if (!known.has(piece)) {
      known.set(piece, cell);
      widths.push({ cell, below: 16 ** width });
    }
    return hex(cell, width);
  };
  const parts = (identity: string): Text['parts'] => {
    return identity.split(SEPARATOR).flatMap((piece, place): Text['parts'] => {
      if (place % 2 === 1) return [piece];
      const count = Math.ceil(piece.length / MOST_DIGITS);
      return Array.from({ length: count }, (_, n) => slot(piece.slice(n * MOST_DIGITS, (n + 1) * MOST_DIGITS)));
    });
  };
  return {
    told(line) {
      const matches = [...line.matchAll(IDENTITY)];
      if (matches.length === 0) return line;
      const pieces: Text['parts'][number][] = [];
      let at = 0;
      for (const { 0: identity, index } of matches) {
        pieces.push(line.slice(at, index), ...parts(identity));
        at = index + identity.length;
      }
      return text(...pieces, line.slice(at));
    },
    fill(frame, { hostKey }) {
      const key = keyOf(hostKey, IDENTITIES);
      for (let i = 0; i < widths.length; i++) {
        const { cell, below } = widths[i] as (typeof widths)[number];
        frame[cell] = scramble(key, i) % below;
      }
    },
  };
}
