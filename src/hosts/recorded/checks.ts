import { DAY_MS, HOUR_MS, HOUR_SECONDS, MIB } from '../../base/kernel/units.ts';
import { mean, posixDiskIoCheck, SECTOR_BYTES, windowsDiskIoCheck } from '../checks/disk-io.ts';
import { CONTAINER_FIGURES, figuresNode, fillStatus, statusNode } from '../checks/docker.ts';
import { netIoCheck } from '../checks/network.ts';
import { type Keyed, type Node, slot, valueAt } from '../document/nodes.ts';
import { SOONEST_AGENT_MS } from '../host/boots.ts';
import { type FilledBy, filling, fullness, leakedShare, leftInSwap } from '../host/failures.ts';
import type { BlockDevice, PhysicalDisk } from '../host/hardware.ts';
import { type Incident, ofKind } from '../host/incident.ts';
import type { HostCard } from '../host/linux/guest-cards.ts';
import { type HostMemory, LINUX_MEMORY, macosMemory, pages, WINDOWS_MEMORY } from '../host/memory.ts';
import { AROUND_RECORDED, inRange, keyOf, smoothNoise, streamLabel, unit } from '../host/noise.ts';
import type { Part } from '../host/part.ts';
import type { WithIdentities } from './identities.ts';
import type { Levels } from './recorded-hosts.ts';
import {
  type Live,
  type LiveCells,
  perSecond,
  type RecordedChecks,
  type RecordedDisk,
  type RecordedFileSystem,
  type RecordedValue,
  shareAt,
} from './template.ts';

/* Checks in which little more than times changes. Factors and times without a source are chosen. */

const CUSTOM = streamLabel('recorded.customchecks');
/** Interval between runs of a plugin. Documents do not contain it; this is the agent's default. */
const PLUGIN_SECONDS = 60;

/** The check `customchecks`: plugins repeat their recorded results, at times that differ between hosts. */
export function liveCustomChecks({ filled }: LiveCells): Live {
  const executed = (index: number) =>
    filled(({ hostKey, clockMs, runnerStartMs }) => {
      const phase = Math.floor(PLUGIN_SECONDS * unit(keyOf(hostKey, CUSTOM), index));
      const now = Math.floor(clockMs / 1000);
      const last = Math.floor((now - phase) / PLUGIN_SECONDS) * PLUGIN_SECONDS + phase;
      return Math.max(last, Math.min(now, Math.floor(runnerStartMs / 1000)));
    });
  return { '*': (_: unknown, index) => ({ execution_unix_timestamp_sec: slot.integer(executed(index)) }) };
}

const SENSORS = streamLabel('recorded.sensors');
/** Degrees between idle and busy. */
const HEAT = 22;

/** The check `sensors`: temperatures near the recorded ones, higher while the host is busy. */
export function liveSensors(usuallyBusy: number, { filled }: LiveCells): Live {
  const degrees = (usual: number, index: number) => {
    const perDegree = Number.isInteger(usual) ? 1 : 64;
    return filled(({ hostKey, busyMinute, saturation, checkMs }) => {
      const key = keyOf(hostKey, SENSORS) + index;
      const busy = busyMinute + (1 - busyMinute) * saturation.minute - usuallyBusy;
      const own = 2 * (unit(key, -1) - 0.5) + 1.5 * smoothNoise(key, checkMs / 40_000);
      return Math.round((usual + HEAT * busy + own) * perDegree) / perDegree;
    });
  };
  const sensor = ({ current }: { readonly current: number }, index: number): Live => {
    return current === 0 ? undefined : { current: slot.float(degrees(current, index)) };
  };
  return { Temperatures: { '*': sensor } };
}

const USERS = streamLabel('recorded.users');
/** Approximate time between sign-ins of a user, who stays signed in. */
const SESSION_SECONDS = 6 * HOUR_SECONDS;

/** The check `users`: the recorded users are signed in, since a different time on each host. */
export function liveUsers(isWindows: boolean, { filled }: LiveCells): Live {
  const started = (index: number) =>
    filled(({ hostKey, bootMs, checkMs }) => {
      const key = keyOf(hostKey, USERS) + index;
      const now = checkMs / 1000;
      const turn = Math.floor(now / SESSION_SECONDS + unit(key, -1)) - 1;
      const since = Math.floor((turn - unit(key, -1) + 0.9 * unit(key, turn)) * SESSION_SECONDS);
      const seconds = Math.min(Math.floor(now), Math.max(since, Math.ceil((bootMs + SOONEST_AGENT_MS) / 1000)));
      return isWindows ? 1000 * seconds : seconds;
    });
  const user = (recorded: { readonly started: number }, index: number): Live => {
    return recorded.started === 0 ? undefined : { started: slot.integer(started(index)) };
  };
  return { '*': user };
}

const DOCKER = streamLabel('recorded.docker');

/** The check `docker`: the recorded containers, which have been up since soon after boot. */
export function liveContainers(own: WithIdentities, { cells, part }: LiveCells): Live {
  const container = (recorded: { readonly [member: string]: RecordedValue }, index: number): Live => {
    const row = cells.row('form', 'count', ...CONTAINER_FIGURES);
    const number = (member: string) => Number(recorded[member] ?? 0);
    return part({
      node: {
        id: own(String(recorded.id ?? '')),
        name: own(String(recorded.name ?? '')),
        status: statusNode(row),
        ...figuresNode(row),
      },
      fill(frame, host) {
        const key = keyOf(host.hostKey, DOCKER) + index;
        const level = inRange(AROUND_RECORDED, unit(key, 0));
        const work = level * Math.max(0, host.work);
        fillStatus(frame, row, Math.max(1, host.uptimeSeconds - 5 - Math.floor(20 * unit(key, 1))));
        frame[row.received] = Math.floor(number('network_rx') * level + 900 * work);
        frame[row.sent] = Math.floor(number('network_tx') * level + (number('network_tx') > 0 ? 700 * work : 0));
        frame[row.read] = 4096 * Math.floor((number('disk_read') * level) / 4096 + 0.01 * work);
        frame[row.written] = 4096 * Math.floor((number('disk_write') * level) / 4096);
        frame[row.cpu] = number('cpu_percentage') * level * (0.6 + 0.4 * smoothNoise(key, host.checkMs / 60_000));
        const grown = level * (1 + 0.05 * smoothNoise(key + 1, host.checkMs / 900_000));
        frame[row.memory] = 4096 * Math.floor((number('memory_used') * grown) / 4096);
        frame[row.memoryPercent] = number('memory_percentage') * grown;
      },
    });
  };
  return { '*': container };
}

/** The check `windows_eventlog`: entries have their recorded ages, from whole hours of the host's clock. */
export function liveEventLog(recordedSeconds: number, { filled }: LiveCells): Live {
  const entry = ({ TimeGenerated = 0 }: { readonly TimeGenerated?: number }): Live => {
    const age = Math.max(0, recordedSeconds - TimeGenerated);
    const hourMs = 1000 * HOUR_SECONDS;
    const time = slot.integer(filled(({ clockMs }) => Math.floor(clockMs / hourMs) * HOUR_SECONDS - age));
    return { TimeGenerated: time, TimeWritten: time };
  };
  return { '*': { '*': entry } };
}

/** The check `net_io`: packet rates, sizes and losses match the recorded counters on average. */
export function recordedNetIo(recorded: RecordedChecks, levels: Levels, { cells }: LiveCells): Part {
  const countsUnsent = recorded.agent.goos !== 'darwin';
  const source = { recorded, levels };
  const cards = Object.entries(recorded.net_io ?? {}).map(([name, card]): HostCard => {
    const { packets_sent: sent, packets_recv: received } = card;
    const measured = {
      sentBytes: mean(card.bytes_sent, sent),
      receivedBytes: mean(card.bytes_recv, received),
      errin: mean(card.errin, received),
      errout: mean(card.errout, sent),
      dropin: mean(card.dropin, received),
      dropout: mean(card.dropout, sent),
    };
    const each = Math.max(...Object.values(measured));
    // The agent rounds averages down, and those of bytes lose less.
    const sentPackets = card.avg_packets_sent_ps || mean(card.avg_bytes_sent_ps, measured.sentBytes);
    const receivedPackets = card.avg_packets_recv_ps || mean(card.avg_bytes_recv_ps, measured.receivedBytes);
    return {
      name,
      up: true,
      duplex: 0,
      speed: 0,
      mtu: 0,
      countsUnsent,
      measured,
      packetsPerSecond: {
        sent: perSecond(source, ['net_io', name, 'packets_sent'], { average: sentPackets, each }),
        received: perSecond(source, ['net_io', name, 'packets_recv'], { average: receivedPackets, each }),
      },
      loops: sent > 0 && sent === received && card.bytes_sent === card.bytes_recv,
    };
  });
  return byRecordedName(netIoCheck(cards, cells));
}

/** Recorded cards have fixed names, so each can be found by its own. */
function byRecordedName({ node, fill }: Part): Part {
  const { members } = node as Keyed;
  return { node: Object.fromEntries(members.map(({ key, value }) => [String(key.parts[0]), value as Node])), fill };
}

const MEMORY = streamLabel('recorded.memory');
const SWAP = streamLabel('recorded.swap');
const FREE = streamLabel('recorded.free');
const MAX_USED_SHARE = 0.97;
/** Programs that have just started hold less memory and have nothing in swap. */
const YOUNG = 0.35;
const SETTLING_SECONDS = 5400;

export function recordedMemory(recorded: RecordedChecks, levels: Levels, { cells }: LiveCells): HostMemory {
  const row = cells.row('total', 'used', 'programs', 'leaked', 'swap', 'swapUsed');
  const total = recorded.memory?.total ?? 2 ** 32;
  const swap = recorded.swap?.total ?? 0;
  const rules = rulesOf(recorded);
  return {
    ...row,
    rules,
    fill(frame, host) {
      const settled = 1 - YOUNG * Math.exp(-host.uptimeSeconds / SETTLING_SECONDS);
      const hours = host.checkMs / HOUR_MS;
      const share = Math.min(MAX_USED_SHARE, settled * shareAt(levels.memory, keyOf(host.hostKey, MEMORY), hours));
      const swapped = shareAt(levels.swap, keyOf(host.hostKey, SWAP), hours) + 0.7 * leftInSwap(host);
      frame[row.total] = total;
      frame[row.programs] = pages(total * share, rules.pageBytes);
      frame[row.leaked] = pages(total * leakedShare(host, share), rules.pageBytes);
      frame[row.used] = valueAt(frame, row.programs) + valueAt(frame, row.leaked);
      frame[row.swap] = swap;
      frame[row.swapUsed] = pages(swap * Math.min(MAX_USED_SHARE, swapped), rules.swapUnitBytes);
    },
  };
}

function rulesOf({ agent: { goos, goarch } }: RecordedChecks): HostMemory['rules'] {
  if (goos === 'windows') return WINDOWS_MEMORY;
  return goos === 'darwin' ? macosMemory(goarch === 'arm64') : LINUX_MEMORY;
}

export function liveMemory({ rules, used: usedCell }: HostMemory, levels: Levels, { cells, part }: LiveCells): Live {
  const row = cells.row('available', 'percent', 'free', 'inactive', 'wired');
  const { cache, pageBytes } = rules;
  return ({ total, used, wired }: NonNullable<RecordedChecks['memory']>) =>
    part({
      node: {
        available: slot.integer(row.available),
        percent: slot.float(row.percent),
        used: slot.integer(usedCell),
        free: slot.integer(row.free),
        inactive: slot.integer(row.inactive),
        wired: slot.integer(row.wired),
      },
      fill(frame, host) {
        const key = keyOf(host.hostKey, FREE);
        const hours = host.checkMs / HOUR_MS;
        const available = total - valueAt(frame, usedCell);
        const files = cache === 'free' ? 0 : available * (1 - Math.min(1, shareAt(levels.free, key, hours)));
        const free = pages(available - files, cache === 'free' ? 1 : pageBytes);
        const inactive = pages(Math.min(total - free, total * shareAt(levels.inactive, key + 1, hours)), pageBytes);
        frame[row.available] = available;
        frame[row.percent] = (valueAt(frame, usedCell) / total) * 100;
        frame[row.free] = free;
        frame[row.inactive] = cache === 'available' ? available - free : inactive;
        frame[row.wired] = pages((valueAt(frame, usedCell) * wired) / used, pageBytes);
      },
    });
}

const ROOTS = { linux: '/', darwin: '/System/Volumes/Data', windows: 'C:' } as const;
/** Maximum use of a file system without an incident. */
const FULLEST = 0.985;

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

function fillsOf({ recorded, incidents }: StorageInput, fileSystems: readonly RecordedFileSystem[]): FilledBy {
  const full = ofKind(incidents, 'disk-full');
  return fileSystems.flatMap(({ disk }) => filling(full, disk.mountpoint, ROOTS[recorded.agent.goos]));
}

/** The check `disks`: file systems of one pool share their free space. */
export function liveDisks(input: StorageInput, live: LiveCells): Live {
  const pools = Map.groupBy(input.recorded.disks ?? [], poolOf);
  const livePools = new Map([...pools].map(([name, pool]) => [name, livePool(pool, input, live)]));
  return { '*': (fileSystem: RecordedFileSystem): Live => livePools.get(poolOf(fileSystem))?.(fileSystem) };
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
): (fileSystem: RecordedFileSystem) => Live {
  const [largest] = pool.toSorted((a, b) => b.usage.used - a.usage.used);
  // Nothing is written to images and to file systems that are always empty.
  if (largest === undefined || largest.usage.used === 0 || largest.usage.free === 0) return () => undefined;
  const { usage, disk } = largest;
  const room = usage.used + usage.free;
  const unitBytes = input.recorded.agent.goos === 'windows' ? MIB : 4096;
  const label = streamLabel(`recorded.disks.${disk.mountpoint}`);
  const filledBy = fillsOf(input, pool);
  const level = input.levels.disks[disk.mountpoint] ?? { mean: usage.used / room, spread: 0 };
  const usedCell = filled((host) => {
    const usual = Math.min(FULLEST, shareAt(level, keyOf(host.hostKey, label), host.checkMs / DAY_MS));
    const share = usual + (1 - usual) * fullness(filledBy, host);
    return share >= 1 ? room : unitBytes * Math.floor((room * share) / unitBytes);
  });
  const free = filled((_, frame) => room - valueAt(frame, usedCell));
  return ({ usage: { used } }) => {
    const own = used === usage.used ? usedCell : filled(() => used);
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
const WINDOWS_TICKS = 10_000;

type Counter = Exclude<keyof RecordedDisk, 'Device'>;
type Counting = { readonly input: StorageInput; readonly unitBytes: number };

function diskOf(name: string, disk: RecordedDisk, { input, unitBytes }: Counting): PhysicalDisk {
  const { recorded } = input;
  const isWindows = recorded.agent.goos === 'windows';
  const count = (posix: Counter, windows: Counter) => disk[isWindows ? windows : posix];
  const [readCount, writeCount] = isWindows
    ? (['DiskReadsPerSec', 'DiskWritesPerSec'] as const)
    : (['ReadCount', 'WriteCount'] as const);
  const [reads, writes] = [disk[readCount], disk[writeCount]];
  const [readMs, writeMs] = [disk.ReadTime, disk.WriteTime];
  const isStill = !isWindows && writes === 0 && disk.ReadIopsPerSecond === 0;
  const isHere = ({ disk: { device, mountpoint } }: RecordedFileSystem) =>
    isWindows ? name.split(' ').includes(mountpoint) : device === `/dev/${name}`;
  const measured = {
    // Times on Windows wrap to 0 every few hours, so only the mean waits of requests are usable.
    readMs: isWindows ? disk.ReadAvgWait || USUAL_WAIT_MS : mean(readMs, reads),
    writeMs: isWindows ? disk.WriteAvgWait || USUAL_WAIT_MS : mean(writeMs, writes),
    readBytes: unitBytes * mean(count('ReadBytes', 'DiskReadBytesPerSec'), reads),
    writeBytes: unitBytes * mean(count('WriteBytes', 'DiskWriteBytesPerSec'), writes),
    busyShare: isWindows ? undefined : disk.IoTime / Math.max(1, readMs + writeMs),
    stillReads: isStill ? reads : 0,
  };
  const { readBytes, writeBytes, busyShare = 1 } = measured;
  const ticks = Math.max(1, busyShare) * (isWindows ? WINDOWS_TICKS : 1);
  const readAverage = disk.ReadIopsPerSecond || mean(disk.ReadBytesPerSecond, readBytes);
  const writeAverage = disk.WriteIopsPerSecond || mean(disk.WriteBytesPerSecond, writeBytes);
  const readMost = Math.max(readBytes, measured.readMs * ticks);
  const writeMost = Math.max(writeBytes, measured.writeMs * ticks);
  return {
    name,
    readsPerSecond: isStill
      ? 0
      : perSecond(input, ['disk_io', name, readCount], { average: readAverage, each: readMost }),
    writesPerSecond: perSecond(input, ['disk_io', name, writeCount], { average: writeAverage, each: writeMost }),
    latencyMs: 1,
    stalledBy: fillsOf(input, (recorded.disks ?? []).filter(isHere)),
    measured,
  };
}
