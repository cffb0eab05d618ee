import { type Cell, type Cells, type Chain, nth, slot, valueAt } from '../../document/nodes.ts';
import type { Fill } from '../../host/part.ts';
import type { Listed } from './common.ts';

/** Instead of a cell, for processes that are always present. */
const ALWAYS = -1;

/** A list of processes in the order of their PIDs, as `ps` lists them even after restarts. Filled after the PIDs, without those that are absent. */
export function inOrderOfPids(all: readonly Listed[], cells: Cells): { readonly node: Chain; readonly fill: Fill } {
  const first = cells.one();
  const next = cells.column(all.length);
  const pids = Int32Array.from(all, ({ pid }) => pid);
  const presences = Int32Array.from(all, ({ present = ALWAYS }) => present);
  const order = new Int32Array(all.length);
  const numbers = new Float64Array(all.length);
  const fill: Fill = (frame) => {
    let count = 0;
    // An insertion sort: few processes are out of order, so insertions are near the end.
    for (let index = 0; index < pids.length; index++) {
      const present = presences[index] as number;
      if (present !== ALWAYS && valueAt(frame, present as Cell) === 0) continue;
      const pid = valueAt(frame, pids[index] as Cell);
      let at = count++;
      for (; at > 0 && (numbers[at - 1] as number) > pid; at--) {
        order[at] = order[at - 1] as number;
        numbers[at] = numbers[at - 1] as number;
      }
      order[at] = index;
      numbers[at] = pid;
    }
    let last = first;
    for (let at = 0; at < count; at++) {
      const index = order[at] as number;
      frame[last] = index;
      last = nth(next, index);
    }
    frame[last] = pids.length;
  };
  const nodes = all.map(({ node }) => node);
  return { node: slot.chain(first, next, nodes), fill };
}
