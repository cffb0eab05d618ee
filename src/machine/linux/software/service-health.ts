import type { Cells, Row } from '../../document/cells.ts';
import type { Fill } from '../../part.ts';
import { DOWN, serviceState } from '../../time/failures.ts';
import { keyOf, streamLabel } from '../../time/moment.ts';

/** Whether a service is up (1 or 0), and which of its lives since boot it has. */
export type Health = Row<'up' | 'life'>;

export type ServiceHealth = {
  /** Undefined for a service that never fails. */
  readonly of: (unit: string | undefined) => Health | undefined;
  readonly fill: Fill;
};

/** The services of a host that fail now and then: their units and their processes must tell the same. */
export function serviceHealth(units: readonly string[], cells: Cells): ServiceHealth {
  const healths = units.map((name) => ({ name, label: streamLabel(`service.${name}`), ...cells.row('up', 'life') }));
  return {
    of: (unit) => healths.find(({ name }) => name === unit),
    fill(frame, moment) {
      for (const { label, up, life } of healths) {
        const state = serviceState(keyOf(moment.hostKey, label), moment);
        frame[up] = state === DOWN ? 0 : 1;
        frame[life] = Math.max(0, state);
      }
    },
  };
}
