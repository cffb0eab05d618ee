import { DAY_SECONDS, MIB } from '../../base/kernel/units.ts';
import { type Cell, type Cells, type CellValues, type Row, valueAt } from '../document/nodes.ts';
import { column, type HostTables, oncePerData, readTable, type TableRow } from '../host-data.ts';
import { secondsSinceEpoch } from './calendar.ts';
import type { OptionalChecks } from './configuration.ts';
import type { HostState } from './host-state.ts';
import { type HostMemory, pages } from './memory.ts';
import { inRange, keyOf, scramble, smoothNoise, streamLabel, unit, type ValueRange, warp } from './noise.ts';
import type { Fill } from './part.ts';

/** Bytes, share of the work of all processes, the same in tenths of a percent of a core, and 1 while any runs. Filled after the memory. */
export type Guests = Row<'bytes' | 'share' | 'tenths' | 'some'> & { readonly fill: Fill };

/** Largest share of the programs' memory and work that guests may have. */
export const MAX_GUEST_SHARE = 0.65;

const PROCESS = {
  /** Users of an image have no name on the host. */
  user: column.text,
  memoryMib: column.number,
  virtualMib: column.number,
  work: column.number,
  command: column.text,
};
const CONTAINER = {
  service: column.text,
  kind: column.oneOf('main', 'child'),
  image: column.orEmpty(column.text),
  ports: column.names,
  ...PROCESS,
};

/** A process inside a container, as its host lists it. */
export type ContainedProcess = Omit<TableRow<typeof PROCESS>, 'line'>;

type PublishedPort = { readonly host: number; readonly container: number };

export type ContainerService = {
  readonly name: string;
  /** Number of the replica within its service, from 1. */
  readonly replica: number;
  readonly image: string;
  readonly ports: readonly PublishedPort[];
  readonly main: ContainedProcess;
  /** Processes that its main process starts. */
  readonly children: readonly ContainedProcess[];
};

export const linuxContainers = oncePerData((data) => readServices(data, 'containers/services.tsv'));
const windowsContainers = oncePerData((data) => readServices(data, 'containers/windows.tsv'));

function readServices(data: HostTables, file: string): readonly ContainerService[] {
  const services: (ContainerService & { children: ContainedProcess[] })[] = [];
  for (const row of readTable(data, file, CONTAINER)) {
    const { service: name, kind, image = '', ports, ...process } = row;
    if (kind === 'child') services.at(-1)?.children.push(process);
    else services.push({ name, replica: 1, image, ports: ports.map(portOf), main: process, children: [] });
  }
  return services;
}

function portOf(pair: string): PublishedPort {
  const [host, container] = pair.split(':').map(Number);
  return { host: host ?? 0, container: container ?? 0 };
}

// Host ports of services differ in their last two digits. Replicas add multiples of 100, so their ports never collide with those of
// another service.
const PORT_STEP = 100;

/** The services of a host with `count` containers. Those named in `first` precede the others. */
export function containerServices(
  services: readonly ContainerService[],
  count: number,
  first: readonly string[] = [],
): readonly ContainerService[] {
  const named = first.flatMap((name) => services.filter((service) => service.name === name));
  const ordered = [...named, ...services.filter(({ name }) => !first.includes(name))];
  return Array.from({ length: count }, (_, index) => {
    const turn = Math.floor(index / ordered.length);
    const service = ordered[index % ordered.length] as ContainerService;
    const ports = service.ports.map(({ host, container }) => ({ host: host + PORT_STEP * turn, container }));
    return { ...service, replica: turn + 1, ports };
  });
}

function wholeOf({ main, children }: ContainerService): Pick<ContainedProcess, 'memoryMib' | 'work'> {
  const all = [main, ...children];
  return {
    memoryMib: all.reduce((sum, { memoryMib }) => sum + memoryMib, 0),
    work: all.reduce((sum, { work }) => sum + work, 0),
  };
}

/** What starts containers. Docker has a daemon, Podman does not. */
export type ContainerEngine = 'docker' | 'podman';

type ContainersInput = {
  readonly engine: ContainerEngine;
  readonly services: readonly ContainerService[];
  /** Project names. On each host, its containers share one of them. */
  readonly projects: readonly string[];
  readonly cores: number;
  readonly memory: HostMemory;
  /** Largest share of the host's memory and work for all its containers. */
  readonly share: number;
  /** Memory of the host's own processes for a container, in MiB. */
  readonly besideMib: (service: ContainerService) => number;
};

const FIGURES = ['running', 'turn', 'upSeconds', 'id', 'idEnd', 'card', 'cpu', 'memory'] as const;

/** One container: `cpu` in percent of a core over the last second, `memory` in bytes. For a stopped container, only `running` is valid. */
export type Container = Row<(typeof FIGURES)[number]> & { readonly service: ContainerService; readonly index: number };

export type Containers = Guests & {
  readonly engine: ContainerEngine;
  readonly list: readonly Container[];
  readonly projects: readonly string[];
  /** Hex digits that name their common network. */
  readonly network: Row<'start' | 'end'>;
  /** Index into `projects`. */
  readonly project: Cell;
  /** Memory of a container and of its processes on the host, as a share of the usual: lower if memory is short. */
  readonly scale: Cell;
};

const DOCKER = streamLabel('docker');
const PROJECT = streamLabel('docker.project');
const STOPS = streamLabel('docker.stops');
/** Share of containers that stop before they are replaced, and the last part of their life, in which they are stopped. */
const STOPPED = 0.08;
const STOPPED_PART = 0.3;
/** How busy a container is, relative to others of its service; and in one second, relative to others. Chosen, like all figures here. */
const LEVEL: ValueRange = [0.2, 1.6];
const MAX_LEVEL = 1.8;
const LUCK: ValueRange = [0.5, 1];
const MAX_LUCK = 1.5;
/** Memory of a container at a level, relative to the usual one, and its drift. */
const MEMORY_AT_LEVEL: ValueRange = [0.5, 0.7];
const MAX_DRIFT = 0.2;
const DRIFT_SECONDS = 900;
const LIFE_DAYS: ValueRange = [2, 40];

export function containerKey({ hostKey }: HostState, index: number): number {
  return keyOf(hostKey, DOCKER) + 97 * index;
}

function levelOf(key: number): number {
  return inRange(LEVEL, unit(key, -3) ** 2);
}

const BURSTS = { grid: 29, strength: 0.8 };

/** Work of a container after a number of seconds of its life. The bytes it has transferred follow from this. */
export function containerWork(key: number, upSeconds: number): number {
  return levelOf(key) * Math.max(0, warp(upSeconds, key + 3, BURSTS));
}

/** Bytes received over the network for an amount of work, after those of the start; `sentBytes` returns those sent. */
export function receivedBytes(work: number): number {
  return Math.floor(900 + 2100 * work);
}

export function sentBytes(work: number): number {
  return Math.floor(600 + 3400 * work);
}

export function containersOn(input: ContainersInput, cells: Cells): Containers {
  const { engine, services, projects, cores, memory, share, besideMib } = input;
  const list = services.map((service, index): Container => ({ service, index, ...cells.row(...FIGURES) }));
  const own = cells.row('bytes', 'share', 'tenths', 'some', 'project', 'scale');
  const network = cells.row('start', 'end');
  const wholes = services.map((service) => ({ ...wholeOf(service), besideMib: besideMib(service) }));
  const most = wholes.reduce((sum, { work }) => sum + work, 0) * MAX_LEVEL * MAX_LUCK;
  return {
    engine,
    list,
    projects,
    network,
    ...own,
    fill(frame, host) {
      frame[own.project] = Math.floor(unit(keyOf(host.hostKey, PROJECT), 0) * projects.length);
      frame[network.start] = scramble(keyOf(host.hostKey, PROJECT), 1);
      frame[network.end] = scramble(keyOf(host.hostKey, PROJECT), 2) & 0xffff;
      const now = secondsSinceEpoch(host.checkMs);
      let [bytes, work, tenths, count] = [0, 0, 0, 0];
      for (const [i, container] of list.entries()) {
        const whole = wholes[i] as (typeof wholes)[number];
        const key = containerKey(host, i);
        fillLife(frame, container, host);
        if (frame[container.running] === 0) continue;
        const level = levelOf(key);
        const workShare = (share * whole.work * level * inRange(LUCK, unit(key + 5, now))) / most;
        const cpu = 100 * cores * host.ownBusy * workShare;
        const drift = 1 + MAX_DRIFT * smoothNoise(key + 4, valueAt(frame, container.upSeconds) / DRIFT_SECONDS);
        const wanted = MIB * whole.memoryMib * inRange(MEMORY_AT_LEVEL, level) * drift;
        frame[container.cpu] = cpu;
        frame[container.memory] = wanted;
        bytes += wanted + MIB * whole.besideMib;
        work += workShare;
        tenths += Math.floor(10 * cpu);
        count++;
      }
      const scale = Math.min(1, (share * valueAt(frame, memory.programs)) / Math.max(1, bytes));
      for (const container of list) frame[container.memory] = pages(valueAt(frame, container.memory) * scale);
      frame[own.scale] = scale;
      frame[own.bytes] = bytes * scale;
      frame[own.share] = work;
      frame[own.tenths] = tenths;
      frame[own.some] = Math.min(1, count);
    },
  };
}

/** A container is replaced every few days by one with another id, and restarts with its host. */
function fillLife(frame: CellValues, container: Container, host: HostState): void {
  const key = containerKey(host, container.index);
  const now = secondsSinceEpoch(host.checkMs);
  const life = inRange(LIFE_DAYS, unit(key, -1)) * DAY_SECONDS;
  const lives = now / life + unit(key, -2);
  const turn = Math.floor(lives);
  const replaced = Math.ceil((turn - unit(key, -2)) * life + 5 + 60 * unit(key, turn));
  const started = Math.max(replaced, secondsSinceEpoch(host.bootMs) + 9 + (container.index % 7));
  const stops = unit(keyOf(host.hostKey, STOPS) + container.index, turn) < STOPPED;
  frame[container.running] = now < started || (stops && lives - turn > 1 - STOPPED_PART) ? 0 : 1;
  frame[container.turn] = turn;
  frame[container.upSeconds] = now - started;
  frame[container.id] = scramble(key + 1, turn);
  frame[container.idEnd] = scramble(key + 2, turn) & 0xff;
  frame[container.card] = scramble(key + 2, turn) >>> 16;
}

type Host = { readonly cores: number; readonly memory: HostMemory; readonly images: 'linux' | 'windows' };
type Fleet = { readonly data: HostTables; readonly checks: OptionalChecks };

/** Containers on systems that run them in a virtual machine. The host shows one process for all of them. Servers run images of Windows. */
export function desktopContainers({ data, checks }: Fleet, host: Host, cells: Cells): Containers | undefined {
  const { docker = 0 } = checks;
  if (docker === 0) return undefined;
  const services = containerServices((host.images === 'linux' ? linuxContainers : windowsContainers)(data), docker);
  const projects = ['shop', 'portal', 'demo'];
  return containersOn(
    { ...host, engine: 'docker', services, projects, share: MAX_GUEST_SHARE, besideMib: () => 0 },
    cells,
  );
}

/** Memory of that process without its containers. Too little for a large program, which would absorb a host's surplus memory. */
export const MACHINE_MIB = 180;
