import { hash32 } from '../../kernel/random.ts';
import { either, type Node } from '../document/nodes.ts';
import { concern, keyOf, secondsSinceEpoch } from '../evolution/moment.ts';
import { unit } from '../evolution/noise.ts';
import type { PartOf } from '../part.ts';
import { type DeviceInput, deviceUnits } from './device-units.ts';
import { OTHER_UNITS, SERVICES, TARGET_UNITS, TIMED, type UnitLine } from './units.ts';

export type SystemdInput = DeviceInput & { readonly count: number };

const SYSTEMD = concern('systemd_services');
/** A timed service runs for this long. */
const RUN_SECONDS = 40;

/** The check `systemd_services`: all units in the order of systemd's own table, which is none. */
export const systemdServicesCheck: PartOf<SystemdInput> = (input, cells) => {
  const all = [...SERVICES, ...OTHER_UNITS, ...TARGET_UNITS, ...deviceUnits(input)].slice(0, input.count);
  const units = all.sort((a, b) => hash32(0, a.name) - hash32(0, b.name));
  const timed = TIMED.filter((name) => units.some((unit) => unit.name === name));
  const first = cells.take(timed.length);
  return {
    node: units.map((line) => unitNode(line, timed.includes(line.name) ? first + timed.indexOf(line.name) : undefined)),
    fill(frame, { hostKey, checkMs }) {
      const key = keyOf(hostKey, SYSTEMD);
      const now = secondsSinceEpoch(checkMs);
      for (let i = 0; i < timed.length; i++) {
        const period = i === 2 ? 600 : 86_400;
        const sinceStart = (now + Math.floor(unit(key, i) * period)) % period;
        frame[first + i] = sinceStart < RUN_SECONDS ? 1 : 0;
      }
    },
  };
};

function unitNode({ name, description, state: [active, load, sub] }: UnitLine, cell: number | undefined): Node {
  const changing = (rest: string, busy: string) => (cell === undefined ? rest : either(cell, [rest, busy]));
  return {
    ActiveState: changing(active, 'activating'),
    Description: description,
    LoadState: load,
    Name: name,
    SubState: changing(sub, 'start'),
  };
}
