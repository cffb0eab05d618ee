import { expect } from 'vitest';
import { INTERVAL_SECONDS, type Parsed } from './any-machine.ts';

/** Names and units in the documents of a system. */
export type System = {
  /** Milliseconds from the time of a check run to the document's completion. */
  readonly runMs: number;
  readonly wholeCpu: boolean;
  readonly serviceNames: (checkdata: Parsed) => readonly string[];
  readonly packages: (document: Parsed) => readonly Parsed[];
  readonly updates: (document: Parsed) => readonly Parsed[];
  /** Checks a disk one check interval apart: counters do not decrease, and rates match them. */
  readonly expectDisk: (before: Parsed, after: Parsed) => void;
};

/** Unit of the byte counters of Linux disks. */
const SECTOR_BYTES = 512;

const SYSTEMS: Readonly<Record<string, System>> = {
  linux: {
    runMs: 4000,
    wholeCpu: false,
    serviceNames: ({ systemd_services }) => systemd_services.map((unit: Parsed) => unit.Name),
    packages: ({ LinuxPackages }) => LinuxPackages,
    updates: ({ LinuxUpdates }) => LinuxUpdates,
    expectDisk: (before, after) => expectPosixDisk(before, after, SECTOR_BYTES),
  },
  windows: {
    runMs: 700,
    wholeCpu: true,
    serviceNames: ({ windows_services }) => windows_services.map((service: Parsed) => service.Name),
    packages: ({ WindowsApps }) => WindowsApps,
    updates: ({ WindowsUpdates }) => WindowsUpdates,
    expectDisk: expectWindowsDisk,
  },
  darwin: {
    runMs: 4000,
    wholeCpu: false,
    serviceNames: ({ launchd_services }) => launchd_services.map((job: Parsed) => job.Label),
    packages: ({ MacosApps }) => MacosApps,
    updates: ({ MacosUpdates }) => MacosUpdates,
    expectDisk: (before, after) => expectPosixDisk(before, after, 1),
  },
};

export function systemOf(checkdata: Parsed): System {
  return SYSTEMS[checkdata.agent.goos] as System;
}

const POSIX_COUNTERS = ['ReadBytes', 'WriteBytes', 'ReadCount', 'WriteCount', 'ReadTime', 'WriteTime', 'IoTime'];

function expectPosixDisk(before: Parsed, after: Parsed, unitBytes: number): void {
  for (const key of POSIX_COUNTERS) expect(after[key]).toBeGreaterThanOrEqual(before[key]);
  const delta = (key: string) => after[key] - before[key];
  const requests = delta('ReadCount') + delta('WriteCount');
  expect(after.ReadIopsPerSecond).toBe(Math.floor(delta('ReadCount') / INTERVAL_SECONDS));
  expect(after.TotalIopsPerSecond).toBe(Math.floor(requests / INTERVAL_SECONDS));
  expect(after.WriteBytesPerSecond).toBe(Math.floor((delta('WriteBytes') * unitBytes) / INTERVAL_SECONDS));
  expect(after.TotalAvgWait).toBe(requests === 0 ? 0 : (delta('ReadTime') + delta('WriteTime')) / requests);
  expect(after.LoadPercent).toBe(Math.min(100, (delta('IoTime') / (1000 * INTERVAL_SECONDS)) * 100));
}

/** 32-bit counters, which wrap around to 0. */
const WRAPPING_COUNTERS = ['AvgDiskSecPerRead', 'AvgDiskSecPerWrite'];
const WINDOWS_COUNTERS = `AvgDiskSecPerRead_Base AvgDiskSecPerWrite_Base
  PercentDiskTime DiskReadsPerSec DiskWritesPerSec DiskReadBytesPerSec DiskWriteBytesPerSec AvgDiskBytesPerRead
  AvgDiskBytesPerRead_Base AvgDiskBytesPerWrite AvgDiskBytesPerWrite_Base`.split(/\s+/);

function expectWindowsDisk(before: Parsed, after: Parsed): void {
  for (const key of WINDOWS_COUNTERS) expect(after[key]).toBeGreaterThanOrEqual(before[key]);
  for (const key of WRAPPING_COUNTERS) {
    expect(after[key]).toBeLessThan(2 ** 32);
    const wrapped = after[key] < before[key];
    if (wrapped) expect(before[key] - after[key]).toBeGreaterThan(2 ** 31);
  }
  const delta = (key: string) => after[key] - before[key];
  const ticks = INTERVAL_SECONDS * after.Frequency_PerfTime;
  expect(after.ReadIopsPerSecond).toBe(Math.floor(delta('DiskReadsPerSec') / INTERVAL_SECONDS));
  expect(after.TotalIopsPerSecond).toBe(after.ReadIopsPerSecond + after.WriteIopsPerSecond);
  expect(after.WriteBytesPerSecond).toBe(Math.floor(delta('DiskWriteBytesPerSec') / INTERVAL_SECONDS));
  expect(after.TotalAvgWait).toBe(after.ReadAvgWait + after.WriteAvgWait);
  expect(after.LoadPercent).toBeCloseTo(Math.min(100, (delta('PercentDiskTime') / ticks) * 100), 9);
}
