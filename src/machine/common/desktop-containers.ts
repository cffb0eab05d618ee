import type { Cells } from '../document/cells.ts';
import type { OptionalChecks } from '../optional-checks.ts';
import { containerServices } from './container-services.ts';
import { type Containers, containersOn } from './containers.ts';
import { MOST_FOR_GUESTS } from './guests.ts';
import type { HostMemory } from './memory.ts';

type Host = { readonly cores: number; readonly memory: HostMemory };

/** Containers where they need a virtual machine: the host has one process for all of them. */
export function desktopContainers({ docker = 0 }: OptionalChecks, host: Host, cells: Cells): Containers | undefined {
  if (docker === 0) return undefined;
  const services = containerServices(docker, []);
  const projects = ['shop', 'portal', 'demo'];
  return containersOn({ ...host, services, projects, share: MOST_FOR_GUESTS, besideMib: () => 0 }, cells);
}

/** What that process holds besides: little enough that what hosts have in abundance does not end up there. */
export const MACHINE_MIB = 180;
