import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PROFILE_NAMES } from '../../src/hosts/profiles.ts';
import { draws } from '../draws.ts';
import {
  anyCase,
  anyRunningCase,
  type Case,
  checkdata,
  goTimeMs,
  type Parsed,
  packages,
  usualFleet,
} from './any-machine.ts';
import { anyRecordedCase } from './recorded/recorded-fleets.ts';
import { systemOf } from './systems.ts';

const RUNS = { numRuns: draws(9) };
/** Recorded hosts are equally consistent. */
const anyRecorded = anyRecordedCase(['ubuntu-24.04', 'windows-server-2022', 'macos-26']);

/** Has an exporter for its agent that some hosts of its kind run anyway. */
const SCRAPED: Case = {
  fleet: { ...usualFleet('windows-server-2022', 'full'), seed: 1, checks: { prometheus_exporters: 3 } },
  agent: 24_515,
  instantMs: Date.UTC(2024, 11, 13, 22, 9, 30, 853),
};

function each(claim: (document: Parsed, one: Case) => void): void {
  for (const [hosts, examples] of [
    [anyRunningCase, [SCRAPED]],
    [anyRecorded, []],
  ] as const) {
    fc.assert(
      fc.property(hosts, (one) => claim(checkdata(one), one)),
      { ...RUNS, examples: examples.map((one) => [one]) },
    );
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}

describe('one payload', () => {
  it('has its top-level keys in alphabetical order', () => {
    each((document) => {
      expect(Object.keys(document)).toEqual(Object.keys(document).sort());
      for (const check of ['disk_io', 'net_io', 'net_stats']) {
        expect(Object.keys(document[check])).toEqual(Object.keys(document[check]).sort());
      }
    });
  });

  it('contains the time of its check run, and of its end some seconds later', () => {
    each((document, { instantMs }) => {
      const { agent, disk_io, net_io, ntp } = document;
      const endSeconds = Math.floor(instantMs / 1000);
      expect(Math.floor(goTimeMs(agent.last_updated) / 1000)).toBe(agent.last_updated_timestamp);
      expect(agent.last_updated_timestamp).toBe(Math.floor((instantMs - systemOf(document).runMs) / 1000));
      for (const card of Object.values<Parsed>(net_io)) expect(card.timestamp).toBe(endSeconds);
      for (const disk of Object.values<Parsed>(disk_io)) expect(disk.Timestamp).toBe(agent.last_updated_timestamp);
      if (ntp === undefined) return;
      expect(ntp.Timestamp).toBe(endSeconds);
      expect(Math.floor(ntp.TimestampMicro / 1000)).toBe(instantMs);
    });
  });

  it('counts the time since the start of its process on the same clock, with digits below one millisecond', () => {
    const below: number[] = [];
    each((document, { fleet, agent, instantMs }) => {
      const started = (text: string): bigint => {
        const [, digits = '', seconds = '', rest = ''] = /:\d\d\.?(\d*) \S+ \S+ m=\+(\d+)\.(\d+)$/.exec(text) ?? [];
        const wholeMs = Math.floor(goTimeMs(text) / 1000) * 1000;
        const unixNs = BigInt(wholeMs) * 1_000_000n + BigInt(digits.padEnd(9, '0'));
        return unixNs - BigInt(`${seconds}${rest}`);
      };
      const next = checkdata({ fleet, agent, instantMs: instantMs + 1234.5678 });
      const [startedNs, again] = [document, next].map((it) => started(it.agent.last_updated));
      expect(again).toBe(startedNs);
      below.push(Number((startedNs ?? 0n) % 1_000_000n));
    });
    // On a clock with microseconds, one in a thousand processes starts at a whole millisecond.
    expect(below.filter((digits) => digits === 0).length).toBeLessThan(below.length / 2);
  });

  it('has CPU modes that sum to 100, per core and in total', () => {
    each((document) => {
      const { cpu } = document;
      expect(cpu.cpu_percentage.length).toBe(cpu.cpu_percentage_detailed.length);
      for (const detail of [cpu.cpu_total_percentage_detailed, ...cpu.cpu_percentage_detailed]) {
        expect(sum(Object.values(detail))).toBeCloseTo(100, 6);
        expect(Math.min(...Object.values<number>(detail))).toBeGreaterThanOrEqual(0);
      }
      const mean = sum(cpu.cpu_percentage) / cpu.cpu_percentage.length;
      if (systemOf(document).wholeCpu) expect(Math.abs(cpu.cpu_total_percentage - mean)).toBeLessThanOrEqual(0.5);
      else expect(cpu.cpu_total_percentage).toBeCloseTo(mean, 9);
    });
  });

  it('divides memory, swap and disks without remainder', () => {
    each(({ memory, swap, disks }) => {
      expect(memory.used + memory.available).toBe(memory.total);
      expect(memory.free).toBeLessThanOrEqual(memory.available);
      expect(memory.percent).toBe((memory.used / memory.total) * 100);
      expect(swap.used + swap.free).toBe(swap.total);
      for (const { usage } of disks) {
        expect(usage.used + usage.free).toBeLessThanOrEqual(usage.total);
        const files = usage.used + usage.free;
        expect(usage.percent).toBeCloseTo(files === 0 ? 0 : (usage.used / files) * 100, 9);
      }
    });
  });

  it('has unique PIDs, existing parents and ascending PIDs of kernel threads', () => {
    each(({ processes, agent }) => {
      const pids = processes.map((process: Parsed) => process.pid);
      expect(new Set(pids).size).toBe(pids.length);
      for (const { ppid } of processes) expect([0, ...pids]).toContain(ppid);
      if (agent.goos !== 'linux') return;
      const threads = processes.filter((process: Parsed) => process.ppid === 2 && process.pid < 21_000);
      for (const { exec } of threads) expect(exec).toMatch(/^\[.*\]$/);
    });
  });

  it('lists the same interfaces in both network checks and every service once', () => {
    each((document) => {
      expect(Object.keys(document.net_io)).toEqual(Object.keys(document.net_stats));
      const names = systemOf(document).serviceNames(document);
      expect(new Set(names).size).toBe(names.length);
    });
  });

  it('reports an earlier package collection by the same agent', () => {
    each(({ packagemanager, agent }) => {
      if (packagemanager.Pending) {
        expect(packagemanager.LastUpdate).toBe(0);
        return;
      }
      expect(packagemanager.Stats.AgentVersion).toBe(agent.agent_version);
      expect(packagemanager.LastUpdate).toBeLessThanOrEqual(agent.last_updated_timestamp);
    });
  });
});

describe('a package document', () => {
  it('has counts that match its lists', () => {
    fc.assert(
      fc.property(fc.oneof(anyCase, anyRecorded), (one) => {
        const document = packages(one);
        const { Stats } = document;
        const system = systemOf(checkdata(one));
        const updates = system.updates(document);
        expect(Stats.InstalledPackages).toBe(system.packages(document).length);
        expect(Stats.UpgradablePackages).toBe(updates.filter((update: Parsed) => !update.IsPatch).length);
        expect(Stats.SecurityUpdates).toBe(updates.filter((update: Parsed) => update.IsSecurityUpdate).length);
        for (const { Description } of updates) expect(Buffer.byteLength(Description ?? '')).toBeLessThanOrEqual(80);
      }),
      RUNS,
    );
  });

  it('updates only installed packages, and only to another version', () => {
    fc.assert(
      fc.property(fc.oneof(anyCase, anyRecorded), (one) => {
        const { LinuxPackages, LinuxUpdates } = packages(one);
        const upgrades = LinuxUpdates.filter((update: Parsed) => !update.IsPatch);
        const installed = new Set(LinuxPackages.map((entry: Parsed) => `${entry.Name} ${entry.Version}`));
        for (const update of upgrades) {
          expect(installed).toContain(`${update.Name} ${update.CurrentVersion}`);
          expect(update.AvailableVersion).not.toBe(update.CurrentVersion);
        }
        expect(new Set(LinuxUpdates.map((update: Parsed) => update.Name)).size).toBe(LinuxUpdates.length);
        expect(installed.size).toBe(LinuxPackages.length);
        for (const entry of LinuxPackages) expect(Buffer.byteLength(entry.Description)).toBeLessThanOrEqual(80);
      }),
      RUNS,
    );
  });
});

describe('two payloads one check interval apart', () => {
  it('have counters that do not decrease, and rates that are their differences per second', () => {
    each((second, one) => {
      const first = checkdata({ ...one, instantMs: one.instantMs - 30_000 });
      if (second.agent.system_uptime < first.agent.system_uptime) return;
      expect(second.agent.system_uptime).toBe(first.agent.system_uptime + 30);
      const { expectDisk } = systemOf(second);
      for (const [name, after] of Object.entries<Parsed>(second.disk_io)) expectDisk(first.disk_io[name], after);
      // The card of a guest that started in between has no earlier counter.
      const cards = Object.entries<Parsed>(second.net_io).filter(([name]) => name in first.net_io || !isOfGuest(name));
      for (const [name, after] of cards) {
        for (const key of Object.keys(after).filter((it) => it.startsWith('avg_'))) {
          const counter = key.slice(4).replace(/_ps$/, '');
          expect(after[counter]).toBeGreaterThanOrEqual(first.net_io[name][counter]);
          expect(after[key]).toBe(Math.floor((after[counter] - first.net_io[name][counter]) / 30));
        }
      }
    });
  });

  it('have daemons with the same PIDs, unless their service failed', () => {
    each((second, one) => {
      const first = checkdata({ ...one, instantMs: one.instantMs - 30_000 });
      if (second.agent.system_uptime < first.agent.system_uptime) return;
      if ([first, second].some(failedService)) return;
      if (JSON.stringify(second.users) !== JSON.stringify(first.users)) return;
      const identities = new Map(first.processes.map((process: Parsed) => [process.pid, identity(process)]));
      const stayed = second.processes.filter(({ pid }: Parsed) => identities.has(pid));
      for (const process of stayed) expect(identity(process)).toEqual(identities.get(process.pid));
      expect(stayed.length).toBeGreaterThanOrEqual(Math.floor(0.85 * first.processes.length));
    });
  });
});

function isOfGuest(card: string): boolean {
  return /^(veth|vnet)/.test(card);
}

function failedService({ systemd_services }: Parsed): boolean {
  return (systemd_services ?? []).some(({ ActiveState }: Parsed) => ActiveState === 'failed');
}

function identity({ pid, ppid, cmdline, CreateTime }: Parsed): Parsed {
  return { pid, ppid, cmdline, CreateTime };
}

describe.each(PROFILE_NAMES)('a reboot of %s', (name) => {
  it('resets uptime and counters, changes the PIDs of daemons, and causes a first run without rates', () => {
    const fleet = usualFleet(name, 'typical');
    const at = (instantMs: number) => checkdata({ fleet, agent: 11, instantMs });
    const instantMs = firstInstantAfterReboot((ms) => at(ms).agent.system_uptime);
    const [before, after] = [at(instantMs - 1), at(instantMs)];
    expect(after.agent.system_uptime).toBeLessThan(20);
    expect(after.agent.last_updated).toMatch(/m=\+0\.0/);
    const received = (document: Parsed) => sum(Object.values<Parsed>(document.net_io).map((card) => card.bytes_recv));
    expect(received(after)).toBeLessThan(received(before));
    const pids = (document: Parsed) =>
      document.processes.filter(({ exec }: Parsed) => !exec.startsWith('[')).map((it: Parsed) => it.pid);
    expect(pids(after)).not.toEqual(pids(before));
    expect(after.packagemanager).toMatchObject({ Enabled: true, Pending: true, LastUpdate: 0 });
    for (const disk of Object.values<Parsed>(after.disk_io)) {
      expect([disk.ReadIopsPerSecond, disk.WriteBytesPerSecond, disk.LoadPercent]).toEqual([0, 0, 0]);
    }
  });
});

/** The first millisecond of a host's new boot, searched day by day and then by bisection. */
function firstInstantAfterReboot(uptimeAt: (ms: number) => number): number {
  let low = Date.UTC(2026, 2, 1);
  while (uptimeAt(low + 86_400_000) > uptimeAt(low)) low += 86_400_000;
  let high = low + 86_400_000;
  const uptime = uptimeAt(low);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (uptimeAt(middle) >= uptime) low = middle;
    else high = middle;
  }
  return high;
}
