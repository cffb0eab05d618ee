import { hash32 } from '../../kernel/random.ts';
import { either, type Node } from '../document/nodes.ts';
import { concern, keyOf, secondsSinceEpoch } from '../evolution/moment.ts';
import { unit } from '../evolution/noise.ts';
import { fateOf, takingDown } from '../incidents/fates.ts';
import type { Incident } from '../incidents/incident.ts';
import type { PartOf } from '../part.ts';
import { type DeviceInput, deviceUnits } from './device-units.ts';
import type { UnitSet } from './unit-sets.ts';
import type { UnitLine } from './units.ts';

export type SystemdInput = DeviceInput & {
  /** Units of what the host is there for. */
  readonly own: readonly UnitLine[];
  readonly set: UnitSet;
  readonly count: number;
  /** Not only as many as there are, but exactly so many. */
  readonly exact: boolean;
  readonly incidents: readonly Incident[];
};

const SYSTEMD = concern('systemd_services');
/** A timed service runs for this long. */
const RUN_SECONDS = 40;

/** The check `systemd_services`: all units in the order of systemd's own table, which is none. */
export const systemdServicesCheck: PartOf<SystemdInput> = (input, cells) => {
  const known = [...input.own, ...input.set.units, ...deviceUnits(input)];
  const all = [...known, ...instances(input.exact ? input.count - known.length : 0)].slice(0, input.count);
  const units = all.sort((a, b) => hash32(0, a.name) - hash32(0, b.name));
  const timed = input.set.timed.filter(({ name }) => units.some((unit) => unit.name === name));
  const first = cells.take(timed.length);
  const cellOf = (name: string) => {
    const place = timed.findIndex((service) => service.name === name);
    return place < 0 ? undefined : first + place;
  };
  const failures = units.flatMap(({ name, state }) => {
    const concerning = state[0] === 'active' ? takingDown(input.incidents, name) : [];
    return concerning.length === 0 ? [] : [{ name, concerning, cell: cells.take() }];
  });
  const nodes = units.map((line) => {
    const failure = failures.find(({ name }) => name === line.name);
    const node = unitNode(line, cellOf(line.name));
    return failure === undefined ? node : either(failure.cell, [node, failedNode(line)]);
  });
  return {
    node: nodes,
    fill(frame, moment) {
      const { hostKey, checkMs } = moment;
      for (const { cell, concerning } of failures) frame[cell] = fateOf(concerning, moment).down ? 1 : 0;
      const key = keyOf(hostKey, SYSTEMD);
      const now = secondsSinceEpoch(checkMs);
      for (const [i, { periodSeconds }] of timed.entries()) {
        const sinceStart = (now + Math.floor(unit(key, i) * periodSeconds)) % periodSeconds;
        frame[first + i] = sinceStart < RUN_SECONDS ? 1 : 0;
      }
    },
  };
};

function failedNode({ name, description }: UnitLine): Node {
  return { ActiveState: 'failed', Description: description, LoadState: 'loaded', Name: name, SubState: 'failed' };
}

/** Hosts with more units than the system brings run many instances of their own services. */
function instances(count: number): readonly UnitLine[] {
  return Array.from({ length: Math.max(0, count) }, (_, index) => ({
    name: `shop-worker@${index + 1}.service`,
    description: `Worker ${index + 1} of the shop`,
    state: ['active', 'loaded', 'running'],
  }));
}

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
