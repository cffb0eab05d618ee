import { type Cell, type CellValues, valueAt } from '../document/nodes.ts';
import { unit } from '../host/noise.ts';

type Chance = { readonly key: number; readonly checkMs: number };

/** Fills the cells with their indices in random order. It differs in each run, like the agent's order of maps. */
export function fillOrder(frame: CellValues, cells: readonly Cell[], { key, checkMs }: Chance): void {
  const run = Math.floor(checkMs / 1000) | 0;
  cells.forEach((cell, index) => {
    frame[cell] = index;
  });
  for (let i = cells.length - 1; i > 0; i--) {
    const here = cells[i] as Cell;
    const other = cells[Math.floor(unit(key + i, run) * (i + 1))] as Cell;
    const index = valueAt(frame, here);
    frame[here] = valueAt(frame, other);
    frame[other] = index;
  }
}
