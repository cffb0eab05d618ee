import type { Cells } from '../document/cells.ts';
import { either, type Node } from '../document/nodes.ts';
import type { Part } from '../part.ts';
import { type Incident, isRunning, ofKind } from './incident.ts';

const USUAL_ERROR = 'context deadline exceeded';

/** The check data with an error in the place of each check that incidents make fail. */
export function withErrors(part: Part, incidents: readonly Incident[], cells: Cells): Part {
  const errors = ofKind(incidents, 'check-error');
  const node = part.node as { readonly [key: string]: Node };
  const failing = [...new Set(errors.map(({ check }) => check))].filter((check) => check in node);
  if (failing.length === 0) return part;
  const forms = failing.map((check) => ({
    check,
    cell: cells.one(),
    causes: errors.filter((it) => it.check === check),
  }));
  const replaced = forms.map(({ check, cell, causes }) => {
    const texts = causes.map(({ error = USUAL_ERROR }) => ({ error }));
    return [check, either(cell, [node[check] as Node, ...texts])] as const;
  });
  return {
    node: { ...node, ...Object.fromEntries(replaced) },
    fill(frame, moment) {
      part.fill(frame, moment);
      for (const { cell, causes } of forms) {
        const cause = causes.findIndex((it) => moment.incidents.includes(it) && isRunning(it, moment.checkMs));
        frame[cell] = 1 + cause;
      }
    },
  };
}
