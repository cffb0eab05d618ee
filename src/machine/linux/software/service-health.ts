import type { Cells } from '../../document/nodes.ts';
import type { Fill } from '../../part.ts';
import { DOWN, serviceState } from '../../time/failures.ts';
import { keyOf, streamLabel } from '../../time/moment.ts';

/** Two cells per service: whether it is up (1 or 0), and which of its lives since boot it has. */
export type ServiceHealth = {
  /** The first of the cells of a service, or undefined for one that never fails. */
  readonly cellOf: (unit: string | undefined) => number | undefined;
  readonly fill: Fill;
};

/** The services of a host that fail now and then: their units and their processes must tell the same. */
export function serviceHealth(units: readonly string[], cells: Cells): ServiceHealth {
  const first = cells.take(2 * units.length);
  const labels = units.map((name) => streamLabel(`service.${name}`));
  return {
    cellOf(unit) {
      const place = unit === undefined ? -1 : units.indexOf(unit);
      return place < 0 ? undefined : first + 2 * place;
    },
    fill(frame, moment) {
      for (let i = 0; i < labels.length; i++) {
        const state = serviceState(keyOf(moment.hostKey, labels[i] as number), moment);
        frame[first + 2 * i] = state === DOWN ? 0 : 1;
        frame[first + 2 * i + 1] = Math.max(0, state);
      }
    },
  };
}
