import { describe, expect, it } from 'vitest';
import { checkdata, type Parsed } from './any-machine.ts';
import type { TestFleet } from './host-data.ts';

const INTERVAL_MS = 30_000;
const HOUR_MS = 3_600_000;
const WEDNESDAY = Date.UTC(2026, 10, 4, 9);

function readerOf(payload: TestFleet['payload']): (agent: number, instantMs: number) => Parsed {
  const profiles = { 'debian-12': 1, 'almalinux-9': 1 };
  const fleet = { seed: 6, profiles, payload, checkIntervalSeconds: INTERVAL_MS / 1000 };
  return (agent, instantMs) => checkdata({ fleet, agent, instantMs });
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

describe('the first disk of a host within 45 minutes', () => {
  const read = readerOf('typical');
  const hosts = Array.from({ length: 24 }, (_, agent) => {
    const documents = Array.from({ length: 90 }, (_, run) => read(agent, WEDNESDAY + run * INTERVAL_MS));
    return documents.map(
      ({ disk_io }) => disk_io[Object.keys(disk_io).find((name) => /^(sda|vda|nvme0n1)$/.test(name)) ?? ''],
    );
  });

  it('writes dozens of times its median at peak on some hosts, and ten times on most', () => {
    const peaks = hosts
      .map((disk) => disk.map(({ WriteBytesPerSecond }) => WriteBytesPerSecond))
      .map((written) => Math.max(...written) / median(written));
    expect(median(peaks)).toBeGreaterThan(12);
    expect(Math.max(...peaks)).toBeGreaterThan(40);
  });

  it('has read waits with the variance of real disks', () => {
    const variations = hosts
      .map((disk) => disk.map(({ ReadAvgWait }) => ReadAvgWait).filter((wait) => wait > 0))
      .map((waits) => Math.sqrt(mean(waits.map((wait) => (wait - mean(waits)) ** 2))) / mean(waits));
    expect(median(variations)).toBeGreaterThan(1);
  });
});

describe('hosts over two weeks', () => {
  const read = readerOf('lean');
  const hosts = Array.from({ length: 80 }, (_, agent) => {
    return Array.from({ length: 14 }, (_, day) => {
      const hours = Array.from({ length: 6 }, (_, part) => read(agent, WEDNESDAY + (24 * day + 4 * part) * HOUR_MS));
      return mean(hours.map(({ cpu }) => cpu.cpu_total_percentage));
    });
  });

  it('include some that are sometimes idle for days, while most never are', () => {
    const resting = hosts.filter((days) => {
      const least = Math.max(...days) / 4;
      return days.some((_, day) => day > 2 && days.slice(day - 3, day).every((busy) => busy < least));
    });
    expect(resting.length / hosts.length).toBeGreaterThan(0.12);
    expect(resting.length / hosts.length).toBeLessThan(0.45);
  });
});
