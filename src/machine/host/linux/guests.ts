import type { Cells } from '../../document/nodes.ts';
import type { HostTables } from '../../host-data.ts';
import {
  type ContainerService,
  type Containers,
  containerServices,
  containersOn,
  type Guests,
  MOST_FOR_GUESTS,
} from '../containers.ts';
import type { HostMemory } from '../memory.ts';
import { type VirtualMachine, type VirtualMachines, virtualMachinesOn } from '../virtual-machines.ts';
import { LINUX_ROLE_TRAITS, type LinuxHardware } from './hardware.ts';

/** What runs on a host beside its own programs. */
export type HostGuests = {
  readonly containers: Containers | undefined;
  readonly machines: VirtualMachines | undefined;
  readonly all: readonly Guests[];
};

type GuestsInput = { readonly data: HostTables; readonly hardware: LinuxHardware; readonly memory: HostMemory };

export function guestsOn({ data, hardware, memory }: GuestsInput, cells: Cells): HostGuests {
  const { guests, role, cores } = hardware;
  const share = guests.containers > 0 && guests.machines > 0 ? MOST_FOR_GUESTS / 2 : MOST_FOR_GUESTS;
  const { containers: first, projects } = LINUX_ROLE_TRAITS[role];
  const services = containerServices(data, guests.containers, first);
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
