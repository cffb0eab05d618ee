import type { Cell, Cells, CellValues } from '../document/cells.ts';
import { integer, type Node, text } from '../document/nodes.ts';

/** A text with numbers in it that follow from a revision: `times` × revision + `plus`. */
export type Pattern = readonly (string | Term)[];
export type Term = { readonly times: number; readonly plus: number };

const REVISION: Term = { times: 1, plus: 0 };
const TERM = /\{(\d*)r([+-]\d+)?\}/;

/** From a text such as `6.8.0-{r}.{r+1}` or `6.1.{3r+24}-1`. */
export function patternOf(source: string): Pattern {
  const pieces: (string | Term)[] = [];
  let rest = source;
  for (let match = TERM.exec(rest); match !== null; match = TERM.exec(rest)) {
    pieces.push(rest.slice(0, match.index), { times: Number(match[1] || 1), plus: Number(match[2] ?? 0) });
    rest = rest.slice(match.index + match[0].length);
  }
  return [...pieces, rest];
}

/** Around one number, the revision itself. */
export function revisedPattern(head: string, tail: string): Pattern {
  return [head, REVISION, tail];
}

function isFixed(pattern: Pattern): boolean {
  return pattern.every((piece) => typeof piece === 'string');
}

/** The text for a revision. */
export function patternText(pattern: Pattern, revision: number): string {
  return pattern.map((piece) => (typeof piece === 'string' ? piece : piece.times * revision + piece.plus)).join('');
}

/** The cells in which one revision and the numbers that follow from it stand. */
export type RevisionCells = {
  readonly node: (pattern: Pattern) => Node;
  readonly fill: (frame: CellValues, revision: number) => void;
};

export function revisionCells(cells: Cells): RevisionCells {
  const terms: (Term & { readonly cell: Cell })[] = [{ ...REVISION, cell: cells.one() }];
  const cellOf = ({ times, plus }: Term) => {
    const known = terms.find((term) => term.times === times && term.plus === plus);
    if (known !== undefined) return known.cell;
    const term = { times, plus, cell: cells.one() };
    terms.push(term);
    return term.cell;
  };
  return {
    node(pattern) {
      if (isFixed(pattern)) return pattern.join('');
      return text(...pattern.map((piece) => (typeof piece === 'string' ? piece : integer(cellOf(piece)))));
    },
    fill(frame, revision) {
      for (const { times, plus, cell } of terms) frame[cell] = times * revision + plus;
    },
  };
}
