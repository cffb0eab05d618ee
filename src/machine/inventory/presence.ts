import type { Cell, Cells, CellValues } from '../document/cells.ts';
import { type Node, type Optional, optional } from '../document/nodes.ts';
import { ALWAYS, isThere, type Reasons, reasonsText } from './reasons.ts';

type Reasoned = { readonly reasons: Reasons };

export type Presence = {
  /** A list element that is there if the host has any of the reasons. */
  readonly entry: (of: Reasoned, node: Node) => Node | Optional;
  readonly fill: (frame: CellValues, host: Reasons) => void;
};

/** One cell for all that the same reasons bring: whether the host has it. */
export function presenceCells(all: readonly Reasoned[], cells: Cells): Presence {
  const rows = new Map<string, { readonly reasons: Reasons; readonly cell: Cell }>();
  for (const { reasons } of all) {
    const key = reasonsText(reasons);
    if (key !== reasonsText(ALWAYS) && !rows.has(key)) rows.set(key, { reasons, cell: cells.one() });
  }
  const distinct = [...rows.values()];
  return {
    entry({ reasons }, node) {
      const row = rows.get(reasonsText(reasons));
      return row === undefined ? node : optional(row.cell, node);
    },
    fill(frame, host) {
      for (const { reasons, cell } of distinct) frame[cell] = isThere(reasons, host) ? 1 : 0;
    },
  };
}
