import type { Cells } from '../../document/cells.ts';
import type { Incident } from '../../incidents/incident.ts';
import type { Distribution } from '../distribution.ts';
import type { Hardware } from '../hardware/hardware.ts';
import { type Arranged, arrange, likelihood } from './arrangement.ts';
import { type ServiceStates, serviceStates } from './service-states.ts';

export type SoftwareInput = {
  readonly distribution: Distribution;
  readonly hardware: Hardware;
  readonly incidents: readonly Incident[];
};

/** What runs on a host: services and their processes from one table, so that a unit that runs has its process. */
export type RunningSoftware = {
  readonly daemons: readonly Arranged[];
  readonly states: ServiceStates;
  /** How many threads the kernel has, and how many processes come and go. */
  readonly threads: number;
  readonly later: number;
};

/** Of a list of processes, so much are threads of the kernel, and so much comes and goes. */
const MOST_THREADS = 0.68;
const COMES_AND_GOES = 0.06;
const COMES_AND_IS_THERE = 0.65;

export function runningOn({ distribution, hardware, incidents }: SoftwareInput, cells: Cells): RunningSoftware {
  const { role, cores, physical, memoryGibs, counts } = hardware;
  const place = physical ? 'metal' : 'virtual';
  const here = distribution.daemons.filter(({ on }) => on === undefined || on === place);
  const names = new Set(here.map(({ unit }) => unit?.name));
  const own = distribution.roleDaemons(role).filter(({ unit }) => !names.has(unit?.name));
  const later = Math.max(1, Math.round(counts.processes * COMES_AND_GOES));
  const threads = Math.min(naturalThreads(cores), Math.floor(counts.processes * MOST_THREADS));
  // The first process, the listing and who is logged in.
  const others = Math.ceil(later * COMES_AND_IS_THERE) + 3;
  const settled = counts.fixed?.includes('services') ?? false;
  const possible = settled ? here.filter((service) => likelihood(service) >= 0.5) : here;
  const room = Math.max(1, counts.processes - threads - others);
  const daemons = arrange({ system: possible, own }, { processes: room, cores, gib: Math.min(...memoryGibs) });
  const told = new Set(daemons.map(({ service }) => service));
  const services = counts.processes === 0 ? [...possible, ...own].slice(0, counts.services) : [...told];
  const expected = daemons.reduce((sum, { service }) => sum + likelihood(service), 0);
  return {
    daemons,
    states: serviceStates({ services, fragile: own, incidents, settled }, cells),
    threads: threads + Math.max(0, Math.round(room - expected)),
    later,
  };
}

function naturalThreads(cores: number): number {
  return 84 + 10 * cores;
}
