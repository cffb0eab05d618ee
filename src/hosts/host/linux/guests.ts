import { DAY_SECONDS } from '../../../base/kernel/units.ts';
import { type Cell, type Cells, type Row, slot, type Text, valueAt } from '../../document/nodes.ts';
import { column, type HostTables, oncePerData, readTable } from '../../host-data.ts';
import { secondsSinceEpoch } from '../calendar.ts';
import {
  type ContainerService,
  type Containers,
  containerServices,
  containersOn,
  type Guests,
  linuxContainers,
  MAX_GUEST_SHARE,
} from '../containers.ts';
import type { HostState } from '../host-state.ts';
import type { HostMemory } from '../memory.ts';
import { inRange, keyOf, scramble, smoothNoise, streamLabel, unit, type ValueRange } from '../noise.ts';
import type { LinuxHardware } from './hardware.ts';
import { linuxRole } from './roles.ts';

export type HostGuests = {
  readonly containers: Containers | undefined;
  readonly machines: VirtualMachines | undefined;
  readonly all: readonly Guests[];
};

type GuestsInput = { readonly data: HostTables; readonly hardware: LinuxHardware; readonly memory: HostMemory };

export function guestsOn({ data, hardware, memory }: GuestsInput, cells: Cells): HostGuests {
  const { guests, role, cores } = hardware;
  const share = guests.containers > 0 && guests.machines > 0 ? MAX_GUEST_SHARE / 2 : MAX_GUEST_SHARE;
  const { containers: first, projects } = linuxRole(data, role);
  const services = containerServices(linuxContainers(data), guests.containers, first);
  const rest = { cores, memory, share };
  const own = { engine: guests.engine, services, projects, besideMib: BESIDE_MIB[guests.engine] };
  const containers = services.length === 0 ? undefined : containersOn({ ...own, ...rest }, cells);
  const machines =
    guests.machines === 0 ? undefined : virtualMachinesOn({ data, count: guests.machines, ...rest }, cells);
  return { containers, machines, all: [containers, machines].filter((one) => one !== undefined) };
}

/** Memory of Docker's shim for each container, and of its proxy for each published port. */
export const SHIM_MIB = 14;
export const PROXY_MIB = 5;
/** Without a daemon, each container has a monitor, and the kernel forwards its ports. */
export const MONITOR_MIB = 2.4;

const BESIDE_MIB = {
  docker: ({ ports }: ContainerService) => SHIM_MIB + PROXY_MIB * ports.length,
  podman: () => MONITOR_MIB,
};

/** Approximate number of the guests' processes while all guests run. */
export function guestProcesses({ containers, machines }: HostGuests): number {
  const contained = (containers?.list ?? []).map(({ service }) => {
    return 2 + (containers?.engine === 'docker' ? service.ports.length : 0) + service.children.length;
  });
  const running: readonly VirtualMachine[] = machines?.list ?? [];
  return contained.reduce((sum, count) => sum + count, running.length);
}

type MachinesInput = {
  readonly data: HostTables;
  readonly count: number;
  readonly cores: number;
  readonly memory: HostMemory;
  /** Largest share of the host's memory and work for all its machines. */
  readonly share: number;
};

const FIGURES = ['running', 'spell', 'name', 'processors', 'totalKib', 'rssKib', 'hostPercent'] as const;
const UUID_WIDTHS = [6, 4, 3, 3, 8, 4];

/** One machine. `hostPercent` is relative to all cores. Memory and load are those of a running machine, even while it is stopped. */
export type VirtualMachine = {
  readonly index: number;
  readonly row: Row<(typeof FIGURES)[number]>;
  /** Possible names. The cell `name` selects one on each host. */
  readonly names: readonly string[];
  readonly uuid: Text['parts'];
};

export type VirtualMachines = Guests & { readonly list: readonly VirtualMachine[] };

const LIBVIRT = streamLabel('libvirt');
const NAME = streamLabel('libvirt.names');
const KIB_PER_MIB = 1024;

/** Names of machines. Each machine of a host has its own list, so that no two share a name. */
const listsOf = oncePerData((data) => readTable(data, 'containers/machine-names.tsv', { names: column.names }));

/* Shares, ranges and times below are chosen. */
const MIN_MIB = 256;
/** Share of the days that a machine runs, and how many days it stays in one state. */
const RUNNING = 0.86;
const SPELL_DAYS: ValueRange = [3, 20];
/** What a machine wants of its equal share of memory, and how much of its memory it uses. */
const WANTED: ValueRange = [0.6, 1];
const USED: ValueRange = [0.4, 0.45];
/** Share of a host's memory that its machines together are assigned, approximately. */
const PROMISED = 0.6;
const MAX_LEVEL = 1.2;

export function machineKey({ hostKey }: HostState, index: number): number {
  return keyOf(hostKey, LIBVIRT) + 61 * index;
}

export function machineLevel(key: number, { checkMs }: HostState): number {
  return (0.2 + unit(key, -4)) * (0.6 + 0.4 * smoothNoise(key + 2, secondsSinceEpoch(checkMs) / 300));
}

function virtualMachinesOn({ data, count, cores, memory, share }: MachinesInput, cells: Cells): VirtualMachines {
  const own = cells.row('bytes', 'share', 'tenths', 'some');
  const uuids = Array.from({ length: count }, () => cells.list(UUID_WIDTHS.length));
  const list = uuids.map((digits, index): VirtualMachine => {
    const uuid = uuidOf(digits, (index + 0.5) / count, '89ab'.charAt(index % 4));
    return { index, row: cells.row(...FIGURES), names: namesOf(data, index), uuid };
  });
  return {
    list,
    ...own,
    fill(frame, host) {
      const quotaMib = (PROMISED * valueAt(frame, memory.total)) / count / 1024 ** 2;
      let [kib, hostPercent, tenths, running] = [0, 0, 0, 0];
      for (const { index, row } of list) {
        const key = machineKey(host, index);
        const uuid = uuids[index] as readonly Cell[];
        for (let i = 0; i < uuid.length; i++) {
          frame[uuid[i] as Cell] = scramble(key + 1, i) % 16 ** (UUID_WIDTHS[i] as number);
        }
        const now = secondsSinceEpoch(host.checkMs);
        const spell = Math.floor(now / (inRange(SPELL_DAYS, unit(key, -1)) * DAY_SECONDS) + unit(key, -2));
        // Memory assigned to a machine is a power of two. It uses this much of it if the host has enough.
        const wanted = Math.max(MIN_MIB, quotaMib * inRange(WANTED, unit(key, -6)));
        const total = KIB_PER_MIB * 2 ** Math.floor(Math.log2(wanted));
        const used = inRange(USED, unit(key, -7)) + 0.05 * smoothNoise(key + 3, host.checkMs / 1_200_000);
        frame[row.spell] = spell;
        frame[row.running] = unit(key, spell) < RUNNING ? 1 : 0;
        frame[row.name] = Math.floor(4 * unit(keyOf(host.hostKey, NAME), key));
        frame[row.totalKib] = total;
        frame[row.rssKib] = total * used;
        const processors = Math.min(cores, 1 << Math.floor(3 * unit(key, -5)));
        const most = (100 * processors) / cores;
        const busy = (100 * share * host.ownBusy * machineLevel(key, host)) / (MAX_LEVEL * count);
        frame[row.processors] = processors;
        frame[row.hostPercent] = Math.min(most, busy);
        if (frame[row.running] === 0) continue;
        kib += valueAt(frame, row.rssKib);
        hostPercent += valueAt(frame, row.hostPercent);
        tenths += Math.floor(10 * cores * valueAt(frame, row.hostPercent));
        running++;
      }
      const scale = Math.min(1, (share * valueAt(frame, memory.programs)) / Math.max(1, 1024 * kib));
      for (const { row } of list) frame[row.rssKib] = 4 * Math.floor((valueAt(frame, row.rssKib) * scale) / 4);
      frame[own.bytes] = 1024 * kib * scale;
      frame[own.share] = host.ownBusy === 0 ? 0 : hostPercent / 100 / host.ownBusy;
      frame[own.tenths] = tenths;
      frame[own.some] = Math.min(1, running);
    },
  };
}

/** When the lists are reused, names get a number. */
function namesOf(data: HostTables, index: number): readonly string[] {
  const lists = listsOf(data);
  const turn = Math.floor(index / lists.length);
  const { names = [] } = lists[index % lists.length] ?? {};
  return turn === 0 ? names : names.map((name) => `${name}-n${turn + 1}`);
}

/** Hex digits that increase with a position from 0 to 1, so that what they begin stays in order, whatever its other digits are. */
export function leadingDigits(position: number, count: number): string {
  return Math.floor(position * 16 ** count)
    .toString(16)
    .padStart(count, '0');
}

function uuidOf(digits: readonly Cell[], position: number, kind: string): Text['parts'] {
  const before = [leadingDigits(position, 2), '-', '-4', `-${kind}`, '-', ''];
  return digits.flatMap((cell, i) => [before[i] ?? '', slot.hex(cell, UUID_WIDTHS[i] ?? 0)]);
}
