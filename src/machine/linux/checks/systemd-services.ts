import { hash32 } from '../../../kernel/random.ts';
import type { Cell } from '../../document/cells.ts';
import { either, type Node } from '../../document/nodes.ts';
import type { Incident } from '../../incidents/incident.ts';
import { outageOf, takingDown } from '../../incidents/outages.ts';
import type { PartOf } from '../../part.ts';
import { keyOf, secondsSinceEpoch, streamLabel } from '../../time/moment.ts';
import { unit } from '../../time/noise.ts';
import type { UnitSet } from '../data/unit-sets.ts';
import type { UnitLine } from '../data/units.ts';
import { type DeviceInput, deviceUnits } from '../software/device-units.ts';
import type { ServiceHealth } from '../software/service-health.ts';

export type SystemdInput = DeviceInput & {
  /** Units of what the host is there for. */
  readonly own: readonly UnitLine[];
  readonly set: UnitSet;
  readonly health: ServiceHealth;
  readonly count: number;
  /** Not only as many as there are, but exactly so many. */
  readonly exact: boolean;
  readonly incidents: readonly Incident[];
};

const SYSTEMD = streamLabel('systemd_services');
/** A timed service runs for this long. */
const RUN_SECONDS = 40;

/** The check `systemd_services`: all units in the order of systemd's own table, which is none. */
export const systemdServicesCheck: PartOf<SystemdInput> = (input, cells) => {
  const known = [...input.own, ...input.set.units, ...deviceUnits(input)];
  const all = [...known, ...instances(input.exact ? input.count - known.length : 0)].slice(0, input.count);
  const units = all.sort((a, b) => hash32(0, a.name) - hash32(0, b.name));
  const timed = input.set.timed
    .filter(({ name }) => units.some((unit) => unit.name === name))
    .map((service) => ({ ...service, running: cells.one() }));
  const node = (line: UnitLine) => {
    const own = timed.find(({ name }) => name === line.name);
    if (own !== undefined) return unitNode(line, { cell: own.running, states: TIMED_STATES });
    const health = input.health.of(line.name);
    return unitNode(line, health === undefined ? undefined : { cell: health.up, states: FRAGILE_STATES });
  };
  const failures = units.flatMap(({ name, state }) => {
    const causes = state[0] === 'active' ? takingDown(input.incidents, name) : [];
    return causes.length === 0 ? [] : [{ name, causes, cell: cells.one() }];
  });
  const nodes = units.map((line) => {
    const failure = failures.find(({ name }) => name === line.name);
    return failure === undefined ? node(line) : either(failure.cell, [node(line), failedNode(line)]);
  });
  return {
    node: nodes,
    fill(frame, moment) {
      const { hostKey, checkMs } = moment;
      for (const { cell, causes } of failures) frame[cell] = outageOf(causes, moment).down ? 1 : 0;
      const key = keyOf(hostKey, SYSTEMD);
      const now = secondsSinceEpoch(checkMs);
      for (const [i, { periodSeconds, running }] of timed.entries()) {
        const sinceStart = (now + Math.floor(unit(key, i) * periodSeconds)) % periodSeconds;
        frame[running] = sinceStart < RUN_SECONDS ? 1 : 0;
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

/** What a cell's 0 and 1 stand for; `undefined` is the state that the unit has otherwise. */
type Changing = { readonly cell: Cell; readonly states: readonly [ActiveAndSub, ActiveAndSub] };
type ActiveAndSub = readonly [active: string, sub: string] | undefined;

const TIMED_STATES = [undefined, ['activating', 'start']] as const;
const FRAGILE_STATES = [['failed', 'failed'], undefined] as const;

function unitNode({ name, description, state: [active, load, sub] }: UnitLine, changing: Changing | undefined): Node {
  const forms = (usual: string, which: 0 | 1) => {
    if (changing === undefined) return usual;
    return either(
      changing.cell,
      changing.states.map((state) => state?.[which] ?? usual),
    );
  };
  return {
    ActiveState: forms(active, 0),
    Description: description,
    LoadState: load,
    Name: name,
    SubState: forms(sub, 1),
  };
}
