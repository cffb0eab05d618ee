import { type Cell, type Cells, type CellValues, type Row, valueAt } from '../../document/cells.ts';
import { float, integer, type Node, wide } from '../../document/nodes.ts';
import { type FilledBy, lostWork } from '../../incidents/full-disks.ts';
import { inTurn, type Part, type PartOf } from '../../part.ts';
import { keyOf, type Moment, streamLabel } from '../../time/moment.ts';
import { smoothNoise, unit, warp } from '../../time/noise.ts';

/** A disk as the performance counters name it: by the letters of its volumes. */
export type PhysicalDisk = {
  readonly name: string;
  readonly readsPerSecond: number;
  readonly writesPerSecond: number;
  /** Milliseconds per request. */
  readonly latencyMs: number;
  /** While one of these lasts, nothing is written to it. */
  readonly stalledBy?: FilledBy;
};

/** Counters tick in units of 100 ns, and count them since the year 1601. */
const TICKS_PER_SECOND = 10_000_000;
const TICKS_PER_MS = 10_000;
const YEAR_1601_MS = 11_644_473_600_000;
/** So many milliseconds have a thousand million ticks. */
const WIDE_MS = 100_000;

const BURSTS = { grid: 19, strength: 0.85 };
const POSIX_COUNTERS = ['ReadBytes', 'WriteBytes', 'ReadCount', 'WriteCount', 'ReadTime', 'WriteTime', 'IoTime'];
const COUNTERS = ['reads', 'writes', 'readTicks', 'writeTicks', 'busyTicks', 'readBytes', 'writeBytes'] as const;
/** The times of reads and writes are told in 32 bits, and begin again at 0 every few hours of busy disks. */
const WRAP = 2 ** 32;
const RATES = [
  'ReadIopsPerSecond',
  'WriteIopsPerSecond',
  'TotalIopsPerSecond',
  'ReadBytesPerSecond',
  'WriteBytesPerSecond',
] as const;
const MEANS = ['TotalAvgWait', 'ReadAvgWait', 'WriteAvgWait', 'ReadAvgSize', 'WriteAvgSize', 'LoadPercent'] as const;
const DISK_IO = streamLabel('disk_io');

/** The ticks of a clock have more digits than a double: thousand millions, and the rest. */
type Clock = Row<'seconds' | 'ticks' | 'lowerTicks'>;
type Counters = Row<(typeof COUNTERS)[number]>;
type Rates = Row<(typeof RATES)[number] | (typeof MEANS)[number]>;
type Told = Row<'readTicks' | 'writeTicks'>;
type DiskCells = { readonly now: Counters; readonly before: Counters; readonly rates: Rates; readonly told: Told };

/** The check `disk_io` of a Windows host: raw counters of its disks and what follows from them. */
export const physicalDisksCheck: PartOf<readonly PhysicalDisk[]> = (disks, cells) => {
  const clock = cells.row('seconds', 'ticks', 'lowerTicks');
  const parts = disks.map((disk) => diskPart(disk, clock, cells));
  const entries = disks.map((disk, index) => [disk.name, parts[index]?.node ?? null] as const);
  entries.sort((a, b) => (a[0] < b[0] ? -1 : 1));
  const tell = (frame: CellValues, { clockMs, hostKey }: Moment) => {
    const ms = Math.floor(clockMs) + YEAR_1601_MS;
    const wholes = Math.floor(ms / WIDE_MS);
    // The host's own fraction of a millisecond stays, so that runs lie whole seconds apart.
    const finer = Math.floor(unit(keyOf(hostKey, DISK_IO), 1) * TICKS_PER_MS);
    frame[clock.seconds] = Math.floor(clockMs / 1000);
    frame[clock.ticks] = wholes;
    frame[clock.lowerTicks] = (ms - wholes * WIDE_MS) * TICKS_PER_MS + finer;
  };
  return { node: Object.fromEntries(entries), fill: inTurn([tell, ...parts.map(({ fill }) => fill)]) };
};

function diskPart(disk: PhysicalDisk, clock: Clock, cells: Cells): Part {
  const own = {
    now: cells.row(...COUNTERS),
    before: cells.row(...COUNTERS),
    rates: cells.row(...RATES, ...MEANS),
    told: cells.row('readTicks', 'writeTicks'),
  };
  const rateCells = Object.values<Cell>(own.rates);
  const { stalledBy = [] } = disk;
  const label = streamLabel(`disk_io.${disk.name}`);
  return {
    node: diskNode(disk.name, clock, own),
    fill(frame, moment) {
      const key = keyOf(moment.hostKey, label);
      const { diskWork: work, previousDiskWork: previousWork } = moment;
      const lost = stalledBy.length === 0 ? 0 : lostWork(stalledBy, moment, moment.checkMs);
      const lostBefore = stalledBy.length === 0 ? 0 : lostWork(stalledBy, moment, moment.previousMs);
      count(frame, own.now, { disk, key, work, writeWork: work - lost });
      count(frame, own.before, { disk, key, work: previousWork, writeWork: previousWork - lostBefore });
      frame[own.told.readTicks] = valueAt(frame, own.now.readTicks) % WRAP;
      frame[own.told.writeTicks] = valueAt(frame, own.now.writeTicks) % WRAP;
      if (moment.firstRun) for (const cell of rateCells) frame[cell] = 0;
      else derive(frame, own, moment);
    },
  };
}

function diskNode(name: string, clock: Clock, { now, rates, told }: DiskCells): Node {
  const counter = (name: keyof Counters) => integer(now[name]);
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

/** The counters after so much work. Bytes and times are functions of the requests: no requests, no bytes. */
function count(frame: CellValues, row: Counters, { disk, key, work, writeWork }: Worked): void {
  const scale = 0.4 + 1.2 * unit(key, 0);
  const reads = Math.floor(5200 + 9000 * unit(key, 1) + disk.readsPerSecond * scale * warp(work, key, BURSTS));
  const writes = Math.floor(disk.writesPerSecond * scale * (40 + warp(writeWork, key + 1, BURSTS)));
  const tick = disk.latencyMs * TICKS_PER_MS;
  const readTicks = Math.floor(reads * tick * (0.4 + unit(key, 2)));
  const writeTicks = Math.floor(writes * tick * (0.8 + unit(key, 3)));
  frame[row.reads] = reads;
  frame[row.writes] = writes;
  frame[row.readTicks] = readTicks;
  frame[row.writeTicks] = writeTicks;
  frame[row.busyTicks] = Math.floor((readTicks + writeTicks) * 0.7);
  frame[row.readBytes] = bytesOf(key + 2, reads, 24_000 + 30_000 * unit(key, 4));
  frame[row.writeBytes] = bytesOf(key + 3, writes, 9000 + 22_000 * unit(key, 5));
}

function bytesOf(key: number, requests: number, mean: number): number {
  return 512 * Math.floor((requests * mean + 50 * mean * (1 + smoothNoise(key, requests / 300))) / 512);
}

/** What follows from two rows; all zero in the first run of an agent. */
function derive(frame: CellValues, { now, before, rates }: DiskCells, { intervalSeconds }: Moment): void {
  const delta = (name: keyof Counters) => valueAt(frame, now[name]) - valueAt(frame, before[name]);
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
  // The agent adds up what it has already rounded, and waits that belong to different requests.
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
