import {
  type Cell,
  type Cells,
  type CellValues,
  float,
  integer,
  type Node,
  type Row,
  valueAt,
  wide,
} from '../document/nodes.ts';
import { lostWork } from '../host/failures.ts';
import type { BlockDevice, PhysicalDisk } from '../host/hardware.ts';
import type { HostState } from '../host/host-state.ts';
import { bursts, keyOf, scramble, smoothNoise, streamLabel, unit } from '../host/noise.ts';
import { type Fill, inTurn, type Part, type PartOf } from '../host/part.ts';

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

const RATES = [
  'ReadIopsPerSecond',
  'WriteIopsPerSecond',
  'TotalIopsPerSecond',
  'ReadBytesPerSecond',
  'WriteBytesPerSecond',
] as const;

const MEANS = ['TotalAvgWait', 'ReadAvgWait', 'WriteAvgWait', 'ReadAvgSize', 'WriteAvgSize', 'LoadPercent'] as const;

type Rates = Row<(typeof RATES)[number] | (typeof MEANS)[number]>;

/** The check `disk_io` with the load, in percent, of the device for which cores wait. */
type DiskIo = Part & { readonly waitedFor: Cell };

type DiskIoInput = {
  readonly devices: readonly BlockDevice[];
  /** Unit of `ReadBytes` and `WriteBytes`: sectors of 512 bytes on Linux, bytes elsewhere. */
  readonly unitBytes: number;
  /** Name of the device for which cores wait, if the system counts that. */
  readonly waitsFor?: string | undefined;
};

export function posixDiskIoCheck({ devices, unitBytes, waitsFor }: DiskIoInput, cells: Cells): DiskIo {
  const timestamp = cells.one();
  const waitedFor = cells.one();
  const entries: (readonly [string, Node])[] = [];
  const fills = devices.flatMap(
    (device) => counted(device, { timestamp, waitsFor, waitedFor, unitBytes, cells, entries }).fills,
  );
  const clock: Fill = (frame, host) => {
    frame[timestamp] = Math.floor(host.clockMs / 1000);
    frame[waitedFor] = 0;
  };
  entries.sort((a, b) => (a[0] < b[0] ? -1 : 1));
  return { node: Object.fromEntries(entries), fill: inTurn([clock, ...fills]), waitedFor };
}

type DocumentSoFar = {
  readonly waitsFor: string | undefined;
  readonly waitedFor: Cell;
  readonly timestamp: Cell;
  readonly unitBytes: number;
  readonly cells: Cells;
  readonly entries: (readonly [string, Node])[];
};

/** Counters since boot (`now`), and their growth since the previous run (`since`), which stays 0 for an idle device. */
type DeviceCounters = { readonly now: Counters; readonly since: Counters };

type CountedDevice = DeviceCounters & { readonly fills: readonly Fill[] };

function counted(device: BlockDevice, document: DocumentSoFar): CountedDevice {
  const { cells, unitBytes, timestamp, waitsFor } = document;
  const waitedFor = device.name === waitsFor ? document.waitedFor : undefined;
  const parts = device.partitions.map((partition) => counted(partition, document));
  const counts = { now: cells.row(...COUNTERS), since: cells.row(...COUNTERS) };
  const rates = isStill(device) ? undefined : cells.row(...RATES, ...MEANS);
  document.entries.push([device.name, deviceNode(device.name, { timestamp, now: counts.now, rates })]);
  const own =
    parts.length > 0
      ? sumOf(parts, counts, { name: device.name, perUnit: SECTOR_BYTES / unitBytes })
      : leafCounters(device, counts, document);
  const fills = [...parts.flatMap((part) => part.fills), own];
  return {
    ...counts,
    fills: rates === undefined ? fills : [...fills, ratesOf(counts.since, rates, { unitBytes, waitedFor })],
  };
}

function isStill(device: BlockDevice): boolean {
  return device.readsPerSecond + device.writesPerSecond === 0 && device.partitions.every(isStill);
}

type EntryCells = { readonly timestamp: Cell; readonly now: Counters; readonly rates: Rates | undefined };

function deviceNode(name: string, { timestamp, now, rates }: EntryCells): Node {
  const slots = <Key extends string>(keys: readonly Key[], value: (key: Key) => Node) => {
    return Object.fromEntries(keys.map((key) => [key, value(key)]));
  };
  return {
    Timestamp: integer(timestamp),
    Device: name,
    ...slots(COUNTERS, (key) => integer(now[key])),
    ...slots(WINDOWS_COUNTERS, () => 0),
    ...slots(RATES, (key) => (rates === undefined ? 0 : integer(rates[key]))),
    ...slots(MEANS, (key) => (rates === undefined ? 0 : float(rates[key]))),
  };
}

type SummedDisk = { readonly name: string; readonly perUnit: number };

/** A disk counts the requests of its partitions, the reads that found the partitions, and the flushes of its cache. */
function sumOf(parts: readonly DeviceCounters[], total: DeviceCounters, { name, perUnit }: SummedDisk): Fill {
  const label = streamLabel(`disk_io.${name}`);
  const { now, since } = total;
  const sums = COUNTERS.flatMap((counter) => [
    { into: total.now[counter], of: parts.map(({ now }) => now[counter]) },
    { into: total.since[counter], of: parts.map(({ since }) => since[counter]) },
  ]);
  return (frame, { hostKey }) => {
    for (let i = 0; i < sums.length; i++) {
      const { into, of } = sums[i] as (typeof sums)[number];
      let sum = 0;
      for (let part = 0; part < of.length; part++) sum += valueAt(frame, of[part] as Cell);
      frame[into] = sum;
    }
    const chance = scramble(keyOf(hostKey, label), -1);
    const searches = 30 + (chance & 63);
    frame[now.ReadCount] = valueAt(frame, now.ReadCount) + searches;
    frame[now.ReadBytes] = valueAt(frame, now.ReadBytes) + (searches * 24 + ((chance >>> 6) & 7)) * perUnit;
    frame[now.ReadTime] = valueAt(frame, now.ReadTime) + (searches >> 3);
    const flushes = 0.02 + ((chance >>> 9) & 255) / 1000;
    const writes = valueAt(frame, now.WriteCount);
    const added = Math.floor(writes * flushes);
    const addedBefore = Math.floor((writes - valueAt(frame, since.WriteCount)) * flushes);
    frame[now.WriteCount] = writes + added;
    frame[since.WriteCount] = valueAt(frame, since.WriteCount) + added - addedBefore;
  };
}

/** Random traits of one device on one host: drawn once, then used for both rows of counters. */
const TRAITS = [
  'firstReads',
  'readRate',
  'writeRate',
  'readSlowness',
  'writeSlowness',
  'readSectors',
  'writeSectors',
  'readOverlap',
  'writeOverlap',
] as const;

type Traits = Row<(typeof TRAITS)[number]>;

function leafCounters(device: BlockDevice, counts: DeviceCounters, { unitBytes, cells }: DocumentSoFar): Fill {
  if (isStill(device)) return stillCounters(device, counts.now, unitBytes);
  return countersOf(device, counts, { traits: cells.row(...TRAITS), perUnit: SECTOR_BYTES / unitBytes });
}

type Scale = { readonly traits: Traits; readonly perUnit: number };

function countersOf(device: BlockDevice, { now, since }: DeviceCounters, { traits, perUnit }: Scale): Fill {
  const label = streamLabel(`disk_io.${device.name}`);
  const { stalledBy = [], latencyMs } = device;
  const counted = { row: now, traits, latencyMs, perUnit };
  const countedBefore = { row: since, traits, latencyMs, perUnit };
  const pairs = COUNTERS.map((counter) => ({ count: now[counter], added: since[counter] }));
  return (frame, host) => {
    const key = keyOf(host.hostKey, label);
    draw(frame, traits, key, device);
    countReads(frame, counted, key, host.diskWork);
    countReads(frame, countedBefore, key, host.previousDiskWork);
    const lost = stalledBy.length === 0 ? 0 : lostWork(stalledBy, host, host.checkMs);
    const lostBefore = stalledBy.length === 0 ? 0 : lostWork(stalledBy, host, host.previousMs);
    countWrites(frame, counted, key, host.diskWork - lost);
    countWrites(frame, countedBefore, key, host.previousDiskWork - lostBefore);
    for (let i = 0; i < pairs.length; i++) {
      const { count, added } = pairs[i] as (typeof pairs)[number];
      frame[added] = valueAt(frame, count) - valueAt(frame, added);
    }
  };
}

/** Probes for file systems read up to so many single sectors. */
const ODD_SECTORS = 7;

/** Counters of a device that nothing uses: only the reads at boot. Most devices of large hosts are like this. */
function stillCounters({ name, latencyMs, measured }: BlockDevice, now: Counters, unitBytes: number): Fill {
  const label = streamLabel(`disk_io.${name}`);
  const perUnit = SECTOR_BYTES / unitBytes;
  return (frame, host) => {
    const key = keyOf(host.hostKey, label);
    const reads = Math.floor(measured === undefined ? readsAtBoot(key) : measured.stillReads * ownOf(key));
    const size = measured === undefined ? readSectors(key) : measured.readBytes / SECTOR_BYTES;
    const odd = measured === undefined ? key & ODD_SECTORS : 0;
    const readTime = Math.floor(reads * latencyMs * (measured?.readMs ?? readSlowness(key)));
    frame[now.ReadBytes] = perUnit * (sectors(key + 2, reads, size) + odd);
    frame[now.ReadCount] = reads;
    frame[now.ReadTime] = readTime;
    frame[now.IoTime] = Math.floor(readTime * (measured?.busyShare ?? overlap(key, 6)));
  };
}

function draw(
  frame: CellValues,
  traits: Traits,
  key: number,
  { readsPerSecond, writesPerSecond, latencyMs, measured }: BlockDevice,
): void {
  if (measured !== undefined) {
    const own = ownOf(key);
    frame[traits.firstReads] = 0;
    frame[traits.readRate] = readsPerSecond * own;
    frame[traits.writeRate] = writesPerSecond * own;
    frame[traits.readSlowness] = measured.readMs;
    frame[traits.writeSlowness] = measured.writeMs;
    frame[traits.readSectors] = measured.readBytes / SECTOR_BYTES;
    frame[traits.writeSectors] = measured.writeBytes / SECTOR_BYTES;
    frame[traits.readOverlap] = measured.busyShare;
    frame[traits.writeOverlap] = measured.busyShare;
    return;
  }
  const scale = scaleOf(key, (readsPerSecond + writesPerSecond) * latencyMs);
  frame[traits.firstReads] = readsAtBoot(key);
  frame[traits.readRate] = readsPerSecond * scale;
  frame[traits.writeRate] = writesPerSecond * scale;
  frame[traits.readSlowness] = readSlowness(key);
  frame[traits.writeSlowness] = 0.8 + unit(key, 3);
  frame[traits.readSectors] = readSectors(key);
  frame[traits.writeSectors] = 12 + 40 * unit(key, 5);
  frame[traits.readOverlap] = overlap(key, 6);
  frame[traits.writeOverlap] = overlap(key, 7);
}

/** A recorded disk is about equally busy on all hosts. */
function ownOf(key: number): number {
  return 0.8 + 0.4 * unit(key, 0);
}

/** Most hosts write little, a few write tens of times as much. The limit leaves each device room for bursts. */
function scaleOf(key: number, usualBusyMs: number): number {
  const most = unit(key, 8) < LOADED ? MOST_LOADED_MS : MOST_BUSY_MS;
  const own = most === MOST_BUSY_MS ? 0.15 * 300 ** (unit(key, 0) ** 3) : MOST_LOADED_MS;
  return Math.min(own, most / Math.max(usualBusyMs, 0.01));
}

/** Busy time of a device in milliseconds per second, at most, and on the few that have more to do than they can bear in bursts. */
const MOST_BUSY_MS = 10;
const MOST_LOADED_MS = 150;
const LOADED = 0.09;

function readsAtBoot(key: number): number {
  return 90 + 400 * unit(key, 1);
}

function readSlowness(key: number): number {
  return 0.4 + unit(key, 2);
}

function readSectors(key: number): number {
  return 24 + 60 * unit(key, 4);
}

/**
 * Busy time of a device per millisecond of request wait: far below 1 if requests overlap in a queue, as writes to flash do. Reads
 * and writes have separate factors, so their total wait does not determine the busy time.
 */
function overlap(key: number, n: number): number {
  return 0.08 + 0.9 * unit(key, n);
}

type CountedRow = {
  readonly row: Counters;
  readonly traits: Traits;
  readonly latencyMs: number;
  readonly perUnit: number;
};

/** Sets the read counters after this much work. Bytes and times are functions of the requests, so no requests mean no bytes. */
function countReads(
  frame: CellValues,
  { row, traits, latencyMs, perUnit }: CountedRow,
  key: number,
  work: number,
): void {
  const rate = valueAt(frame, traits.readRate);
  const reads = Math.floor(valueAt(frame, traits.firstReads) + rate * bursts(work, key, BURSTS));
  frame[row.ReadBytes] = perUnit * (sectors(key + 2, reads, valueAt(frame, traits.readSectors)) + (key & ODD_SECTORS));
  frame[row.ReadCount] = reads;
  const waitMs = latencyMs * valueAt(frame, traits.readSlowness);
  frame[row.ReadTime] = Math.floor(waitMs * bursts(reads, key + 4, WAITS));
  frame[row.IoTime] = reads * waitMs * valueAt(frame, traits.readOverlap);
}

/** Sets the write counters. Runs after `countReads`, because it adds the busy time of writes to that of reads. */
function countWrites(
  frame: CellValues,
  { row, traits, latencyMs, perUnit }: CountedRow,
  key: number,
  work: number,
): void {
  const rate = valueAt(frame, traits.writeRate);
  const writes = Math.floor(rate * (20 + bursts(work, key + 1, BURSTS)));
  const waitMs = latencyMs * valueAt(frame, traits.writeSlowness);
  frame[row.WriteBytes] = perUnit * sectors(key + 3, writes, valueAt(frame, traits.writeSectors));
  frame[row.WriteCount] = writes;
  frame[row.WriteTime] = Math.floor(waitMs * bursts(writes, key + 5, WAITS));
  // Requests to a busy device wait for each other: waits come in bursts, busy time does not.
  const busyMs = valueAt(frame, row.IoTime) + writes * waitMs * valueAt(frame, traits.writeOverlap);
  frame[row.IoTime] = Math.floor(busyMs);
}

function sectors(key: number, requests: number, mean: number): number {
  if (requests === 0) return 0;
  return 8 * Math.floor((requests * mean + 50 * mean * (1 + smoothNoise(key, requests / 300))) / 8);
}

type RatesOf = { readonly unitBytes: number; readonly waitedFor: Cell | undefined };

function ratesOf(since: Counters, rates: Rates, { unitBytes, waitedFor }: RatesOf): Fill {
  const all = [...RATES, ...MEANS].map((key) => rates[key]);
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
    frame[rates.ReadIopsPerSecond] = Math.floor(reads / intervalSeconds);
    frame[rates.WriteIopsPerSecond] = Math.floor(writes / intervalSeconds);
    frame[rates.TotalIopsPerSecond] = Math.floor((reads + writes) / intervalSeconds);
    frame[rates.ReadBytesPerSecond] = Math.floor(readBytes / intervalSeconds);
    frame[rates.WriteBytesPerSecond] = Math.floor(writeBytes / intervalSeconds);
    frame[rates.TotalAvgWait] = mean(readTime + writeTime, reads + writes);
    frame[rates.ReadAvgWait] = mean(readTime, reads);
    frame[rates.WriteAvgWait] = mean(writeTime, writes);
    frame[rates.ReadAvgSize] = mean(readBytes, reads);
    frame[rates.WriteAvgSize] = mean(writeBytes, writes);
    const load = Math.min(100, (valueAt(frame, since.IoTime) / (intervalSeconds * 1000)) * 100);
    frame[rates.LoadPercent] = load;
    if (waitedFor !== undefined) frame[waitedFor] = load;
  };
}

function mean(sum: number, count: number): number {
  return count === 0 ? 0 : sum / count;
}

/** Raw counters tick every 100 ns, counted from the year 1601. */
const TICKS_PER_SECOND = 10_000_000;
const TICKS_PER_MS = 10_000;
const YEAR_1601_MS = 11_644_473_600_000;
/** Milliseconds in 10⁹ ticks. */
const WIDE_MS = 100_000;
const POSIX_COUNTERS = ['ReadBytes', 'WriteBytes', 'ReadCount', 'WriteCount', 'ReadTime', 'WriteTime', 'IoTime'];
const RAW_COUNTERS = ['reads', 'writes', 'readTicks', 'writeTicks', 'busyTicks', 'readBytes', 'writeBytes'] as const;
/** Read and write times are reported in 32 bits. On busy disks they wrap to 0 every few hours. */
const WRAP = 2 ** 32;
const DISK_IO = streamLabel('disk_io');

/** A clock reading exceeds a double's precision: `ticks` counts units of 10⁹, `lowerTicks` the rest. */
type Clock = Row<'seconds' | 'ticks' | 'lowerTicks'>;

type RawCounters = Row<(typeof RAW_COUNTERS)[number]>;

type Told = Row<'readTicks' | 'writeTicks'>;

type DiskCells = {
  readonly now: RawCounters;
  readonly before: RawCounters;
  readonly rates: Rates;
  readonly told: Told;
};

/** The check `disk_io` of a Windows host: raw counters of its disks, and figures derived from them. */
export const windowsDiskIoCheck: PartOf<readonly PhysicalDisk[]> = (disks, cells) => {
  const clock = cells.row('seconds', 'ticks', 'lowerTicks');
  const parts = disks.map((disk) => diskPart(disk, clock, cells));
  const entries = disks.map((disk, index) => [disk.name, parts[index]?.node ?? null] as const);
  entries.sort((a, b) => (a[0] < b[0] ? -1 : 1));
  const tell = (frame: CellValues, { clockMs, hostKey }: HostState) => {
    const ms = Math.floor(clockMs) + YEAR_1601_MS;
    const wholes = Math.floor(ms / WIDE_MS);
    // The host's fraction of a millisecond is constant, so runs are whole seconds apart.
    const finer = Math.floor(unit(keyOf(hostKey, DISK_IO), 1) * TICKS_PER_MS);
    frame[clock.seconds] = Math.floor(clockMs / 1000);
    frame[clock.ticks] = wholes;
    frame[clock.lowerTicks] = (ms - wholes * WIDE_MS) * TICKS_PER_MS + finer;
  };
  return { node: Object.fromEntries(entries), fill: inTurn([tell, ...parts.map(({ fill }) => fill)]) };
};

function diskPart(disk: PhysicalDisk, clock: Clock, cells: Cells): Part {
  const own = {
    now: cells.row(...RAW_COUNTERS),
    before: cells.row(...RAW_COUNTERS),
    rates: cells.row(...RATES, ...MEANS),
    told: cells.row('readTicks', 'writeTicks'),
  };
  const rateCells = Object.values<Cell>(own.rates);
  const { stalledBy = [] } = disk;
  const label = streamLabel(`disk_io.${disk.name}`);
  return {
    node: diskNode(disk.name, clock, own),
    fill(frame, host) {
      const key = keyOf(host.hostKey, label);
      const { diskWork: work, previousDiskWork: previousWork } = host;
      const lost = stalledBy.length === 0 ? 0 : lostWork(stalledBy, host, host.checkMs);
      const lostBefore = stalledBy.length === 0 ? 0 : lostWork(stalledBy, host, host.previousMs);
      count(frame, own.now, { disk, key, work, writeWork: work - lost });
      count(frame, own.before, { disk, key, work: previousWork, writeWork: previousWork - lostBefore });
      frame[own.told.readTicks] = valueAt(frame, own.now.readTicks) % WRAP;
      frame[own.told.writeTicks] = valueAt(frame, own.now.writeTicks) % WRAP;
      if (host.firstRun) for (const cell of rateCells) frame[cell] = 0;
      else derive(frame, own, host);
    },
  };
}

function diskNode(name: string, clock: Clock, { now, rates, told }: DiskCells): Node {
  const counter = (name: keyof RawCounters) => integer(now[name]);
  return {
    Timestamp: integer(clock.seconds),
    Device: name,
    ...Object.fromEntries(POSIX_COUNTERS.map((key) => [key, 0])),
    Frequency_PerfTime: TICKS_PER_SECOND,
    Timestamp_Sys100NS: wide(clock.ticks, clock.lowerTicks),
    AvgDiskSecPerRead: integer(told.readTicks),
    AvgDiskSecPerRead_Base: counter('reads'),
    AvgDiskSecPerWrite: integer(told.writeTicks),
    AvgDiskSecPerWrite_Base: counter('writes'),
    PercentDiskTime: counter('busyTicks'),
    PercentDiskTime_Base: wide(clock.ticks, clock.lowerTicks),
    DiskReadsPerSec: counter('reads'),
    DiskWritesPerSec: counter('writes'),
    DiskReadBytesPerSec: counter('readBytes'),
    DiskWriteBytesPerSec: counter('writeBytes'),
    AvgDiskBytesPerRead: counter('readBytes'),
    AvgDiskBytesPerRead_Base: counter('reads'),
    AvgDiskBytesPerWrite: counter('writeBytes'),
    AvgDiskBytesPerWrite_Base: counter('writes'),
    ...Object.fromEntries(RATES.map((key) => [key, integer(rates[key])])),
    ...Object.fromEntries(MEANS.map((key) => [key, float(rates[key])])),
  };
}

type Worked = { readonly disk: PhysicalDisk; readonly key: number; readonly work: number; readonly writeWork: number };

/** Sets the counters after this much work. Bytes and times are functions of the requests, so no requests mean no bytes. */
function count(frame: CellValues, row: RawCounters, { disk, key, work, writeWork }: Worked): void {
  const { readsPerSecond, writesPerSecond, latencyMs, measured } = disk;
  const scale = measured === undefined ? scaleOf(key, (readsPerSecond + writesPerSecond) * latencyMs) : ownOf(key);
  const firstReads = measured === undefined ? 5200 + 9000 * unit(key, 1) : 0;
  const reads = Math.floor(firstReads + readsPerSecond * scale * bursts(work, key, BURSTS));
  const writes = Math.floor(writesPerSecond * scale * (40 + bursts(writeWork, key + 1, BURSTS)));
  const readTick = latencyMs * TICKS_PER_MS * (measured?.readMs ?? 0.4 + unit(key, 2));
  const writeTick = latencyMs * TICKS_PER_MS * (measured?.writeMs ?? 0.8 + unit(key, 3));
  frame[row.reads] = reads;
  frame[row.writes] = writes;
  frame[row.readTicks] = Math.floor(readTick * bursts(reads, key + 4, WAITS));
  frame[row.writeTicks] = Math.floor(writeTick * bursts(writes, key + 5, WAITS));
  frame[row.busyTicks] = Math.floor(reads * readTick * overlap(key, 6) + writes * writeTick * overlap(key, 7));
  frame[row.readBytes] = bytesOf(key + 2, reads, measured?.readBytes ?? 24_000 + 30_000 * unit(key, 4));
  frame[row.writeBytes] = bytesOf(key + 3, writes, measured?.writeBytes ?? 9000 + 22_000 * unit(key, 5));
}

function bytesOf(key: number, requests: number, mean: number): number {
  return 512 * Math.floor((requests * mean + 50 * mean * (1 + smoothNoise(key, requests / 300))) / 512);
}

/** Derives rates and means from two rows of counters. In an agent's first run they are all 0. */
function derive(frame: CellValues, { now, before, rates }: DiskCells, { intervalSeconds }: HostState): void {
  const delta = (name: keyof RawCounters) => valueAt(frame, now[name]) - valueAt(frame, before[name]);
  const wait = (ticks: number, requests: number) => (requests === 0 ? 0 : (ticks / TICKS_PER_SECOND / requests) * 1000);
  const mean = (bytes: number, requests: number) => (requests === 0 ? 0 : bytes / requests);
  const reads = delta('reads');
  const writes = delta('writes');
  const readIops = Math.floor(reads / intervalSeconds);
  const writeIops = Math.floor(writes / intervalSeconds);
  const readWait = wait(delta('readTicks'), reads);
  const writeWait = wait(delta('writeTicks'), writes);
  frame[rates.ReadIopsPerSecond] = readIops;
  frame[rates.WriteIopsPerSecond] = writeIops;
  // The agent adds rates that are already rounded, and mean waits of different requests.
  frame[rates.TotalIopsPerSecond] = readIops + writeIops;
  frame[rates.ReadBytesPerSecond] = Math.floor(delta('readBytes') / intervalSeconds);
  frame[rates.WriteBytesPerSecond] = Math.floor(delta('writeBytes') / intervalSeconds);
  frame[rates.TotalAvgWait] = readWait + writeWait;
  frame[rates.ReadAvgWait] = readWait;
  frame[rates.WriteAvgWait] = writeWait;
  frame[rates.ReadAvgSize] = mean(delta('readBytes'), reads);
  frame[rates.WriteAvgSize] = mean(delta('writeBytes'), writes);
  frame[rates.LoadPercent] = Math.min(100, (delta('busyTicks') / (intervalSeconds * TICKS_PER_SECOND)) * 100);
}
