import type { Cell, Cells, CellValues } from '../document/cells.ts';
import { type Node, type Optional, optional } from '../document/nodes.ts';
import { ALWAYS, isThere } from './groups.ts';

type Grouped = { readonly groups: number };

export type Presence = {
  /** A list element that is there if the host has any of the groups. */
  readonly entry: (of: Grouped, node: Node) => Node | Optional;
  readonly fill: (frame: CellValues, mask: number) => void;
};

/** One cell for all that the same groups bring: whether the host has it. */
export function presenceCells(all: readonly Grouped[], cells: Cells): Presence {
  const cellOf = new Map<number, Cell>();
  for (const { groups } of all) if (groups !== ALWAYS && !cellOf.has(groups)) cellOf.set(groups, cells.one());
  const rows = [...cellOf].map(([groups, cell]) => ({ groups, cell }));
  return {
    entry({ groups }, node) {
      const cell = cellOf.get(groups);
      return cell === undefined ? node : optional(cell, node);
    },
    fill(frame, mask) {
      for (const { groups, cell } of rows) frame[cell] = isThere(groups, mask) ? 1 : 0;
    },
  };
}
