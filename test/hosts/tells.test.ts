import { describe, expect, it } from 'vitest';
import { checkdata, goTimeMs, type Parsed, usualFleet } from './any-machine.ts';

/*
 * Properties that reveal a fleet as simulated although no single host does: constants and ratios that are equal on all hosts.
 * The bounds are wide; real hosts are well within them.
 */

const HOSTS = 120;
const INSTANT = Date.UTC(2026, 4, 20, 10, 17, 3);

const FULL = usualFleet('ubuntu-24.04', 'full');

function documentsOf(profile: string): readonly Parsed[] {
  const fleet = usualFleet(profile, 'full');
  return Array.from({ length: HOSTS }, (_, agent) => checkdata({ fleet, agent, instantMs: INSTANT }));
}

const LINUX = documentsOf('ubuntu-24.04');
const RED_HAT = documentsOf('almalinux-9');
const MACS = documentsOf('macos-26');

function correlation(pairs: readonly (readonly [number, number])[]): number {
  const mean = (index: 0 | 1) => pairs.reduce((sum, pair) => sum + pair[index], 0) / pairs.length;
  const [mx, my] = [mean(0), mean(1)];
  const sum = (of: (x: number, y: number) => number) => pairs.reduce((s, [x, y]) => s + of(x - mx, y - my), 0);
  return sum((x, y) => x * y) / Math.sqrt(sum((x) => x * x) * sum((_, y) => y * y));
}

/** Microseconds of a Go time with that precision or better. */
function shareOf<T>(things: readonly T[], isSo: (thing: T) => boolean): number {
  return things.filter(isSo).length / things.length;
}

describe('a fleet of hosts', () => {
  it('maps memory in pages, not in whole MiB', () => {
    const sizes = [...LINUX, ...MACS].flatMap(({ processes }) => processes.map(({ Memory }: Parsed) => Memory.vms));
    const mapped = sizes.filter((bytes) => bytes > 0);
    expect(shareOf(mapped, (bytes) => bytes % 2 ** 20 === 0)).toBeLessThan(0.01);
    expect(shareOf(mapped, (bytes) => bytes % 4096 === 0)).toBe(1);
  });

  it('has disks with various ratios of busy time to waiting time', () => {
    const ratios = [...LINUX, ...MACS].flatMap(({ disk_io }) =>
      Object.values<Parsed>(disk_io).flatMap(({ IoTime, ReadTime, WriteTime }) =>
        ReadTime + WriteTime < 100 ? [] : [IoTime / (ReadTime + WriteTime)],
      ),
    );
    expect(Math.min(...ratios)).toBeLessThan(0.2);
    expect(Math.max(...ratios)).toBeGreaterThan(0.85);
    expect(Math.max(...ratios)).toBeLessThanOrEqual(1);
  });

  it('drops packets on some cards, at different rates, and has errors on a few', () => {
    const cards = LINUX.flatMap(({ net_io }) => Object.values<Parsed>(net_io)).filter(
      (card) => card.packets_recv > 1e6,
    );
    expect(shareOf(cards, ({ dropin }) => dropin === 0)).toBeGreaterThan(0.3);
    const rates = cards.flatMap(({ dropin, packets_recv }) => (dropin > 100 ? [dropin / packets_recv] : []));
    expect(Math.max(...rates) / Math.min(...rates)).toBeGreaterThan(10);
    expect(shareOf(cards, ({ errin, errout }) => errin + errout > 0)).toBeGreaterThan(0);
    expect(shareOf(cards, ({ errin, errout }) => errin + errout > 0)).toBeLessThan(0.2);
  });

  it('has caches that grow as free memory shrinks', () => {
    const shares = LINUX.map(({ memory }) => [memory.free / memory.total, memory.inactive / memory.total] as const);
    expect(correlation(shares)).toBeLessThan(-0.3);
    const cached = LINUX.map(({ memory }) => 1 - memory.free / memory.available);
    expect(Math.max(...cached) - Math.min(...cached)).toBeGreaterThan(0.5);
  });

  it('allocates memory in the page size of its processors', () => {
    for (const { agent, processes } of MACS) {
      const pageBytes = agent.goarch === 'arm64' ? 16_384 : 4096;
      for (const { Memory } of processes) expect(Memory.rss % pageBytes).toBe(0);
    }
  });

  it('has no duplicate kernel workers', () => {
    for (const { processes } of [...LINUX, ...RED_HAT]) {
      const threads = processes
        .map(({ cmdline }: Parsed) => cmdline)
        .filter((line: string) => /^\[kworker\/[u\d]/.test(line));
      expect(threads.filter((line: string, place: number) => threads.indexOf(line) !== place)).toEqual([]);
    }
  });

  it('has unbound kernel workers, even in short lists', () => {
    const short = Array.from({ length: HOSTS }, (_, agent) => {
      return checkdata({ fleet: usualFleet('debian-12', 'typical'), agent, instantMs: INSTANT });
    });
    for (const { processes, cpu } of [...LINUX, ...RED_HAT, ...short]) {
      const lines = processes.map(({ cmdline }: Parsed) => cmdline);
      expect(lines).toContainEqual(`[kworker/u${2 * cpu.cpu_percentage.length}:0-events_unbound]`);
    }
  });

  it('has kernel threads only for existing file systems and disks', () => {
    for (const { processes, disks, disk_io } of [...LINUX, ...RED_HAT]) {
      const names = processes.map(({ cmdline }: Parsed) => cmdline).join(' ');
      const types = new Set(disks.map(({ disk }: Parsed) => disk.fstype));
      for (const [, device = ''] of names.matchAll(/\[xfsaild\/([^\]]+)\]/g)) expect(disk_io).toHaveProperty(device);
      for (const [, device = ''] of names.matchAll(/\[jbd2\/(.+?)-8\]/g)) expect(disk_io).toHaveProperty(device);
      if (names.includes('xfsaild')) expect(types).toContain('xfs');
      expect(names).not.toMatch(/nv_queue|spl_system_task|dmcrypt|bcache/);
      if (names.includes('R-nvme')) expect(Object.keys(disk_io).join()).toContain('nvme');
    }
  });

  it('lists processes by ascending PID, even after restarts', () => {
    for (const { processes } of [...LINUX, ...RED_HAT, ...MACS]) {
      const pids = processes.map(({ pid }: Parsed) => pid);
      expect(pids).toEqual(pids.toSorted((a: number, b: number) => a - b));
    }
  });

  it('has programs with major page faults, and others without', () => {
    const programs = LINUX.flatMap(({ processes }) => processes.filter(({ cmdline }: Parsed) => cmdline[0] !== '['));
    const read = programs.map(({ Memory }: Parsed) => Memory.swap);
    expect(shareOf(read, (bytes) => bytes > 0)).toBeGreaterThan(0.05);
    expect(shareOf(read, (bytes) => bytes > 0)).toBeLessThan(0.6);
    const onHosts = LINUX.map(({ processes }) => {
      const own = processes.filter(({ cmdline }: Parsed) => cmdline[0] !== '[');
      return shareOf<Parsed>(own, ({ Memory }) => Memory.swap > 0);
    });
    expect(Math.min(...onHosts)).toBeLessThan(0.2);
    expect(Math.max(...onHosts)).toBeGreaterThan(0.6);
    expect(shareOf(read, (bytes) => bytes % 1024 === 0)).toBe(1);
    expect(shareOf(MACS, ({ processes }) => processes.every(({ Memory }: Parsed) => Memory.swap === 0))).toBe(1);
  });

  it('runs low-priority work on some hosts', () => {
    const nice = [...LINUX, ...MACS].map(({ cpu }) => cpu.cpu_total_percentage_detailed.Nice);
    expect(shareOf(nice, (percent) => percent > 0)).toBeGreaterThan(0.02);
    expect(shareOf(nice, (percent) => percent > 0)).toBeLessThan(0.25);
  });

  it('takes a different time for each check run', () => {
    const run = (document: Parsed) => document.ntp.TimestampMicro - 1000 * goTimeMs(document.agent.last_updated);
    const longer = [0, 1, 2, 3, 4, 5, 6, 7].map((n) => {
      return run(checkdata({ fleet: FULL, agent: 3, instantMs: INSTANT + 400 + 30_000 * n })) / 1000;
    });
    expect(new Set(longer.map(Math.round)).size).toBeGreaterThan(2);
    expect(Math.min(...longer)).toBeGreaterThan(4000);
    expect(Math.max(...longer)).toBeLessThan(4400);
  });

  it('has logins from several networks', () => {
    const hosts = [...LINUX, ...RED_HAT].flatMap(({ users }) => users.map(({ host }: Parsed) => host));
    const networks = new Set(hosts.map((host: string) => host.slice(0, host.lastIndexOf('.'))));
    expect(networks.size).toBeGreaterThan(10);
    for (const host of hosts) expect(host).not.toMatch(/\.(0|255)$/);
  });

  it('truncates memory percentages on Linux, and rounds them on macOS', () => {
    const parts = (documents: readonly Parsed[]) => {
      return documents.flatMap(({ memory, processes }) =>
        processes.map((one: Parsed) => 1000 * (one.Memory.rss / memory.total) - 10 * one.memory_percent),
      );
    };
    const linux = parts(LINUX);
    expect(Math.min(...linux)).toBeGreaterThan(-0.001);
    expect(shareOf(linux, (part) => part > 0.51)).toBeGreaterThan(0.02);
    const macs = parts(MACS).map(Math.abs);
    expect(Math.max(...macs)).toBeLessThan(0.501);
  });

  it('has disks that read slightly more than their partitions, not always in whole blocks, and flush', () => {
    const read = LINUX.flatMap(({ disk_io }) => {
      return Object.entries<Parsed>(disk_io).filter(([, { ReadCount }]) => ReadCount > 100);
    });
    const odd = read.filter(([, { ReadBytes }]) => ReadBytes % 8 !== 0);
    expect(odd.length / read.length).toBeGreaterThan(0.5);
    for (const { disk_io } of LINUX) {
      for (const [name, disk] of Object.entries<Parsed>(disk_io)) {
        const partitions = Object.keys(disk_io).filter(
          (other) => /^p?\d+$/.test(other.slice(name.length)) && other.startsWith(name),
        );
        const sumOf = (counter: string) => partitions.reduce((sum, one) => sum + disk_io[one][counter], 0);
        if (partitions.length === 0 || !/^([sv]d[a-z]+|nvme\d+n\d+)$/.test(name)) continue;
        expect(disk.ReadCount).toBeGreaterThan(sumOf('ReadCount'));
        expect(disk.WriteCount).toBeGreaterThanOrEqual(sumOf('WriteCount'));
        expect(disk.WriteBytes).toBe(sumOf('WriteBytes'));
      }
    }
  });

  it('has idle kernel threads and high-priority ones, even in short lists', () => {
    for (const agent of [0, 1, 2, 3, 4, 5, 6, 7]) {
      const { processes } = checkdata({ fleet: usualFleet('debian-12', 'typical'), agent, instantMs: INSTANT });
      const threads = processes.filter(({ cmdline }: Parsed) => cmdline.startsWith('['));
      expect(shareOf(threads, ({ status }: Parsed) => status[0] === 'Idle')).toBeGreaterThan(0.5);
      expect(shareOf(threads, ({ nice_level }: Parsed) => nice_level === -20)).toBeGreaterThan(0.28);
    }
  });

  it('has wait times of requests that vary widely', () => {
    const waits = Array.from({ length: 90 }, (_, n) => {
      const { disk_io } = checkdata({ fleet: FULL, agent: 3, instantMs: INSTANT + 30_000 * n });
      return Object.values<Parsed>(disk_io).map(({ WriteAvgWait }) => WriteAvgWait)[0];
    });
    const mean = waits.reduce((sum, wait) => sum + wait, 0) / waits.length;
    const deviation = Math.sqrt(waits.reduce((sum, wait) => sum + (wait - mean) ** 2, 0) / waits.length);
    expect(deviation / mean).toBeGreaterThan(0.3);
  });

  it('has cards with little traffic and cards with much', () => {
    const rates = LINUX.map(({ net_io }) => {
      return Math.max(...Object.values<Parsed>(net_io).map((card) => card.avg_bytes_recv_ps));
    });
    expect(rates.toSorted((a, b) => a - b)[60]).toBeLessThan(200_000);
    expect(Math.max(...rates)).toBeGreaterThan(1_000_000);
  });

  it('has databases with different clients', () => {
    const lines = LINUX.flatMap(({ processes }) => processes.map(({ cmdline }: Parsed) => cmdline));
    const clients = lines.flatMap((line: string) => /postgres: .* (10\.[\d.]+)\(\d+\) idle/.exec(line)?.[1] ?? []);
    expect(new Set(clients).size).toBeGreaterThan(10);
  });

  it('has busy kernel threads, and zombies on some hosts', () => {
    const all = LINUX.flatMap(({ processes }) => processes);
    const kernel = all.filter(({ cmdline }: Parsed) => cmdline.startsWith('['));
    expect(kernel.some(({ cpu_percent }: Parsed) => cpu_percent > 0)).toBe(true);
    expect(all.some(({ status }: Parsed) => status[0] === 'Zombie')).toBe(true);
    expect(
      shareOf(LINUX, ({ processes }) => processes.some(({ status }: Parsed) => status[0] === 'Zombie')),
    ).toBeLessThan(0.2);
  });
});
