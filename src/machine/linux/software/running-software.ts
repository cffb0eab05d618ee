import type { Cells } from '../../document/cells.ts';
import type { Incident } from '../../incidents/incident.ts';
import type { ServicesHere } from '../../inventory/told.ts';
import type { Service } from '../data/daemon-table.ts';
import type { Distribution } from '../distribution.ts';
import type { Hardware } from '../hardware/hardware.ts';
import { type Arranged, arrange, likelihood, type Services } from './arrangement.ts';
import { guestServices } from './guests.ts';
import { type ServiceStates, serviceStates } from './service-states.ts';

export type SoftwareInput = {
  readonly distribution: Distribution;
  readonly hardware: Hardware;
  readonly incidents: readonly Incident[];
  /** About how many processes its guests have, which count, too. */
  readonly guestProcesses: number;
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

export function runningOn(input: SoftwareInput, cells: Cells): RunningSoftware {
  const { distribution, hardware, incidents } = input;
  const { cores, memoryGibs, counts } = hardware;
  const { system, guests, own, fragile, settled } = servicesOn(distribution, hardware);
  const later = Math.max(1, Math.round(counts.processes * COMES_AND_GOES));
  const processes = Math.max(0, counts.processes - input.guestProcesses);
  const threads = Math.min(naturalThreads(cores), Math.floor(processes * MOST_THREADS));
  // The first process, the listing and who is logged in.
  const others = Math.ceil(later * COMES_AND_IS_THERE) + 3;
  const room = Math.max(1, processes - threads - others);
  const daemons = arrange({ system, guests, own }, { processes: room, cores, gib: Math.min(...memoryGibs) });
  const told = new Set(daemons.map(({ service }) => service));
  const services = counts.processes === 0 ? [...system, ...guests, ...own].slice(0, counts.services) : [...told];
  const expected = daemons.reduce((sum, { service }) => sum + likelihood(service), 0);
  return {
    daemons,
    states: serviceStates({ services, fragile, incidents, settled }, cells),
    threads: threads + Math.max(0, Math.round(room - expected)),
    later,
  };
}

/** The services that hosts may have; `settled`: each has the same, and nothing is drawn. */
type ServicesOnHosts = Services & {
  /** Those of the role that fail now and then: what guests need does not. */
  readonly fragile: readonly Service[];
  readonly settled: boolean;
};

function servicesOn(distribution: Distribution, hardware: Hardware): ServicesOnHosts {
  const { daemons, roleDaemons } = distribution;
  const { role, physical, counts } = hardware;
  const place = physical ? 'metal' : 'virtual';
  const here = daemons.filter(({ on }) => on === undefined || on === place);
  const nameOf = ({ unit }: Service) => unit?.name;
  const everywhere = new Set(here.filter(({ draw }) => draw === undefined).map(nameOf));
  const own = roleDaemons(role).filter((service) => !everywhere.has(nameOf(service)));
  // What a role needs is not left to chance.
  const forGuests = guestServices(hardware.guests, distribution);
  const needed = new Set([...own, ...forGuests].map(nameOf));
  const possible = here.filter((service) => !needed.has(nameOf(service)));
  const settled = counts.fixed?.includes('services') ?? false;
  const ofGuests = new Set(forGuests.map(nameOf));
  const ofRole = new Set(own.map(nameOf));
  return {
    system: settled ? possible.filter((service) => likelihood(service) >= 0.5) : possible,
    guests: forGuests.filter((service) => !ofRole.has(nameOf(service))),
    own,
    fragile: own.filter((service) => !ofGuests.has(nameOf(service))),
    settled,
  };
}

/** The same by their names, for what is installed with them. */
export function presenceOf(distribution: Distribution, hardware: Hardware): ServicesHere {
  const { system, guests, own, settled } = servicesOn(distribution, hardware);
  return new Map(
    [...system, ...guests, ...own].flatMap(({ unit, draw }) => {
      if (unit === undefined) return [];
      return [[unit.name.replace(/\.service$/, ''), settled || draw === undefined ? 'always' : draw]];
    }),
  );
}

function naturalThreads(cores: number): number {
  return 84 + 10 * cores;
}
