import { type Cell, type Cells, type CellValues, type Node, type Row, slot, valueAt } from '../document/nodes.ts';
import { lostWork } from '../host/failures.ts';
import type { BlockDevice, PhysicalDisk } from '../host/hardware.ts';
import type { HostState } from '../host/host-state.ts';
import {
  AROUND_RECORDED,
  bursts,
  inRange,
  keyOf,
  scramble,
  smoothNoise,
  streamLabel,
  unit,
  type ValueRange,
} from '../host/noise.ts';
import { type Fill, inTurn, type Part, type PartOf, sortedMembers } from '../host/part.ts';

/* Numbers, sizes and shares of requests without a source are chosen. */

/** Bursts of requests over work (`BURSTS`), and of wait times over requests (`WAITS`). */
const BURSTS = { block: 1800, depth: 6, strength: 0.96 };
const WAITS = { block: 3000, depth: 7, strength: 0.97 };

/** Request sizes are multiples of a sector, whatever unit the check reports. */
export const SECTOR_BYTES = 512;

const COUNTERS = ['ReadBytes', 'WriteBytes', 'ReadCount', 'WriteCount', 'ReadTime', 'WriteTime', 'IoTime'] as const;

type Counter = (typeof COUNTERS)[number];

type Counters = Row<Counter>;

const WINDOWS_COUNTERS =
  `Frequency_PerfTime Timestamp_Sys100NS AvgDiskSecPerRead AvgDiskSecPerRead_Base AvgDiskSecPerWrite
  AvgDiskSecPerWrite_Base PercentDiskTime PercentDiskTime_Base DiskReadsPerSec DiskWritesPerSec DiskReadBytesPerSec
  DiskWriteBytesPerSec AvgDiskBytesPerRead AvgDiskBytesPerRead_Base AvgDiskBytesPerWrite AvgDiskBytesPerWrite_Base`.split(
    /\s+/,
  );

export const DISK_RATES = [
  'ReadIopsPerSecond',
  'WriteIopsPerSecond',
  'TotalIopsPerSecond',
  'ReadBytesPerSecond',
  'WriteBytesPerSecond',
] as const;

const MEANS = ['TotalAvgWait', 'ReadAvgWait', 'WriteAvgWait', 'ReadAvgSize', 'WriteAvgSize', 'LoadPercent'] as const;

type Rates = Row<(typeof DISK_RATES)[number] | (typeof MEANS)[number]>;

/** Counters since boot (`now`), and their growth since the previous run (`since`), which stays 0 for an idle device. */
type DeviceCounters = { readonly now: Counters; readonly since: Counters };

type DiskCounters = DeviceCounters & { readonly parts: readonly DeviceCounters[] };

function deviceCounters(cells: Cells): DeviceCounters {
  return { now: cells.row(...COUNTERS), since: cells.row(...COUNTERS) };
}

/** How a system counts the requests of its disks. `unitBytes` is the unit of `ReadBytes` and `WriteBytes`. */
type Counting = {
  readonly readsAtBoot: ValueRange;
  readonly writesAtBoot: number;
  /** Mean sizes of requests, in units of this many bytes, and the step of their sums. */
  readonly readSize: ValueRange;
  readonly writeSize: ValueRange;
  readonly sizeBytes: number;
  readonly step: number;
  readonly ticksPerMs: number;
  /** Whether the first requests are counted: no requests mean no bytes. Probes for file systems read up to so many single sectors. */
  readonly isWhole: boolean;
  readonly oddSectors: number;
  readonly unitBytes: number;
  /** Whether the agent adds rounded rates, and mean waits of reads and of writes, instead of computing those of all requests. */
  readonly addsMeans: boolean;
};

const POSIX: Omit<Counting, 'unitBytes'> = {
  readsAtBoot: [90, 400],
  writesAtBoot: 20,
  readSize: [24, 60],
  writeSize: [12, 40],
  sizeBytes: SECTOR_BYTES,
  step: 8,
  ticksPerMs: 1,
  isWhole: true,
  oddSectors: 7,
  addsMeans: false,
};

/** Raw counters tick every 100 ns. */
const WINDOWS: Counting = {
  readsAtBoot: [5200, 9000],
  writesAtBoot: 40,
  readSize: [24_000, 30_000],
  writeSize: [9000, 22_000],
  sizeBytes: 1,
  step: SECTOR_BYTES,
  ticksPerMs: 10_000,
  isWhole: false,
  oddSectors: 0,
  unitBytes: 1,
  addsMeans: true,
};

/** The check `disk_io` with the load, in percent, of the device for which cores wait. */
type DiskIo = Part & { readonly waitedFor: Cell };

type DiskIoInput = {
  readonly devices: readonly BlockDevice[];
  /** Sectors of 512 bytes on Linux, bytes on macOS. */
  readonly unitBytes: number;
  /** Name of the device for which cores wait, if the system counts that. */
  readonly waitsFor?: string | undefined;
};

export function posixDiskIoCheck({ devices, unitBytes, waitsFor }: DiskIoInput, cells: Cells): DiskIo {
  const timestamp = cells.one();
  /** Stays 0 if nothing uses the device. */
  let waitedFor = cells.one();
  const counting = { ...POSIX, unitBytes };
  const nodes: Record<string, Node> = {};
  const fills: Fill[] = [];
  const count = (device: BlockDevice): DeviceCounters => {
    const parts = device.partitions.map(count);
    const counters = deviceCounters(cells);
    const { now, since } = counters;
    const rates = isStill(device) ? undefined : cells.row(...DISK_RATES, ...MEANS);
    const counts = Object.fromEntries(COUNTERS.map((key) => [key, slot.integer(now[key])]));
    nodes[device.name] = deviceNode(device.name, { timestamp, counts, rates });
    if (parts.length > 0) fills.push(sumFill(device.name, { ...counters, parts }, counting));
    else if (rates === undefined) fills.push(stillFill(device, now, counting));
    else fills.push(countersFill(device, counters, counting));
    if (rates !== undefined) fills.push(ratesFill(since, rates, counting));
    if (rates !== undefined && device.name === waitsFor) waitedFor = rates.LoadPercent;
    return counters;
  };
  devices.forEach(count);
  const clock: Fill = (frame, host) => {
    frame[timestamp] = Math.floor(host.clockMs / 1000);
  };
  return { node: sortedMembers(nodes), fill: inTurn([clock, ...fills]), waitedFor };
}

function isStill(device: BlockDevice): boolean {
  return device.readsPerSecond + device.writesPerSecond === 0 && device.partitions.every(isStill);
}

type Entry = {
  readonly timestamp: Cell;
  readonly counts: Readonly<Record<string, Node>>;
  readonly rates: Rates | undefined;
};

function deviceNode(name: string, { timestamp, counts, rates }: Entry): Node {
  const members = <Key extends string>(keys: readonly Key[], value: (key: Key) => Node) => {
    return Object.fromEntries(keys.map((key) => [key, value(key)]));
  };
  return {
    Timestamp: slot.integer(timestamp),
    Device: name,
    ...members([...COUNTERS, ...WINDOWS_COUNTERS], (key) => counts[key] ?? 0),
    ...members(DISK_RATES, (key) => (rates === undefined ? 0 : slot.integer(rates[key]))),
    ...members(MEANS, (key) => (rates === undefined ? 0 : slot.float(rates[key]))),
  };
}

/** A disk counts the requests of its partitions, the reads that found the partitions, and the flushes of its cache. */
function sumFill(name: string, { now, since, parts }: DiskCounters, { unitBytes }: Counting): Fill {
  const perUnit = SECTOR_BYTES / unitBytes;
  const label = streamLabel(`disk_io.${name}`);
  const sums = COUNTERS.flatMap((counter) => [
    { into: now[counter], of: parts.map((part) => part.now[counter]) },
    { into: since[counter], of: parts.map((part) => part.since[counter]) },
  ]);
  return (frame, { hostKey }) => {
    for (let i = 0; i < sums.length; i++) {
      const { into, of } = sums[i] as (typeof sums)[number];
      let sum = 0;
      for (let part = 0; part < of.length; part++) sum += valueAt(frame, of[part] as Cell);
      frame[into] = sum;
    }
    // 30 to 93 reads of 24 sectors and a few more, eight in a millisecond.
    const chance = scramble(keyOf(hostKey, label), -1);
    const searches = 30 + (chance & 63);
    frame[now.ReadCount] = valueAt(frame, now.ReadCount) + searches;
    frame[now.ReadBytes] = valueAt(frame, now.ReadBytes) + (searches * 24 + ((chance >>> 6) & 7)) * perUnit;
    frame[now.ReadTime] = valueAt(frame, now.ReadTime) + (searches >> 3);
    // A flush for 2 to 27 % of the writes.
    const flushShare = 0.02 + ((chance >>> 9) & 255) / 1000;
    const writes = valueAt(frame, now.WriteCount);
    const flushes = Math.floor(writes * flushShare);
    const flushesBefore = Math.floor((writes - valueAt(frame, since.WriteCount)) * flushShare);
    frame[now.WriteCount] = writes + flushes;
    frame[since.WriteCount] = valueAt(frame, since.WriteCount) + flushes - flushesBefore;
  };
}

/** Counters of a device that nothing uses: only the reads at boot. Most devices of large hosts are like this. */
function stillFill({ name, latencyMs, measured }: BlockDevice, now: Counters, { unitBytes }: Counting): Fill {
  const perUnit = SECTOR_BYTES / unitBytes;
  const label = streamLabel(`disk_io.${name}`);
  return (frame, host) => {
    const key = keyOf(host.hostKey, label);
    const reads = Math.floor(
      measured === undefined
        ? inRange(POSIX.readsAtBoot, unit(key, 1))
        : measured.stillReads * inRange(AROUND_RECORDED, unit(key, 0)),
    );
    const size = measured === undefined ? inRange(POSIX.readSize, unit(key, 4)) : measured.readBytes / SECTOR_BYTES;
    const odd = measured === undefined ? key & POSIX.oddSectors : 0;
    const readTime = Math.floor(reads * latencyMs * (measured?.readMs ?? READ_LATENCY + unit(key, 2)));
    frame[now.ReadBytes] = perUnit * (posixSize(key + 2, reads, size) + odd);
    frame[now.ReadCount] = reads;
    frame[now.ReadTime] = readTime;
    frame[now.IoTime] = Math.floor(readTime * (measured?.busyShare ?? overlap(key, 6)));
  };
}

/** Latencies of reads and writes on a host are from this to one more, relative to that of the device. */
const READ_LATENCY = 0.4;
const WRITE_LATENCY = 0.8;
/** Sums of request sizes deviate by up to this many requests, back and forth within this many. */
const DEVIATING_REQUESTS = 50;
const DEVIATION_REQUESTS = 300;

/** Returns the size of all requests so far, which varies around their mean. */
function sizesIn({ step, isWhole }: Pick<Counting, 'step' | 'isWhole'>) {
  return (key: number, requests: number, mean: number): number => {
    if (isWhole && requests === 0) return 0;
    const deviation = DEVIATING_REQUESTS * mean * (1 + smoothNoise(key, requests / DEVIATION_REQUESTS));
    return step * Math.floor((requests * mean + deviation) / step);
  };
}

const posixSize = sizesIn(POSIX);

function countersFill(device: PhysicalDisk, { now, since }: DeviceCounters, counting: Counting): Fill {
  const label = streamLabel(`disk_io.${device.name}`);
  const { stalledBy = [] } = device;
  const pairs = COUNTERS.map((counter) => ({ count: now[counter], added: since[counter] }));
  const traits = traitsFor(device, counting);
  return (frame, host) => {
    const { diskWork, previousDiskWork } = host;
    traits.draw(keyOf(host.hostKey, label));
    const lost = stalledBy.length === 0 ? 0 : lostWork(stalledBy, host, host.checkMs);
    const lostBefore = stalledBy.length === 0 ? 0 : lostWork(stalledBy, host, host.previousMs);
    traits.countReads(frame, now, diskWork);
    traits.countWrites(frame, now, diskWork - lost);
    traits.countReads(frame, since, previousDiskWork);
    traits.countWrites(frame, since, previousDiskWork - lostBefore);
    for (let i = 0; i < pairs.length; i++) {
      const { count, added } = pairs[i] as (typeof pairs)[number];
      frame[added] = valueAt(frame, count) - valueAt(frame, added);
    }
  };
}

/** What the requests of a device are like on one host: drawn once, then used for both rows of counters. */
function traitsFor(device: PhysicalDisk, counting: Counting) {
  const { readsPerSecond, writesPerSecond, latencyMs, measured } = device;
  const { readsAtBoot, writesAtBoot, readSize, writeSize, sizeBytes, ticksPerMs, oddSectors } = counting;
  const perUnit = sizeBytes / counting.unitBytes;
  const ticks = latencyMs * ticksPerMs;
  const sizeOf = sizesIn(counting);
  // An object, because V8 allocates numbers that closures capture.
  const drawn = { key: 0, firstReads: 0, scale: 0, readTicks: 0, writeTicks: 0, readMean: 0, writeMean: 0 };
  const overlaps = { read: 0, write: 0 };
  return {
    draw(key: number): void {
      drawn.key = key;
      drawn.firstReads = measured === undefined ? inRange(readsAtBoot, unit(key, 1)) : 0;
      drawn.scale =
        measured === undefined
          ? scaleOf(key, (readsPerSecond + writesPerSecond) * latencyMs)
          : inRange(AROUND_RECORDED, unit(key, 0));
      drawn.readTicks = ticks * (measured?.readMs ?? READ_LATENCY + unit(key, 2));
      drawn.writeTicks = ticks * (measured?.writeMs ?? WRITE_LATENCY + unit(key, 3));
      drawn.readMean = measured === undefined ? inRange(readSize, unit(key, 4)) : measured.readBytes / sizeBytes;
      drawn.writeMean = measured === undefined ? inRange(writeSize, unit(key, 5)) : measured.writeBytes / sizeBytes;
      overlaps.read = measured?.busyShare ?? overlap(key, 6);
      overlaps.write = measured?.busyShare ?? overlap(key, 7);
    },
    /** Sets the read counters after this much work. Bytes and times are functions of the requests. */
    countReads(frame: CellValues, row: Counters, work: number): void {
      const { key, firstReads, scale, readTicks, readMean } = drawn;
      const reads = Math.floor(firstReads + readsPerSecond * scale * bursts(work, key, BURSTS));
      const size = sizeOf(key + 2, reads, readMean);
      frame[row.ReadBytes] = perUnit * (size + (key & oddSectors));
      frame[row.ReadCount] = reads;
      frame[row.ReadTime] = Math.floor(readTicks * bursts(reads, key + 4, WAITS));
      frame[row.IoTime] = reads * readTicks * overlaps.read;
    },
    /** Sets the write counters, and adds the busy time of writes to that of reads. */
    countWrites(frame: CellValues, row: Counters, work: number): void {
      const { key, scale, writeTicks, writeMean } = drawn;
      const writes = Math.floor(writesPerSecond * scale * (writesAtBoot + bursts(work, key + 1, BURSTS)));
      frame[row.WriteBytes] = perUnit * sizeOf(key + 3, writes, writeMean);
      frame[row.WriteCount] = writes;
      frame[row.WriteTime] = Math.floor(writeTicks * bursts(writes, key + 5, WAITS));
      // Requests to a busy device wait for each other: waits come in bursts, busy time does not.
      frame[row.IoTime] = Math.floor(valueAt(frame, row.IoTime) + writes * writeTicks * overlaps.write);
    },
  };
}

/** Most hosts write little, a few write tens of times as much. The limit leaves each device room for bursts. */
function scaleOf(key: number, usualBusyMs: number): number {
  const isLoaded = unit(key, 8) < LOADED;
  const wanted = isLoaded ? MAX_LOADED_MS : 0.15 * 300 ** (unit(key, 0) ** 3);
  return Math.min(wanted, (isLoaded ? MAX_LOADED_MS : MAX_BUSY_MS) / Math.max(usualBusyMs, 0.01));
}

/** Busy time of a device in milliseconds per second, at most, and on the few that have more to do than they can bear in bursts. */
const MAX_BUSY_MS = 10;
const MAX_LOADED_MS = 150;
const LOADED = 0.09;

/** Busy time per millisecond of request wait: far below 1 if requests overlap in a queue. Reads and writes have separate factors. */
function overlap(key: number, n: number): number {
  return MIN_OVERLAP + MORE_OVERLAP * unit(key, n);
}

const MIN_OVERLAP = 0.08;
const MORE_OVERLAP = 0.9;

/** Rates and means since the previous run. In an agent's first run they are all 0. */
function ratesFill(since: Counters, rates: Rates, { unitBytes, ticksPerMs, addsMeans }: Counting): Fill {
  const all = [...DISK_RATES, ...MEANS].map((key) => rates[key]);
  const ticksPerSecond = 1000 * ticksPerMs;
  const waitMs = (ticks: number, requests: number) =>
    addsMeans && requests > 0 ? (ticks / ticksPerSecond / requests) * 1000 : mean(ticks, requests);
  return (frame, { firstRun, intervalSeconds }) => {
    if (firstRun) {
      for (const cell of all) frame[cell] = 0;
      return;
    }
    const reads = valueAt(frame, since.ReadCount);
    const writes = valueAt(frame, since.WriteCount);
    const readBytes = valueAt(frame, since.ReadBytes) * unitBytes;
    const writeBytes = valueAt(frame, since.WriteBytes) * unitBytes;
    const readTime = valueAt(frame, since.ReadTime);
    const writeTime = valueAt(frame, since.WriteTime);
    const [readIops, writeIops] = [Math.floor(reads / intervalSeconds), Math.floor(writes / intervalSeconds)];
    const [readWait, writeWait] = [waitMs(readTime, reads), waitMs(writeTime, writes)];
    frame[rates.ReadIopsPerSecond] = readIops;
    frame[rates.WriteIopsPerSecond] = writeIops;
    frame[rates.TotalIopsPerSecond] = addsMeans ? readIops + writeIops : Math.floor((reads + writes) / intervalSeconds);
    frame[rates.ReadBytesPerSecond] = Math.floor(readBytes / intervalSeconds);
    frame[rates.WriteBytesPerSecond] = Math.floor(writeBytes / intervalSeconds);
    frame[rates.TotalAvgWait] = addsMeans ? readWait + writeWait : mean(readTime + writeTime, reads + writes);
    frame[rates.ReadAvgWait] = readWait;
    frame[rates.WriteAvgWait] = writeWait;
    frame[rates.ReadAvgSize] = mean(readBytes, reads);
    frame[rates.WriteAvgSize] = mean(writeBytes, writes);
    frame[rates.LoadPercent] = Math.min(100, (valueAt(frame, since.IoTime) / (intervalSeconds * ticksPerSecond)) * 100);
  };
}

export function mean(sum: number, count: number): number {
  return count === 0 ? 0 : sum / count;
}

/** Windows counts time from the year 1601 (`FILETIME`). */
const YEAR_1601_MS = 11_644_473_600_000;
const WIDE_MS = 1e9 / WINDOWS.ticksPerMs;
/** Read and write times are reported in 32 bits. On busy disks they wrap to 0 every few hours. */
const WRAP = 2 ** 32;
const DISK_IO = streamLabel('disk_io');

/** A clock reading exceeds a double's precision: `ticks` counts units of 10⁹, `lowerTicks` the rest. */
type Clock = Row<'seconds' | 'ticks' | 'lowerTicks'>;

/** The check `disk_io` of a Windows host: raw counters of its disks, and figures derived from them. */
export const windowsDiskIoCheck: PartOf<readonly PhysicalDisk[]> = (disks, cells) => {
  const clock = cells.row('seconds', 'ticks', 'lowerTicks');
  const parts = disks.map((disk) => ({ name: disk.name, ...diskPart(disk, clock, cells) }));
  const fillTimes = (frame: CellValues, { clockMs, hostKey }: HostState) => {
    const ms = Math.floor(clockMs) + YEAR_1601_MS;
    const wholes = Math.floor(ms / WIDE_MS);
    // The host's fraction of a millisecond is constant, so runs are whole seconds apart.
    const finer = Math.floor(unit(keyOf(hostKey, DISK_IO), 1) * WINDOWS.ticksPerMs);
    frame[clock.seconds] = Math.floor(clockMs / 1000);
    frame[clock.ticks] = wholes;
    frame[clock.lowerTicks] = (ms - wholes * WIDE_MS) * WINDOWS.ticksPerMs + finer;
  };
  const nodes = Object.fromEntries(parts.map(({ name, node }) => [name, node]));
  return { node: sortedMembers(nodes), fill: inTurn([fillTimes, ...parts.map(({ fill }) => fill)]) };
};

function diskPart(disk: PhysicalDisk, clock: Clock, cells: Cells): Part {
  const counters = deviceCounters(cells);
  const rates = cells.row(...DISK_RATES, ...MEANS);
  const wrapped = cells.row('readTicks', 'writeTicks');
  const { now, since } = counters;
  const counts = windowsCounts(now, wrapped, clock);
  const wrap: Fill = (frame) => {
    frame[wrapped.readTicks] = valueAt(frame, now.ReadTime) % WRAP;
    frame[wrapped.writeTicks] = valueAt(frame, now.WriteTime) % WRAP;
  };
  return {
    node: deviceNode(disk.name, { timestamp: clock.seconds, counts, rates }),
    fill: inTurn([countersFill(disk, counters, WINDOWS), wrap, ratesFill(since, rates, WINDOWS)]),
  };
}

function windowsCounts(
  now: Counters,
  wrapped: Row<'readTicks' | 'writeTicks'>,
  clock: Clock,
): Readonly<Record<string, Node>> {
  const [reads, writes] = [slot.integer(now.ReadCount), slot.integer(now.WriteCount)];
  const [readBytes, writeBytes] = [slot.integer(now.ReadBytes), slot.integer(now.WriteBytes)];
  const time = slot.wide(clock.ticks, clock.lowerTicks);
  return {
    Frequency_PerfTime: 1000 * WINDOWS.ticksPerMs,
    Timestamp_Sys100NS: time,
    AvgDiskSecPerRead: slot.integer(wrapped.readTicks),
    AvgDiskSecPerRead_Base: reads,
    AvgDiskSecPerWrite: slot.integer(wrapped.writeTicks),
    AvgDiskSecPerWrite_Base: writes,
    PercentDiskTime: slot.integer(now.IoTime),
    PercentDiskTime_Base: time,
    DiskReadsPerSec: reads,
    DiskWritesPerSec: writes,
    DiskReadBytesPerSec: readBytes,
    DiskWriteBytesPerSec: writeBytes,
    AvgDiskBytesPerRead: readBytes,
    AvgDiskBytesPerRead_Base: reads,
    AvgDiskBytesPerWrite: writeBytes,
    AvgDiskBytesPerWrite_Base: writes,
  };
}
