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
  const { system, guests, own, settled } = servicesOn(distribution, hardware);
  const later = Math.max(1, Math.round(counts.processes * COMES_AND_GOES));
  const processes = Math.max(0, counts.processes - input.guestProcesses);
  // The first of them is the parent of what comes and goes.
  const threads = Math.max(1, Math.min(naturalThreads(cores), Math.floor(processes * MOST_THREADS)));
  // The first process, the listing and who is logged in.
  const others = Math.ceil(later * COMES_AND_IS_THERE) + 3;
  const room = Math.max(1, processes - threads - others);
  const daemons = arrange({ system, guests, own }, { processes: room, cores, gib: Math.min(...memoryGibs) });
  const told = new Set(daemons.map(({ service }) => service));
  const services = counts.processes === 0 ? [...system, ...guests, ...own].slice(0, counts.services) : [...told];
  const expected = daemons.reduce((sum, { service }) => sum + likelihood(service), 0);
  return {
    daemons,
    states: serviceStates({ services, fragile: own, incidents, settled }, cells),
    threads: threads + Math.max(0, Math.round(room - expected)),
    later,
  };
}

/** The services that hosts may have; `settled`: each has the same, and nothing is drawn. */
type ServicesOnHosts = Services & { readonly settled: boolean };

function servicesOn(distribution: Distribution, hardware: Hardware): ServicesOnHosts {
  const { daemons, roleDaemons } = distribution;
  const { role, physical, counts } = hardware;
  const place = physical ? 'metal' : 'virtual';
  const here = daemons.filter(({ on }) => on === undefined || on === place);
  const nameOf = ({ unit }: Service) => unit?.name;
  const everywhere = new Set(here.filter(({ draw }) => draw === undefined).map(nameOf));
  const ofRole = roleDaemons(role).filter((service) => !everywhere.has(nameOf(service)));
  const guests = guestServices(hardware.guests, distribution).map((service) => {
    return ofRole.find((other) => nameOf(other) === nameOf(service)) ?? service;
  });
  const own = ofRole.filter((service) => !guests.includes(service));
  // What a role or guests need is not left to chance.
  const needed = new Set([...guests, ...own].map(nameOf));
  const possible = here.filter((service) => !needed.has(nameOf(service)));
  const settled = counts.fixed?.includes('services') ?? false;
  const system = settled ? possible.filter((service) => likelihood(service) >= 0.5) : possible;
  return { system, guests, own, settled };
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
