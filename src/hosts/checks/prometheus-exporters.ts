import { type Cell, type CellValues, slot, valueAt } from '../document/nodes.ts';
import { keyOf, streamLabel, unit } from '../host/noise.ts';
import { fixedPart, type PartOf } from '../host/part.ts';

const EXPORTERS = streamLabel('prometheus_exporters');

/** The check `prometheus_exporters`: the names of the configured exporters, in random order. */
export const prometheusExportersCheck: PartOf<readonly string[]> = (names, cells) => {
  if (names.length === 0) return fixedPart([]);
  const indices = cells.list(names.length);
  return {
    node: indices.map((index) => slot.either(index, names)),
    fill(frame, { hostKey, checkMs }) {
      fillOrder(frame, indices, { key: keyOf(hostKey, EXPORTERS), checkMs });
    },
  };
};

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
