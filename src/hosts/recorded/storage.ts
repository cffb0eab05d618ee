import { DAY_MS, MIB } from '../../ground/kernel/units.ts';
import { posixDiskIoCheck, SECTOR_BYTES, windowsDiskIoCheck } from '../checks/disk-io.ts';
import { type Cells, type CellValues, float, integer, type Row, valueAt } from '../document/nodes.ts';
import { type FilledBy, filling, fullness } from '../host/failures.ts';
import type { BlockDevice, MeasuredDisk, PhysicalDisk } from '../host/hardware.ts';
import type { HostState } from '../host/host-state.ts';
import { type Incident, ofKind } from '../host/incident.ts';
import { keyOf, streamLabel } from '../host/noise.ts';
import { fixedPart, inTurn, type Part } from '../host/part.ts';
import { shareAt } from './fitting.ts';
import type { Level, Levels } from './recorded-hosts.ts';
import { type RecordedCheckdata, type RecordedDisk, type RecordedFileSystem, secondsCounted, told } from './shapes.ts';

const ROOTS = { linux: '/', darwin: '/System/Volumes/Data', windows: 'C:' } as const;
/** Maximum use of a file system without an incident. */
const MOST_USED = 0.985;

type StorageInput = {
  readonly document: RecordedCheckdata;
  readonly levels: Levels;
  readonly incidents: readonly Incident[];
};

/** The incidents that fill a file system. */
function fillsOf({ document, incidents }: StorageInput, mountpoint: string): FilledBy {
  return filling(ofKind(incidents, 'disk-full'), mountpoint, ROOTS[document.agent.goos]);
}

/** The incidents, except full disks that this host does not have. */
export function possibleHere({ document, incidents }: StorageInput): readonly Incident[] {
  const mounted = new Set((told(document.disks) ?? []).map(({ disk }) => disk.mountpoint));
  return incidents.filter((incident) => {
    return incident.kind !== 'disk-full' || mounted.has(incident.mountpoint ?? ROOTS[document.agent.goos]);
  });
}

/** The check `disks`: file systems of one pool share their free space. */
export function recordedDisks(input: StorageInput, cells: Cells): Part {
  const places = told(input.document.disks);
  if (places === undefined) return fixedPart([]);
  const pools = [...Map.groupBy(places, poolOf).values()];
  const parts = pools.flatMap((pool) => poolParts(pool, input, cells));
  const byPlace = new Map(parts.map(({ place, part }) => [place, part]));
  return {
    node: places.map((place) => byPlace.get(place)?.node ?? null),
    fill: inTurn(parts.map(({ part }) => part.fill)),
  };
}

/** File systems of equal size and free space share a pool: volumes of a container, or mounts of one device. */
function poolOf({ usage: { total, free }, disk: { device } }: RecordedFileSystem): string {
  return total === 0 ? `nothing ${device}` : `${total} ${free}`;
}

type PlacePart = { readonly place: RecordedFileSystem; readonly part: Part };
type Usage = Row<'used' | 'free' | 'percent'>;

function poolParts(pool: readonly RecordedFileSystem[], input: StorageInput, cells: Cells): readonly PlacePart[] {
  const [largest] = pool.toSorted((a, b) => b.usage.used - a.usage.used);
  if (largest === undefined || isFixed(largest)) {
    return pool.map((place) => ({ place, part: fixedPart(place as never) }));
  }
  const { usage, disk } = largest;
  const unitBytes = input.document.agent.goos === 'windows' ? MIB : 4096;
  const label = streamLabel(`recorded.disks.${disk.mountpoint}`);
  const filledBy = pool.flatMap(({ disk: { mountpoint } }) => fillsOf(input, mountpoint));
  const level: Level = input.levels.disks[disk.mountpoint] ?? {
    mean: usage.used / (usage.used + usage.free),
    spread: 0,
  };
  const room = usage.used + usage.free;
  const taken = cells.one();
  const whole: Part['fill'] = (frame, host) => {
    const usual = Math.min(MOST_USED, shareAt(level, keyOf(host.hostKey, label), host.checkMs / DAY_MS));
    const share = usual + (1 - usual) * fullness(filledBy, host);
    frame[taken] = share >= 1 ? room : unitBytes * Math.floor((room * share) / unitBytes);
  };
  return pool.map((place, index) => {
    const row = cells.row('used', 'free', 'percent');
    // File systems as full as the largest are other mounts of it. The rest of the pool stays as recorded.
    const grows = place.usage.used === usage.used;
    const fill = (frame: CellValues, host: HostState) => {
      if (index === 0) whole(frame, host);
      const left = room - valueAt(frame, taken);
      fillUsage(frame, row, grows ? valueAt(frame, taken) : place.usage.used, left);
    };
    const told = { used: integer(row.used), free: integer(row.free), percent: float(row.percent) };
    return { place, part: { node: { disk: place.disk as never, usage: { total: place.usage.total, ...told } }, fill } };
  });
}

/** Nothing is written to images and to file systems that are always empty. */
function isFixed({ usage: { used, free } }: RecordedFileSystem): boolean {
  return used === 0 || free === 0;
}

function fillUsage(frame: CellValues, row: Usage, used: number, free: number): void {
  frame[row.used] = used;
  frame[row.free] = free;
  frame[row.percent] = (used / (used + free)) * 100;
}

/** The check `disk_io`: rates, sizes and latencies of requests match the recorded counters on average. */
export function recordedDiskIo(input: StorageInput, cells: Cells): Part {
  const { document } = input;
  const counters = told(document.disk_io) ?? {};
  const { goos } = document.agent;
  const seconds = secondsCounted(document);
  if (goos === 'windows') {
    const disks = Object.entries(counters).map(([name, disk]) => windowsDisk(name, disk, { input, seconds }));
    return windowsDiskIoCheck(disks, cells);
  }
  const unitBytes = goos === 'linux' ? SECTOR_BYTES : 1;
  const devices = tree(Object.entries(counters), { input, seconds, unitBytes });
  return posixDiskIoCheck({ devices, unitBytes }, cells);
}

type Since = { readonly input: StorageInput; readonly seconds: number };
type Counting = Since & { readonly unitBytes: number };

/** The counters of a disk include those of its partitions, which have its name and a number after it. */
function tree(entries: readonly (readonly [string, RecordedDisk])[], counting: Counting): readonly BlockDevice[] {
  const names = entries.map(([name]) => name);
  const parentOf = (name: string) => {
    const above = name.replace(/(?<=\d)p\d+$|(?<=^[a-z]+)\d+$|s\d+$/, '');
    return above !== name && names.includes(above) ? above : undefined;
  };
  const device = ([name, disk]: readonly [string, RecordedDisk]): BlockDevice => ({
    ...posixDisk(name, disk, counting),
    partitions: entries.filter(([other]) => parentOf(other) === name).map(device),
  });
  return entries.filter(([name]) => parentOf(name) === undefined).map(device);
}

function posixDisk(name: string, disk: RecordedDisk, { input, seconds, unitBytes }: Counting): PhysicalDisk {
  const { ReadCount: reads = 0, WriteCount: writes = 0, ReadTime = 0, WriteTime = 0, IoTime = 0 } = disk;
  const isStill = writes === 0 && disk.ReadIopsPerSecond === 0;
  const busyShare = IoTime / Math.max(1, ReadTime + WriteTime);
  const measured = {
    readMs: mean(ReadTime, reads),
    writeMs: mean(WriteTime, writes),
    readBytes: unitBytes * mean(disk.ReadBytes ?? 0, reads),
    writeBytes: unitBytes * mean(disk.WriteBytes ?? 0, writes),
    ...{ busyShare, stillReads: isStill ? reads : 0 },
  };
  return device(name, { reads: isStill ? 0 : reads, writes, seconds, measured }, fillsOnDevice(input, `/dev/${name}`));
}

/** Times on Windows wrap to 0 every few hours, so only the mean waits of requests are usable. */
function windowsDisk(name: string, disk: RecordedDisk, { input, seconds }: Since): PhysicalDisk {
  const { DiskReadsPerSec: reads = 0, DiskWritesPerSec: writes = 0, ReadAvgWait = 0, WriteAvgWait = 0 } = disk;
  const measured = {
    readMs: ReadAvgWait === 0 ? USUAL_WAIT_MS : ReadAvgWait,
    writeMs: WriteAvgWait === 0 ? USUAL_WAIT_MS : WriteAvgWait,
    readBytes: mean(disk.DiskReadBytesPerSec ?? 0, reads),
    writeBytes: mean(disk.DiskWriteBytesPerSec ?? 0, writes),
    ...{ busyShare: 0.5, stillReads: 0 },
  };
  const filledBy = name.split(' ').flatMap((volume) => fillsOf(input, volume));
  return device(name, { reads, writes, seconds, measured }, filledBy);
}

const USUAL_WAIT_MS = 0.5;

type Requests = Readonly<Record<'reads' | 'writes' | 'seconds', number>> & { readonly measured: MeasuredDisk };

function device(name: string, { reads, writes, seconds, measured }: Requests, stalledBy: FilledBy): PhysicalDisk {
  return {
    name,
    readsPerSecond: reads / seconds,
    writesPerSecond: writes / seconds,
    latencyMs: 1,
    stalledBy,
    measured,
  };
}

function fillsOnDevice(input: StorageInput, path: string): FilledBy {
  const on = (told(input.document.disks) ?? []).filter(({ disk: { device } }) => device === path);
  return on.flatMap(({ disk: { mountpoint } }) => fillsOf(input, mountpoint));
}

function mean(sum: number, count: number): number {
  return count === 0 ? 0 : sum / count;
}
