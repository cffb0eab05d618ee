import { collectingMs } from '../load/collecting-time.ts';
import type { Load } from '../load/timeline.ts';
import type { Core } from './core.ts';
import type { Arrival } from './waiting-arrivals.ts';

/** What falls due for an agent: with it, the result that it is about. */
export function arrivalOf(core: Core, agent: number, due: Due): Arrival {
  const { phase, load, dueMs } = due;
  const { operation, model } = load;
  if (operation !== 'packages') {
    return { operation, phase, dueMs, resultMs: dueMs, collectionMs: core.table.collectedMs(agent) };
  }
  const resultMs = dueMs - collectingMs(model, core.plan.seed, core.table.fleetIndex(agent));
  core.table.setCollected(agent, resultMs);
  return { operation, phase, dueMs, resultMs, collectionMs: resultMs };
}

type Due = { readonly phase: number; readonly load: Load; readonly dueMs: number };
