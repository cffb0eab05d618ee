import { type Cells, type Frame, float, integer, type Node } from '../document/nodes.ts';
import { type FilledBy, lostWork } from '../incidents/full-disks.ts';
import { type Fill, inTurn, type PartOf } from '../part.ts';
import { keyOf, streamLabel } from '../time/moment.ts';
import { smoothNoise, unit, warp } from '../time/noise.ts';

/** A block device; a disk with partitions counts what they count. */
export type BlockDevice = {
  readonly name: string;
  readonly partitions: readonly BlockDevice[];
  /** Requests per second at usual activity; both 0 for a device that nothing uses after boot. */
  readonly readsPerSecond: number;
  readonly writesPerSecond: number;
  /** Milliseconds per request. */
  readonly latencyMs: number;
  /** While one of these lasts, nothing is written to it. */
  readonly stalledBy?: FilledBy;
};

const BURSTS = { grid: 17, strength: 0.85 };
/** What the counters of requests are sized in, whatever unit they are told in. */
export const SECTOR_BYTES = 512;
const COUNTERS = ['ReadBytes', 'WriteBytes', 'ReadCount', 'WriteCount', 'ReadTime', 'WriteTime', 'IoTime'] as const;
const READ_BYTES = 0;
const WRITE_BYTES = 1;
const READS = 2;
const WRITES = 3;
const READ_TIME = 4;
const WRITE_TIME = 5;
const IO_TIME = 6;
const WIDTH = COUNTERS.length;

const WINDOWS_ONLY = `Frequency_PerfTime Timestamp_Sys100NS AvgDiskSecPerRead AvgDiskSecPerRead_Base AvgDiskSecPerWrite
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
];
const MEANS = ['TotalAvgWait', 'ReadAvgWait', 'WriteAvgWait', 'ReadAvgSize', 'WriteAvgSize', 'LoadPercent'];

export type DiskIoInput = {
  readonly devices: readonly BlockDevice[];
  /** What `ReadBytes` and `WriteBytes` count: sectors of 512 bytes on Linux, bytes elsewhere. */
  readonly unitBytes: number;
};

/** The check `disk_io` of a posix host. */
export const diskIoCheck: PartOf<DiskIoInput> = ({ devices, unitBytes }, cells) => {
  const timestamp = cells.take();
  const entries: (readonly [string, Node])[] = [];
  const fills = devices.flatMap((device) => describe(device, { timestamp, unitBytes, cells, entries }).fills);
  const clock: Fill = (frame, moment) => {
    frame[timestamp] = Math.floor(moment.clockMs / 1000);
  };
  entries.sort((a, b) => (a[0] < b[0] ? -1 : 1));
  return { node: Object.fromEntries(entries), fill: inTurn([clock, ...fills]) };
};

type Place = {
  readonly timestamp: number;
  readonly unitBytes: number;
  readonly cells: Cells;
  readonly entries: (readonly [string, Node])[];
};
type Described = { readonly now: number; readonly since: number; readonly fills: readonly Fill[] };

function describe(device: BlockDevice, place: Place): Described {
  const { cells, unitBytes } = place;
  const parts = device.partitions.map((partition) => describe(partition, place));
  const now = cells.take(WIDTH);
  const since = cells.take(WIDTH);
  const still = isStill(device);
  const rates = still ? 0 : cells.take(RATES.length + MEANS.length);
  place.entries.push([device.name, deviceNode(device.name, { timestamp: place.timestamp, now, rates, still })]);
  const traits = parts.length > 0 ? 0 : cells.take(TRAITS);
  const rows = { now, since, unitBytes, traits };
  const own = parts.length > 0 ? sumOf(parts, rows) : still ? stillCounters(device, rows) : countersOf(device, rows);
  const fills = [...parts.flatMap((part) => part.fills), own];
  return { now, since, fills: still ? fills : [...fills, ratesOf({ now, since, rates, unitBytes })] };
}

function isStill(device: BlockDevice): boolean {
  return device.readsPerSecond + device.writesPerSecond === 0 && device.partitions.every(isStill);
}

/** First cells of the counters and of what was added to them since the run before, which stays 0 for a still device. */
type Rows = { readonly now: number; readonly since: number };
type Traits = { readonly traits: number };
type Unit = { readonly unitBytes: number };
type NodeInput = { readonly timestamp: number; readonly now: number; readonly rates: number; readonly still: boolean };

function deviceNode(name: string, { timestamp, now, rates, still }: NodeInput): Node {
  const slots = (keys: readonly string[], value: (index: number) => Node) => {
    return Object.fromEntries(keys.map((key, index) => [key, value(index)]));
  };
  return {
    Timestamp: integer(timestamp),
    Device: name,
    ...slots(COUNTERS, (index) => integer(now + index)),
    ...slots(WINDOWS_ONLY, () => 0),
    ...slots(RATES, (index) => (still ? 0 : integer(rates + index))),
    ...slots(MEANS, (index) => (still ? 0 : float(rates + RATES.length + index))),
  };
}

function sumOf(parts: readonly Rows[], { now, since }: Rows): Fill {
  const sources = parts.flatMap((part) => [part.now, part.since]);
  return (frame) => {
    for (let i = 0; i < WIDTH; i++) {
      let sumNow = 0;
      let sumSince = 0;
      for (let part = 0; part < sources.length; part += 2) {
        sumNow += frame[(sources[part] as number) + i] as number;
        sumSince += frame[(sources[part + 1] as number) + i] as number;
      }
      frame[now + i] = sumNow;
      frame[since + i] = sumSince;
    }
  };
}

/** Cells for what is the host's own about a device: drawn once, then used for both rows. */
const TRAITS = 7;
const FIRST_READS = 0;
const READ_RATE = 1;
const WRITE_RATE = 2;
const READ_SLOWNESS = 3;
const WRITE_SLOWNESS = 4;
const READ_SECTORS = 5;
const WRITE_SECTORS = 6;

function countersOf(device: BlockDevice, { now, since, unitBytes, traits }: Rows & Unit & Traits): Fill {
  const label = streamLabel(`disk_io.${device.name}`);
  const { stalledBy = [] } = device;
  const shared = { traits, latencyMs: device.latencyMs, perUnit: SECTOR_BYTES / unitBytes };
  const counted = { row: now, ...shared };
  const countedBefore = { row: since, ...shared };
  return (frame, moment) => {
    const key = keyOf(moment.hostKey, label);
    draw(frame, traits, key, device);
    countReads(frame, counted, key, moment.work);
    countReads(frame, countedBefore, key, moment.previousWork);
    const lost = stalledBy.length === 0 ? 0 : lostWork(stalledBy, moment, moment.checkMs);
    const lostBefore = stalledBy.length === 0 ? 0 : lostWork(stalledBy, moment, moment.previousMs);
    countWrites(frame, counted, key, moment.work - lost);
    countWrites(frame, countedBefore, key, moment.previousWork - lostBefore);
    for (let i = 0; i < WIDTH; i++) frame[since + i] = (frame[now + i] as number) - (frame[since + i] as number);
  };
}

/** A device that nothing uses: what was read from it at boot is all there is. Most devices of large hosts are so. */
function stillCounters(device: BlockDevice, { now, unitBytes }: Rows & Unit): Fill {
  const label = streamLabel(`disk_io.${device.name}`);
  const perUnit = SECTOR_BYTES / unitBytes;
  return (frame, moment) => {
    const key = keyOf(moment.hostKey, label);
    const reads = Math.floor(readsAtBoot(key));
    const readTime = Math.floor(reads * device.latencyMs * readSlowness(key));
    frame[now + READ_BYTES] = perUnit * sectors(key + 2, reads, readSectors(key));
    frame[now + READS] = reads;
    frame[now + READ_TIME] = readTime;
    frame[now + IO_TIME] = Math.floor(readTime * 0.7);
  };
}

function draw(frame: Frame, traits: number, key: number, { readsPerSecond, writesPerSecond }: BlockDevice): void {
  const scale = 0.4 + 1.2 * unit(key, 0);
  frame[traits + FIRST_READS] = readsAtBoot(key);
  frame[traits + READ_RATE] = readsPerSecond * scale;
  frame[traits + WRITE_RATE] = writesPerSecond * scale;
  frame[traits + READ_SLOWNESS] = readSlowness(key);
  frame[traits + WRITE_SLOWNESS] = 0.8 + unit(key, 3);
  frame[traits + READ_SECTORS] = readSectors(key);
  frame[traits + WRITE_SECTORS] = 12 + 40 * unit(key, 5);
}

function readsAtBoot(key: number): number {
  return 90 + 400 * unit(key, 1);
}

function readSlowness(key: number): number {
  return 0.4 + unit(key, 2);
}

function readSectors(key: number): number {
  return 24 + 60 * unit(key, 4);
}

type Counted = Traits & { readonly row: number; readonly latencyMs: number; readonly perUnit: number };

/** The counters after so much work. Bytes and times are functions of the requests: no requests, no bytes. */
function countReads(frame: Frame, { row, traits, latencyMs, perUnit }: Counted, key: number, work: number): void {
  const rate = frame[traits + READ_RATE] as number;
  const reads = Math.floor((frame[traits + FIRST_READS] as number) + rate * warp(work, key, BURSTS));
  frame[row + READ_BYTES] = perUnit * sectors(key + 2, reads, frame[traits + READ_SECTORS] as number);
  frame[row + READS] = reads;
  frame[row + READ_TIME] = Math.floor(reads * latencyMs * (frame[traits + READ_SLOWNESS] as number));
}

/** After the reads: the time of both is counted here. */
function countWrites(frame: Frame, { row, traits, latencyMs, perUnit }: Counted, key: number, work: number): void {
  const rate = frame[traits + WRITE_RATE] as number;
  const writes = Math.floor(rate * (20 + warp(work, key + 1, BURSTS)));
  const writeTime = Math.floor(writes * latencyMs * (frame[traits + WRITE_SLOWNESS] as number));
  frame[row + WRITE_BYTES] = perUnit * sectors(key + 3, writes, frame[traits + WRITE_SECTORS] as number);
  frame[row + WRITES] = writes;
  frame[row + WRITE_TIME] = writeTime;
  frame[row + IO_TIME] = Math.floor(((frame[row + READ_TIME] as number) + writeTime) * 0.7);
}

function sectors(key: number, requests: number, mean: number): number {
  if (requests === 0) return 0;
  return 8 * Math.floor((requests * mean + 50 * mean * (1 + smoothNoise(key, requests / 300))) / 8);
}

function ratesOf({ since, rates, unitBytes }: Rows & Unit & { readonly rates: number }): Fill {
  return (frame, { firstRun, intervalSeconds }) => {
    if (firstRun) return void frame.fill(0, rates, rates + RATES.length + MEANS.length);
    const reads = frame[since + READS] as number;
    const writes = frame[since + WRITES] as number;
    const readBytes = (frame[since + READ_BYTES] as number) * unitBytes;
    const writeBytes = (frame[since + WRITE_BYTES] as number) * unitBytes;
    const readTime = frame[since + READ_TIME] as number;
    const writeTime = frame[since + WRITE_TIME] as number;
    frame[rates] = Math.floor(reads / intervalSeconds);
    frame[rates + 1] = Math.floor(writes / intervalSeconds);
    frame[rates + 2] = Math.floor((reads + writes) / intervalSeconds);
    frame[rates + 3] = Math.floor(readBytes / intervalSeconds);
    frame[rates + 4] = Math.floor(writeBytes / intervalSeconds);
    frame[rates + 5] = mean(readTime + writeTime, reads + writes);
    frame[rates + 6] = mean(readTime, reads);
    frame[rates + 7] = mean(writeTime, writes);
    frame[rates + 8] = mean(readBytes, reads);
    frame[rates + 9] = mean(writeBytes, writes);
    frame[rates + 10] = Math.min(100, ((frame[since + IO_TIME] as number) / (intervalSeconds * 1000)) * 100);
  };
}

function mean(sum: number, count: number): number {
  return count === 0 ? 0 : sum / count;
}
