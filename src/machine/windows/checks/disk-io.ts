import { type Cells, type Frame, float, integer, type Node, wide } from '../../document/nodes.ts';
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
const RATES = [
  'ReadIopsPerSecond',
  'WriteIopsPerSecond',
  'TotalIopsPerSecond',
  'ReadBytesPerSecond',
  'WriteBytesPerSecond',
];
const MEANS = ['TotalAvgWait', 'ReadAvgWait', 'WriteAvgWait', 'ReadAvgSize', 'WriteAvgSize', 'LoadPercent'];

/** Cells of a row of counters. */
const READS = 0;
const WRITES = 1;
const READ_TICKS = 2;
const WRITE_TICKS = 3;
const BUSY_TICKS = 4;
const READ_BYTES = 5;
const WRITE_BYTES = 6;
const WIDTH = 7;
const DISK_IO = streamLabel('disk_io');

type Clock = { readonly seconds: number; readonly ticks: number };
type Rows = { readonly now: number; readonly before: number; readonly rates: number };

/** The check `disk_io` of a Windows host: raw counters of its disks and what follows from them. */
export const physicalDisksCheck: PartOf<readonly PhysicalDisk[]> = (disks, cells) => {
  const clock = { seconds: cells.take(), ticks: cells.take(2) };
  const parts = disks.map((disk) => diskPart(disk, clock, cells));
  const entries = disks.map((disk, index) => [disk.name, parts[index]?.node ?? null] as const);
  entries.sort((a, b) => (a[0] < b[0] ? -1 : 1));
  const tell = (frame: Frame, { clockMs, hostKey }: Moment) => {
    const ms = clockMs + YEAR_1601_MS;
    const wholes = Math.floor(ms / WIDE_MS);
    // The host's own fraction of a millisecond stays, so that runs lie whole seconds apart.
    const finer = Math.floor(unit(keyOf(hostKey, DISK_IO), 1) * TICKS_PER_MS);
    frame[clock.seconds] = Math.floor(clockMs / 1000);
    frame[clock.ticks] = wholes;
    frame[clock.ticks + 1] = (ms - wholes * WIDE_MS) * TICKS_PER_MS + finer;
  };
  return { node: Object.fromEntries(entries), fill: inTurn([tell, ...parts.map(({ fill }) => fill)]) };
};

function diskPart(disk: PhysicalDisk, clock: Clock, cells: Cells): Part {
  const rows = { now: cells.take(WIDTH), before: cells.take(WIDTH), rates: cells.take(RATES.length + MEANS.length) };
  const { stalledBy = [] } = disk;
  const label = streamLabel(`disk_io.${disk.name}`);
  return {
    node: diskNode(disk.name, clock, rows),
    fill(frame, moment) {
      const key = keyOf(moment.hostKey, label);
      const { work, previousWork } = moment;
      const lost = stalledBy.length === 0 ? 0 : lostWork(stalledBy, moment, moment.checkMs);
      const lostBefore = stalledBy.length === 0 ? 0 : lostWork(stalledBy, moment, moment.previousMs);
      count(frame, rows.now, { disk, key, work, writeWork: work - lost });
      count(frame, rows.before, { disk, key, work: previousWork, writeWork: previousWork - lostBefore });
      derive(frame, rows, moment);
    },
  };
}

function diskNode(name: string, clock: Clock, { now, rates }: Rows): Node {
  const counter = (index: number) => integer(now + index);
  return {
    Timestamp: integer(clock.seconds),
    Device: name,
    ...Object.fromEntries(POSIX_COUNTERS.map((key) => [key, 0])),
    Frequency_PerfTime: TICKS_PER_SECOND,
    Timestamp_Sys100NS: wide(clock.ticks),
    AvgDiskSecPerRead: counter(READ_TICKS),
    AvgDiskSecPerRead_Base: counter(READS),
    AvgDiskSecPerWrite: counter(WRITE_TICKS),
    AvgDiskSecPerWrite_Base: counter(WRITES),
    PercentDiskTime: counter(BUSY_TICKS),
    PercentDiskTime_Base: wide(clock.ticks),
    DiskReadsPerSec: counter(READS),
    DiskWritesPerSec: counter(WRITES),
    DiskReadBytesPerSec: counter(READ_BYTES),
    DiskWriteBytesPerSec: counter(WRITE_BYTES),
    AvgDiskBytesPerRead: counter(READ_BYTES),
    AvgDiskBytesPerRead_Base: counter(READS),
    AvgDiskBytesPerWrite: counter(WRITE_BYTES),
    AvgDiskBytesPerWrite_Base: counter(WRITES),
    ...Object.fromEntries(RATES.map((key, index) => [key, integer(rates + index)])),
    ...Object.fromEntries(MEANS.map((key, index) => [key, float(rates + RATES.length + index)])),
  };
}

type Counted = { readonly disk: PhysicalDisk; readonly key: number; readonly work: number; readonly writeWork: number };

/** The counters after so much work. Bytes and times are functions of the requests: no requests, no bytes. */
function count(frame: Frame, row: number, { disk, key, work, writeWork }: Counted): void {
  const scale = 0.4 + 1.2 * unit(key, 0);
  const reads = Math.floor(5200 + 9000 * unit(key, 1) + disk.readsPerSecond * scale * warp(work, key, BURSTS));
  const writes = Math.floor(disk.writesPerSecond * scale * (40 + warp(writeWork, key + 1, BURSTS)));
  const tick = disk.latencyMs * TICKS_PER_MS;
  const readTicks = Math.floor(reads * tick * (0.4 + unit(key, 2)));
  const writeTicks = Math.floor(writes * tick * (0.8 + unit(key, 3)));
  frame[row + READS] = reads;
  frame[row + WRITES] = writes;
  frame[row + READ_TICKS] = readTicks;
  frame[row + WRITE_TICKS] = writeTicks;
  frame[row + BUSY_TICKS] = Math.floor((readTicks + writeTicks) * 0.7);
  frame[row + READ_BYTES] = bytesOf(key + 2, reads, 24_000 + 30_000 * unit(key, 4));
  frame[row + WRITE_BYTES] = bytesOf(key + 3, writes, 9000 + 22_000 * unit(key, 5));
}

function bytesOf(key: number, requests: number, mean: number): number {
  return 512 * Math.floor((requests * mean + 50 * mean * (1 + smoothNoise(key, requests / 300))) / 512);
}

/** What follows from two rows; all zero in the first run of an agent. */
function derive(frame: Frame, { now, before, rates }: Rows, { firstRun, intervalSeconds }: Moment): void {
  if (firstRun) return void frame.fill(0, rates, rates + RATES.length + MEANS.length);
  const delta = (index: number) => (frame[now + index] as number) - (frame[before + index] as number);
  const wait = (ticks: number, requests: number) => (requests === 0 ? 0 : (ticks / TICKS_PER_SECOND / requests) * 1000);
  const mean = (bytes: number, requests: number) => (requests === 0 ? 0 : bytes / requests);
  const reads = delta(READS);
  const writes = delta(WRITES);
  const readIops = Math.floor(reads / intervalSeconds);
  const writeIops = Math.floor(writes / intervalSeconds);
  const readWait = wait(delta(READ_TICKS), reads);
  const writeWait = wait(delta(WRITE_TICKS), writes);
  frame[rates] = readIops;
  frame[rates + 1] = writeIops;
  // The agent adds up what it has already rounded, and waits that belong to different requests.
  frame[rates + 2] = readIops + writeIops;
  frame[rates + 3] = Math.floor(delta(READ_BYTES) / intervalSeconds);
  frame[rates + 4] = Math.floor(delta(WRITE_BYTES) / intervalSeconds);
  frame[rates + 5] = readWait + writeWait;
  frame[rates + 6] = readWait;
  frame[rates + 7] = writeWait;
  frame[rates + 8] = mean(delta(READ_BYTES), reads);
  frame[rates + 9] = mean(delta(WRITE_BYTES), writes);
  frame[rates + 10] = Math.min(100, (delta(BUSY_TICKS) / (intervalSeconds * TICKS_PER_SECOND)) * 100);
}
