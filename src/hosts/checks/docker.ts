import { DAY_SECONDS, HOUR_SECONDS } from '../../base/kernel/units.ts';
import {
  type Cell,
  type Cells,
  type CellValues,
  type Node,
  type Optional,
  type Row,
  slot,
  valueAt,
} from '../document/nodes.ts';
import { secondsSinceEpoch } from '../host/calendar.ts';
import {
  type Container,
  type Containers,
  containerKey,
  containerWork,
  receivedBytes,
  sentBytes,
} from '../host/containers.ts';
import type { HostState } from '../host/host-state.ts';
import type { HostMemory } from '../host/memory.ts';
import { keyOf, streamLabel, unit } from '../host/noise.ts';
import { fixedPart, type Part } from '../host/part.ts';
import type { OperatingSystem } from '../host/profile.ts';
import { fillOrder } from './prometheus-exporters.ts';

export type DockerInput = {
  /** `undefined` if the engine has no containers to run. */
  readonly containers: Containers | undefined;
  readonly memory: HostMemory;
  /** Cell that is 0 while the engine does not answer; `undefined` if it always answers. */
  readonly answers: Cell | undefined;
  readonly system: OperatingSystem;
};

const ORDER = streamLabel('docker.order');
/** Containers are shuffled within groups of this size only, because each entry must be able to hold each name of its group. */
const GROUP = 8;

const SILENT: Node = {
  error: 'Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?',
};

/** The answer of an agent that is configured to check containers on a host without a container engine. */
export function dockerMissing(system: OperatingSystem): Node {
  if (system !== 'windows') return SILENT;
  const cause = 'this error may indicate that the docker daemon is not running';
  const request = 'Get "http://%2F%2F.%2Fpipe%2Fdocker_engine/v1.51/containers/json"';
  const pipe = 'open //./pipe/docker_engine: The system cannot find the file specified.';
  return { error: `error during connect: ${cause}: ${request}: ${pipe}` };
}

/** Which container an entry shows, with its identity, status and release, and its figures. */
const IDENTITY = ['present', 'which', 'id', 'idEnd', 'form', 'count', 'minor', 'patch'] as const;
export const CONTAINER_FIGURES = ['received', 'sent', 'cpu', 'memoryPercent', 'read', 'written', 'memory'] as const;

type Entry = Row<(typeof IDENTITY | typeof CONTAINER_FIGURES)[number]>;

type Group = { readonly all: readonly Container[]; readonly rows: readonly Entry[]; readonly which: readonly Cell[] };

/** The check `docker`: the running containers, in random order. */
export function dockerCheck({ containers, memory, answers, system }: DockerInput, cells: Cells): Part {
  const silent = dockerMissing(system);
  if (containers === undefined) return fixedPart(answers === undefined ? [] : slot.either(answers, [silent, []]));
  const { list } = containers;
  const groups = Array.from({ length: Math.ceil(list.length / GROUP) }, (_, group): Group => {
    const all = list.slice(group * GROUP, (group + 1) * GROUP);
    const rows = all.map(() => cells.row(...IDENTITY, ...CONTAINER_FIGURES));
    return { all, rows, which: rows.map(({ which }) => which) };
  });
  const entries = groups.flatMap(({ all, rows }) => rows.map((row) => entryNode(row, all, containers)));
  return {
    node: answers === undefined ? entries : slot.either(answers, [silent, entries]),
    fill(frame, host) {
      for (const [group, { all, rows, which }] of groups.entries()) {
        fillOrder(frame, which, { key: keyOf(host.hostKey, ORDER) + group * GROUP, checkMs: host.checkMs });
        for (const row of rows) {
          const container = all[valueAt(frame, row.which)] as Container;
          frame[row.present] = valueAt(frame, container.running);
          if (frame[row.present] !== 0) fillEntry(frame, row, { container, host });
          frame[row.memoryPercent] = (valueAt(frame, row.memory) / valueAt(frame, memory.total)) * 100;
        }
      }
    },
  };
}

function entryNode(row: Entry, all: readonly Container[], { project, projects }: Containers): Node | Optional {
  const each = (nodeFor: (container: Container) => Node) => slot.either(row.which, all.map(nodeFor));
  const nameNode = ({ service: { name, replica } }: Container) => {
    const names = projects.map((of) => `/${of}-${name}-${replica}`);
    return slot.either(project, names);
  };
  return slot.optional(row.present, {
    id: slot.text(slot.hex(row.id, 8), slot.hex(row.idEnd, 2)),
    name: each(nameNode),
    image: each(({ service }) => imageNode(service.image, row)),
    size_rw: 0,
    size_root_fs: 0,
    state: 'running',
    status: statusNode(row),
    ...figuresNode(row),
  });
}

export function figuresNode(row: Row<(typeof CONTAINER_FIGURES)[number]>) {
  return {
    network_rx: slot.integer(row.received),
    network_tx: slot.integer(row.sent),
    cpu_percentage: slot.float(row.cpu),
    memory_percentage: slot.float(row.memoryPercent),
    disk_read: slot.integer(row.read),
    disk_write: slot.integer(row.written),
    memory_used: slot.integer(row.memory),
  };
}

const RELEASES = streamLabel('docker.releases');
/** Time between releases of the images that a host's owner builds, and how many releases hosts are apart. */
const RELEASE_SECONDS = 9 * DAY_SECONDS;
const RELEASES_APART = 12;
/** Patch releases of each minor one. These figures are chosen. */
const PATCHES = 5;

/** The tag of an image is the release of the day on which its container started. */
function imageNode(image: string, { minor, patch }: Row<'minor' | 'patch'>): Node {
  const [head = '', tail] = image.split('{release}');
  return tail === undefined ? image : slot.text(`${head}4.`, slot.integer(minor), '.', slot.integer(patch), tail);
}

type Running = { readonly container: Container; readonly host: HostState };

function fillEntry(frame: CellValues, row: Entry, { container, host }: Running): void {
  const upSeconds = valueAt(frame, container.upSeconds);
  const work = containerWork(containerKey(host, container.index), upSeconds);
  frame[row.id] = valueAt(frame, container.id);
  frame[row.idEnd] = valueAt(frame, container.idEnd);
  frame[row.cpu] = valueAt(frame, container.cpu);
  frame[row.memory] = valueAt(frame, container.memory);
  fillStatus(frame, row, upSeconds);
  const phase = RELEASES_APART * unit(keyOf(host.hostKey, RELEASES), 0);
  const release = Math.floor((secondsSinceEpoch(host.checkMs) - upSeconds) / RELEASE_SECONDS + phase);
  frame[row.minor] = Math.floor(release / PATCHES);
  frame[row.patch] = release % PATCHES;
  frame[row.received] = receivedBytes(work);
  frame[row.sent] = sentBytes(work);
  frame[row.read] = PAGE_BYTES * Math.floor(IMAGE_PAGES + PAGES_READ * work);
  frame[row.written] = PAGE_BYTES * Math.floor(PAGES_WRITTEN * work);
}

const PAGE_BYTES = 4096;
/** Pages that a container reads when it starts, and those that it reads and writes per unit of work. Chosen. */
const IMAGE_PAGES = 900;
const PAGES_READ = 0.02;
const PAGES_WRITTEN = 0.4;

type StatusCells = Row<'form' | 'count'>;

/** Wordings as `HumanDuration` of Docker's go-units has them; `#` is the number of units. From an hour on, ages are in whole hours. */
const WORDINGS = [
  { belowSeconds: 1, text: 'Less than a second', unitSeconds: 1 },
  { belowSeconds: 2, text: '1 second', unitSeconds: 1 },
  { belowSeconds: 60, text: '# seconds', unitSeconds: 1 },
  { belowSeconds: 120, text: 'About a minute', unitSeconds: 60 },
  { belowSeconds: HOUR_SECONDS, text: '# minutes', unitSeconds: 60 },
  { belowSeconds: 2 * HOUR_SECONDS, text: 'About an hour', unitSeconds: HOUR_SECONDS },
  { belowSeconds: 2 * DAY_SECONDS, text: '# hours', unitSeconds: HOUR_SECONDS },
  { belowSeconds: 14 * DAY_SECONDS, text: '# days', unitSeconds: DAY_SECONDS },
  { belowSeconds: 60 * DAY_SECONDS, text: '# weeks', unitSeconds: 7 * DAY_SECONDS },
  { belowSeconds: Number.POSITIVE_INFINITY, text: '# months', unitSeconds: 30 * DAY_SECONDS },
];

/** A container's uptime: `form` selects the wording, `count` is its number. */
export function statusNode({ form, count }: StatusCells): Node {
  const wordings = WORDINGS.map(({ text }) => {
    return text.startsWith('#') ? slot.text('Up ', slot.integer(count), text.slice(1)) : `Up ${text}`;
  });
  return slot.either(form, wordings);
}

export function fillStatus(frame: CellValues, { form, count }: StatusCells, seconds: number): void {
  const age = seconds < HOUR_SECONDS ? seconds : HOUR_SECONDS * Math.floor(seconds / HOUR_SECONDS + 0.5);
  const index = WORDINGS.findIndex(({ belowSeconds }) => age < belowSeconds);
  frame[form] = index;
  frame[count] = Math.floor(age / (WORDINGS[index]?.unitSeconds ?? 1));
}
