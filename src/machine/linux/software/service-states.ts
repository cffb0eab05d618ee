import { drawn } from '../../common/draws.ts';
import { type Cell, type Cells, valueAt } from '../../document/cells.ts';
import type { Incident } from '../../incidents/incident.ts';
import { outageOf, takingDown } from '../../incidents/outages.ts';
import { type Fill, inTurn } from '../../part.ts';
import { DOWN, serviceState } from '../../time/failures.ts';
import { keyOf, streamLabel } from '../../time/moment.ts';
import type { Service } from '../data/daemon-table.ts';

/** How a service of a host stands; its unit and its processes tell the same. What cannot change has no cell. */
export type ServiceState = {
  readonly service: Service;
  /** 1 on hosts that have the service. */
  readonly installed: Cell | undefined;
  /** 1 while its processes are there. */
  readonly running: Cell | undefined;
  /** Which of its lives since boot it has: 0 until it was first started anew. */
  readonly life: Cell | undefined;
};

export type ServiceStates = {
  readonly of: (service: Service) => ServiceState | undefined;
  readonly all: readonly ServiceState[];
  readonly fill: Fill;
};

export type StatesInput = {
  readonly services: readonly Service[];
  /** Those of the host's role, which fail now and then by themselves. */
  readonly fragile: readonly Service[];
  readonly incidents: readonly Incident[];
  /** Whether every host of the shape has the same services: no draws. */
  readonly settled: boolean;
};

/** Lives after an incident are told apart up to this number. */
const LIVES = 25;

export function serviceStates(input: StatesInput, cells: Cells): ServiceStates {
  const parts = input.services.map((service) => statePart(service, input, cells));
  const states = new Map(parts.map(({ state }) => [state.service, state]));
  return {
    all: parts.map(({ state }) => state),
    of: (service) => states.get(service),
    fill: inTurn(parts.flatMap(({ fill }) => (fill === undefined ? [] : [fill]))),
  };
}

type StatePart = { readonly state: ServiceState; readonly fill: Fill | undefined };

function statePart(service: Service, { fragile, incidents, settled }: StatesInput, cells: Cells): StatePart {
  const causes = service.unit === undefined ? [] : takingDown(incidents, service.unit.name);
  const fails = fragile.includes(service) && service.unit !== undefined;
  const draw = settled ? undefined : service.draw;
  const troubled = fails || causes.length > 0;
  if (!troubled && draw === undefined) {
    return { state: { service, installed: undefined, running: undefined, life: undefined }, fill: undefined };
  }
  const installed = draw === undefined ? undefined : cells.one();
  const { running, life } = cells.row('running', 'life');
  const has = draw === undefined ? everywhere : drawn(draw);
  const label = streamLabel(`service.${service.unit?.name ?? service.command}`);
  const fill: Fill = (frame, moment) => {
    const here = has(moment.hostKey);
    const own = fails ? serviceState(keyOf(moment.hostKey, label), moment) : 0;
    const { down, restoredMs } = outageOf(causes, moment);
    if (installed !== undefined) frame[installed] = here ? 1 : 0;
    frame[running] = here && own !== DOWN && !down ? 1 : 0;
    frame[life] = lifeOf(Math.max(0, own), restoredMs);
  };
  return { state: { service, installed, running, life: troubled ? life : undefined }, fill };
}

function everywhere(): boolean {
  return true;
}

function lifeOf(failures: number, restoredMs: number): number {
  return restoredMs === 0 ? failures : LIVES + ((Math.floor(restoredMs / 1000) + failures) % LIVES);
}

/** Numbers that a process may have: one for each life, within a range of its own. */
export const LIVES_OF_A_PROCESS = 2 * LIVES;

export function lifeAt(frame: Parameters<Fill>[0], state: ServiceState | undefined): number {
  return state?.life === undefined ? 0 : valueAt(frame, state.life);
}
