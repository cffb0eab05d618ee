import { type ContainerService, containerServices } from '../../common/container-services.ts';
import { type Containers, containersOn } from '../../common/containers.ts';
import { type Guests, MOST_FOR_GUESTS } from '../../common/guests.ts';
import type { HostMemory } from '../../common/memory.ts';
import type { Cells } from '../../document/cells.ts';
import type { OptionalChecks } from '../../optional-checks.ts';
import type { Service } from '../data/daemon-table.ts';
import { CONTAINER_ENGINE } from '../data/hypervisors.ts';
import type { Role } from '../data/roles.ts';
import type { Distribution } from '../distribution.ts';
import type { GuestCounts, Hardware } from '../hardware/hardware.ts';
import { type VirtualMachine, type VirtualMachines, virtualMachinesOn } from './virtual-machines.ts';

/** What runs on a host beside its own programs. */
export type HostGuests = {
  readonly containers: Containers | undefined;
  readonly machines: VirtualMachines | undefined;
  readonly all: readonly Guests[];
};

/** Build hosts have some whether the agent tells of them or not. */
const BUILD_CONTAINERS = 3;
/** What containers of a role's hosts are there for, and what they are called together. */
const STACKS: Readonly<Record<Role, { readonly first: readonly string[]; readonly projects: readonly string[] }>> = {
  web: { first: [], projects: ['shop', 'portal', 'booking'] },
  database: { first: ['database', 'metrics', 'cache'], projects: ['ledger', 'reporting', 'warehouse'] },
  build: { first: ['registry', 'cache', 'database'], projects: ['ci', 'mirror', 'artifacts'] },
  desktop: { first: ['web', 'api', 'database'], projects: ['dev', 'demo', 'intranet'] },
};

/** Containers are there as many as their check tells of; machines, too, but on none that is one itself. */
export function guestCounts(
  { docker, libvirt = 0 }: OptionalChecks,
  { role, physical }: Pick<Hardware, 'role' | 'physical'>,
): GuestCounts {
  const usual = role === 'build' ? BUILD_CONTAINERS : 0;
  return { containers: docker ?? usual, machines: physical ? libvirt : 0 };
}

/** The services that guests need. */
export function guestServices({ containers, machines }: GuestCounts, { hypervisor }: Distribution): readonly Service[] {
  return [...(containers > 0 ? CONTAINER_ENGINE : []), ...(machines > 0 ? hypervisor.services : [])];
}

export function guestsOn({ guests, role, cores }: Hardware, memory: HostMemory, cells: Cells): HostGuests {
  const share = guests.containers > 0 && guests.machines > 0 ? MOST_FOR_GUESTS / 2 : MOST_FOR_GUESTS;
  const { first, projects } = STACKS[role];
  const services = containerServices(guests.containers, first);
  const rest = { cores, memory, share };
  const containers =
    services.length === 0 ? undefined : containersOn({ services, projects, besideMib, ...rest }, cells);
  const machines = guests.machines === 0 ? undefined : virtualMachinesOn({ count: guests.machines, ...rest }, cells);
  return { containers, machines, all: [containers, machines].filter((one) => one !== undefined) };
}

/** A shim for each container, and a proxy for each of its ports. */
export const SHIM_MIB = 14;
export const PROXY_MIB = 5;

function besideMib({ ports }: ContainerService): number {
  return SHIM_MIB + PROXY_MIB * ports.length;
}

/** About how many processes they have while all of them run. */
export function guestProcesses({ containers, machines }: HostGuests): number {
  const contained = (containers?.list ?? []).map(({ service }) => 2 + service.ports.length + service.children.length);
  const running: readonly VirtualMachine[] = machines?.list ?? [];
  return contained.reduce((sum, count) => sum + count, running.length);
}
