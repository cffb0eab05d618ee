import { nth } from '../../document/cells.ts';
import { integer } from '../../document/nodes.ts';
import { fixedPart, type PartOf } from '../../part.ts';
import { keyOf, streamLabel } from '../../time/moment.ts';
import { smoothNoise, unit } from '../../time/noise.ts';

const SENSORS = streamLabel('sensors');

export type SensorsInput = { readonly labels: readonly string[]; readonly high: number; readonly critical: number };

/** The check `sensors`: whole degrees that follow the load of the last minute. Virtual machines have none. */
export const sensorsCheck: PartOf<SensorsInput> = ({ labels, high, critical }, cells) => {
  if (labels.length === 0) return fixedPart({ Temperatures: [], Batteries: [] });
  const degrees = cells.column(labels.length);
  const Temperatures = labels.map((label, index) => ({ label, current: integer(nth(degrees, index)), high, critical }));
  return {
    node: { Temperatures, Batteries: [] },
    fill(frame, { hostKey, busyMinute, saturation, checkMs }) {
      const key = keyOf(hostKey, SENSORS);
      const busy = busyMinute + (1 - busyMinute) * saturation.minute;
      const room = 27 + 9 * unit(key, -1);
      for (let i = 0; i < labels.length; i++) {
        const own = 2.5 * smoothNoise(key + i, checkMs / 40_000);
        frame[nth(degrees, i)] = Math.round(room + 45 * busy + own);
      }
    },
  };
};
