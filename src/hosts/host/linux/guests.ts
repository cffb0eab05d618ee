import { DAY_SECONDS } from '../../../ground/kernel/units.ts';
import { type Cell, type Cells, type CellValues, type Row, slot, type Text, valueAt } from '../../document/nodes.ts';
import type { HostTables } from '../../host-data.ts';
import { secondsSinceEpoch } from '../calendar.ts';
import {
  type ContainerService,
  type Containers,
  containerServices,
  containersOn,
  type Guests,
  MOST_FOR_GUESTS,
} from '../containers.ts';
import type { HostState } from '../host-state.ts';
import type { HostMemory } from '../memory.ts';
import { keyOf, scramble, smoothNoise, streamLabel, unit } from '../noise.ts';
import type { LinuxHardware } from './hardware.ts';
import { linuxRole } from './roles.ts';

/** Containers and virtual machines of a host. */
export type HostGuests = {
  readonly containers: Containers | undefined;
  readonly machines: VirtualMachines | undefined;
  readonly all: readonly Guests[];
};

type GuestsInput = { readonly data: HostTables; readonly hardware: LinuxHardware; readonly memory: HostMemory };

export function guestsOn({ data, hardware, memory }: GuestsInput, cells: Cells): HostGuests {
  const { guests, role, cores } = hardware;
  const share = guests.containers > 0 && guests.machines > 0 ? MOST_FOR_GUESTS / 2 : MOST_FOR_GUESTS;
  const { containers: first, projects } = linuxRole(data, role);
  const services = containerServices(data, guests.containers, first);
  const rest = { cores, memory, share };
  const own = { engine: guests.engine, services, projects, besideMib: BESIDE_MIB[guests.engine] };
  const containers = services.length === 0 ? undefined : containersOn({ ...own, ...rest }, cells);
  const machines = guests.machines === 0 ? undefined : virtualMachinesOn({ count: guests.machines, ...rest }, cells);
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
  readonly count: number;
  readonly cores: number;
  readonly memory: HostMemory;
  /** Largest share of the programs' memory and work that the machines may have. */
  readonly share: number;
};

const FIGURES = ['running', 'spell', 'name', 'processors', 'totalKib', 'rssKib', 'hostPercent'] as const;
const UUID = ['a', 'b', 'c', 'd', 'e', 'f'] as const;
/** Numbers of hex digits of a UUID that each host draws. */
const UUID_WIDTHS = { a: 6, b: 4, c: 3, d: 8, e: 4, f: 3 } as const;

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
const NAMES = [
  ['web-01', 'www', 'shop-web', 'portal'],
  ['db-01', 'erp-db', 'sql', 'postgres'],
  ['mail', 'mx-1', 'groupware', 'relay'],
  ['build-01', 'ci-runner', 'jenkins', 'gitlab'],
  ['win-jump', 'win-ts', 'rdp', 'dc2'],
  ['monitoring', 'icinga', 'oitc-satellite', 'logs'],
  ['wiki', 'docs', 'tickets', 'chat'],
  ['proxy', 'vpn', 'dns-2', 'files'],
];

const LEAST_MIB = 256;
/** Share of a host's memory that its machines together are assigned, approximately. */
const PROMISED = 0.6;
const MOST_LEVEL = 1.2;

/** The random stream of one of a host's machines. */
export function machineKey({ hostKey }: HostState, index: number): number {
  return keyOf(hostKey, LIBVIRT) + 61 * index;
}

/** Current load of a machine, relative to others. */
export function machineLevel(key: number, { checkMs }: HostState): number {
  return (0.2 + unit(key, -4)) * (0.6 + 0.4 * smoothNoise(key + 2, secondsSinceEpoch(checkMs) / 300));
}

function virtualMachinesOn({ count, cores, memory, share }: MachinesInput, cells: Cells): VirtualMachines {
  const own = cells.row('bytes', 'share', 'tenths', 'some');
  const uuids = Array.from({ length: count }, () => cells.row(...UUID));
  const list = uuids.map((digits, index): VirtualMachine => {
    const uuid = uuidOf(digits, (index + 0.5) / count, '89ab'.charAt(index % 4));
    return { index, row: cells.row(...FIGURES), names: namesOf(index), uuid };
  });
  return {
    list,
    ...own,
    fill(frame, host) {
      const quotaMib = (PROMISED * valueAt(frame, memory.total)) / count / 1024 ** 2;
      let [kib, hostPercent, tenths, running] = [0, 0, 0, 0];
      for (const { index, row } of list) {
        const key = machineKey(host, index);
        fillUuid(frame, uuids[index] as (typeof uuids)[number], key);
        const now = secondsSinceEpoch(host.checkMs);
        const spell = Math.floor(now / ((3 + 20 * unit(key, -1)) * DAY_SECONDS) + unit(key, -2));
        // Memory assigned to a machine is a power of two. It uses this much of it if the host has enough.
        const wanted = Math.max(LEAST_MIB, quotaMib * (0.6 + unit(key, -6)));
        const total = KIB_PER_MIB * 2 ** Math.floor(Math.log2(wanted));
        const used = 0.4 + 0.45 * unit(key, -7) + 0.05 * smoothNoise(key + 3, host.checkMs / 1_200_000);
        frame[row.spell] = spell;
        frame[row.running] = unit(key, spell) < 0.86 ? 1 : 0;
        frame[row.name] = Math.floor(4 * unit(keyOf(host.hostKey, NAME), key));
        frame[row.totalKib] = total;
        frame[row.rssKib] = total * used;
        const processors = Math.min(cores, 1 << Math.floor(3 * unit(key, -5)));
        const most = (100 * processors) / cores;
        const busy = (100 * share * host.ownBusy * machineLevel(key, host)) / (MOST_LEVEL * count);
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
function namesOf(index: number): readonly string[] {
  const turn = Math.floor(index / NAMES.length);
  const names = NAMES[index % NAMES.length] ?? [];
  return turn === 0 ? names : names.map((name) => `${name}-n${turn + 1}`);
}

/** The first digits increase from machine to machine, so that keys stay in order. */
function uuidOf({ a, b, c, d, e, f }: Row<(typeof UUID)[number]>, place: number, kind: string): Text['parts'] {
  const lead = Math.floor(place * 0x100)
    .toString(16)
    .padStart(2, '0');
  const widths = UUID_WIDTHS;
  return [
    ...[lead, slot.hex(a, widths.a), '-', slot.hex(b, widths.b), '-4', slot.hex(c, widths.c), `-${kind}`],
    ...[slot.hex(f, widths.f), '-', slot.hex(d, widths.d), slot.hex(e, widths.e)],
  ];
}

function fillUuid(frame: CellValues, digits: Row<(typeof UUID)[number]>, key: number): void {
  for (let i = 0; i < UUID.length; i++) {
    const part = UUID[i] as (typeof UUID)[number];
    frame[digits[part] as Cell] = lowDigits(scramble(key + 1, i), UUID_WIDTHS[part]);
  }
}

function lowDigits(value: number, width: number): number {
  return width === 8 ? value : value % 16 ** width;
}
