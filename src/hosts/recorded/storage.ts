import { DAY_MS, MIB } from '../../ground/kernel/units.ts';
import { mean, posixDiskIoCheck, SECTOR_BYTES, windowsDiskIoCheck } from '../checks/disk-io.ts';
import { slot, valueAt } from '../document/nodes.ts';
import { type FilledBy, filling, fullness } from '../host/failures.ts';
import type { BlockDevice, PhysicalDisk } from '../host/hardware.ts';
import { type Incident, ofKind } from '../host/incident.ts';
import { keyOf, streamLabel } from '../host/noise.ts';
import type { Part } from '../host/part.ts';
import type { Levels } from './recorded-hosts.ts';
import {
  type Live,
  type LiveCells,
  type RecordedChecks,
  type RecordedDisk,
  type RecordedFileSystem,
  secondsCounted,
  shareAt,
} from './template.ts';

const ROOTS = { linux: '/', darwin: '/System/Volumes/Data', windows: 'C:' } as const;
/** Maximum use of a file system without an incident. */
const MOST_USED = 0.985;

type StorageInput = {
  readonly recorded: RecordedChecks;
  readonly levels: Levels;
  readonly incidents: readonly Incident[];
};

/** The incidents, except full disks that this host does not have. */
export function possibleHere({ agent, disks = [] }: RecordedChecks, all: readonly Incident[]): readonly Incident[] {
  const mounted = new Set(disks.map(({ disk }) => disk.mountpoint));
  return all.filter((one) => one.kind !== 'disk-full' || mounted.has(one.mountpoint ?? ROOTS[agent.goos]));
}

function fillsOf({ recorded, incidents }: StorageInput, places: readonly RecordedFileSystem[]): FilledBy {
  const full = ofKind(incidents, 'disk-full');
  return places.flatMap(({ disk }) => filling(full, disk.mountpoint, ROOTS[recorded.agent.goos]));
}

/** The check `disks`: file systems of one pool share their free space. */
export function liveDisks(input: StorageInput, live: LiveCells): Live {
  const pools = Map.groupBy(input.recorded.disks ?? [], poolOf);
  const places = new Map([...pools].map(([name, pool]) => [name, livePool(pool, input, live)]));
  return { '*': (place: RecordedFileSystem): Live => places.get(poolOf(place))?.(place) };
}

/** File systems of equal size and free space share a pool: volumes of a container, or mounts of one device. */
function poolOf({ usage: { total, free }, disk: { device } }: RecordedFileSystem): string {
  return total === 0 ? `nothing ${device}` : `${total} ${free}`;
}

/** The file system that grows is the largest, with its other mounts. The rest of the pool stays as recorded. */
function livePool(
  pool: readonly RecordedFileSystem[],
  input: StorageInput,
  { filled }: LiveCells,
): (place: RecordedFileSystem) => Live {
  const [largest] = pool.toSorted((a, b) => b.usage.used - a.usage.used);
  // Nothing is written to images and to file systems that are always empty.
  if (largest === undefined || largest.usage.used === 0 || largest.usage.free === 0) return () => undefined;
  const { usage, disk } = largest;
  const room = usage.used + usage.free;
  const unitBytes = input.recorded.agent.goos === 'windows' ? MIB : 4096;
  const label = streamLabel(`recorded.disks.${disk.mountpoint}`);
  const filledBy = fillsOf(input, pool);
  const level = input.levels.disks[disk.mountpoint] ?? { mean: usage.used / room, spread: 0 };
  const taken = filled((host) => {
    const usual = Math.min(MOST_USED, shareAt(level, keyOf(host.hostKey, label), host.checkMs / DAY_MS));
    const share = usual + (1 - usual) * fullness(filledBy, host);
    return share >= 1 ? room : unitBytes * Math.floor((room * share) / unitBytes);
  });
  const free = filled((_, frame) => room - valueAt(frame, taken));
  return ({ usage: { used } }) => {
    const own = used === usage.used ? taken : filled(() => used);
    const percent = filled((_, frame) => (valueAt(frame, own) / (valueAt(frame, own) + valueAt(frame, free))) * 100);
    return { usage: { used: slot.integer(own), free: slot.integer(free), percent: slot.float(percent) } };
  };
}

/** The check `disk_io`: rates, sizes and latencies of requests match the recorded counters on average. */
export function recordedDiskIo(input: StorageInput, { cells }: LiveCells): Part {
  const { agent, disk_io = {} } = input.recorded;
  const unitBytes = agent.goos === 'linux' ? SECTOR_BYTES : 1;
  const disks = new Map(
    Object.entries(disk_io).map(([name, disk]) => [name, diskOf(name, disk, { input, unitBytes })]),
  );
  if (agent.goos === 'windows') return windowsDiskIoCheck([...disks.values()], cells);
  // The counters of a disk include those of its partitions, which have its name and a number after it.
  const parentOf = (name: string) => {
    const above = name.replace(/(?<=\d)p\d+$|(?<=^[a-z]+)\d+$|s\d+$/, '');
    return above !== name && disks.has(above) ? above : undefined;
  };
  const under = (parent: string | undefined): readonly BlockDevice[] =>
    [...disks].flatMap(([name, disk]) => (parentOf(name) === parent ? [{ ...disk, partitions: under(name) }] : []));
  return posixDiskIoCheck({ devices: under(undefined), unitBytes }, cells);
}

const USUAL_WAIT_MS = 0.5;

type Counter = Exclude<keyof RecordedDisk, 'Device'>;
type Counting = { readonly input: StorageInput; readonly unitBytes: number };

function diskOf(name: string, disk: RecordedDisk, { input, unitBytes }: Counting): PhysicalDisk {
  const { recorded } = input;
  const seconds = secondsCounted(recorded);
  const isWindows = recorded.agent.goos === 'windows';
  const count = (posix: Counter, windows: Counter) => disk[isWindows ? windows : posix];
  const [reads, writes] = [count('ReadCount', 'DiskReadsPerSec'), count('WriteCount', 'DiskWritesPerSec')];
  const [readMs, writeMs] = [disk.ReadTime, disk.WriteTime];
  const isStill = !isWindows && writes === 0 && disk.ReadIopsPerSecond === 0;
  const isHere = ({ disk: { device, mountpoint } }: RecordedFileSystem) =>
    isWindows ? name.split(' ').includes(mountpoint) : device === `/dev/${name}`;
  return {
    name,
    readsPerSecond: isStill ? 0 : reads / seconds,
    writesPerSecond: writes / seconds,
    latencyMs: 1,
    stalledBy: fillsOf(input, (recorded.disks ?? []).filter(isHere)),
    measured: {
      // Times on Windows wrap to 0 every few hours, so only the mean waits of requests are usable.
      readMs: isWindows ? disk.ReadAvgWait || USUAL_WAIT_MS : mean(readMs, reads),
      writeMs: isWindows ? disk.WriteAvgWait || USUAL_WAIT_MS : mean(writeMs, writes),
      readBytes: unitBytes * mean(count('ReadBytes', 'DiskReadBytesPerSec'), reads),
      writeBytes: unitBytes * mean(count('WriteBytes', 'DiskWriteBytesPerSec'), writes),
      busyShare: isWindows ? undefined : disk.IoTime / Math.max(1, readMs + writeMs),
      stillReads: isStill ? reads : 0,
    },
  };
}
