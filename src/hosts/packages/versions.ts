import { DAY_SECONDS } from '../../base/kernel/units.ts';
import { type Cell, type Cells, type CellValues, type Node, slot, type Text } from '../document/nodes.ts';
import { civilDate, EPOCH_SECONDS } from '../host/calendar.ts';
import type { UpdateLevel } from './updates.ts';

/** A text with numbers that depend on a revision: `times` × revision + `plus`. */
export type Pattern = readonly (string | RevisionTerm)[];
export type RevisionTerm = { readonly times: number; readonly plus: number };

const REVISION: RevisionTerm = { times: 1, plus: 0 };
const TERM = /\{(\d*)r([+-]\d+)?\}/;

/** Parses a text such as `6.8.0-{r}.{r+1}` or `6.1.{3r+24}-1`. */
export function patternOf(source: string): Pattern {
  const pieces: (string | RevisionTerm)[] = [];
  let rest = source;
  for (let match = TERM.exec(rest); match !== null; match = TERM.exec(rest)) {
    pieces.push(rest.slice(0, match.index), { times: Number(match[1] || 1), plus: Number(match[2] ?? 0) });
    rest = rest.slice(match.index + match[0].length);
  }
  return [...pieces, rest];
}

export function revisedPattern(head: string, tail: string): Pattern {
  return [head, REVISION, tail];
}

function isFixed(pattern: Pattern): boolean {
  return pattern.every((piece) => typeof piece === 'string');
}

export function patternText(pattern: Pattern, revision: number): string {
  return pattern.map((piece) => (typeof piece === 'string' ? piece : piece.times * revision + piece.plus)).join('');
}

export type RevisionCells = {
  readonly node: (pattern: Pattern) => Node;
  readonly fill: (frame: CellValues, revision: number) => void;
};

export function revisionCells(cells: Cells): RevisionCells {
  const terms: (RevisionTerm & { readonly cell: Cell })[] = [{ ...REVISION, cell: cells.one() }];
  const cellOf = ({ times, plus }: RevisionTerm) => {
    const known = terms.find((term) => term.times === times && term.plus === plus);
    if (known !== undefined) return known.cell;
    const term = { times, plus, cell: cells.one() };
    terms.push(term);
    return term.cell;
  };
  return {
    node(pattern) {
      if (isFixed(pattern)) return pattern.join('');
      return slot.text(...pattern.map((piece) => (typeof piece === 'string' ? piece : slot.integer(cellOf(piece)))));
    },
    fill(frame, revision) {
      for (const { times, plus, cell } of terms) frame[cell] = times * revision + plus;
    },
  };
}

/** A rolling distribution tests a day's packages before it publishes them under that day's date. */
const TESTING_DAYS = 2;

export type SnapshotVersion = {
  readonly node: Text;
  readonly fill: (frame: CellValues, installed: UpdateLevel) => void;
};

/** The version of a rolling distribution: the snapshot that the host was last updated to, as a date such as 20260113. */
export function snapshotVersion(cells: Cells): SnapshotVersion {
  const date = cells.row('year', 'month', 'day');
  return {
    node: slot.text(slot.integer(date.year), slot.padded(date.month, 2), slot.padded(date.day, 2)),
    fill(frame, installed) {
      const { year, month, day } = civilDate(Math.floor((EPOCH_SECONDS + installed.all) / DAY_SECONDS) - TESTING_DAYS);
      frame[date.year] = year;
      frame[date.month] = month;
      frame[date.day] = day;
    },
  };
}

/** Placeholder for it in the version of the package that names the snapshot. */
const SNAPSHOT = '{snapshot}';

export function snapshotText({ node }: SnapshotVersion, version: string): Node {
  return version.startsWith(SNAPSHOT) ? slot.text(...node.parts, version.slice(SNAPSHOT.length)) : version;
}

/** A text in which the number of a revision replaces each `~`. */
export function revisedText(pattern: string, cell: Cell): Node {
  if (!pattern.includes('~')) return pattern;
  return slot.text(
    ...pattern.split('~').flatMap((piece, index) => (index === 0 ? [piece] : [slot.integer(cell), piece])),
  );
}
