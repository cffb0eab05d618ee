import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Incident } from '../../src/hosts/host/incident.ts';
import { PROFILE_NAMES } from '../../src/hosts/profiles.ts';
import { draws, near } from '../draws.ts';
import {
  checkdata,
  checkdataText,
  incidentsOfEveryKind,
  isUp,
  type Parsed,
  packages,
  packagesText,
  usualFleet,
} from './any-machine.ts';
import type { TestFleet } from './host-data.ts';
import { systemOf } from './systems.ts';

const FROM_MS = Date.UTC(2026, 4, 5, 10);
const TO_MS = FROM_MS + 40 * 60_000;
const ALL = { isHit: () => true, fromMs: FROM_MS, toMs: TO_MS } as const;
const DURING_MS = FROM_MS + 30 * 60_000;
const BEFORE_MS = FROM_MS - 30_000;
const MINUTE_MS = 60_000;
const AFTER_MS = TO_MS + 60_000;

/** Names that depend on the system. */
function namesOf(profile: string) {
  if (profile.startsWith('windows'))
    return { root: 'C:', written: 'DiskWritesPerSec', service: 'CryptSvc', process: 'CryptSvc' };
  if (profile.startsWith('macos')) {
    return { root: '/System/Volumes/Data', written: 'WriteCount', service: 'com.apple.logd', process: 'logd' };
  }
  return { root: '/', written: 'WriteCount', service: 'nginx', process: 'nginx' };
}

const LINUX = PROFILE_NAMES.filter((name) => !/^(windows|macos)/.test(name));

type Host = { readonly incidents?: readonly Incident[]; readonly profile?: string; readonly agent?: number };

function fleetOf({ incidents, profile = 'ubuntu-24.04' }: Host): TestFleet {
  const well = { ...usualFleet(profile, 'typical'), seed: 8 };
  return incidents === undefined ? well : { ...well, incidents };
}

function at(instantMs: number, host: Host): Parsed {
  return checkdata({ fleet: fleetOf(host), agent: host.agent ?? 3, instantMs });
}

/** An agent of the profile whose host meets the condition. */
function hostWith(profile: string, has: (document: Parsed) => boolean): number {
  const agents = Array.from({ length: 60 }, (_, agent) => agent);
  return agents.find((agent) => has(at(BEFORE_MS, { profile, agent }))) ?? -1;
}

function runs(pattern: RegExp) {
  return ({ processes }: Parsed) => processes.some(({ cmdline }: Parsed) => pattern.test(cmdline));
}

const EVERY_KIND = incidentsOfEveryKind(ALL);

/** Around the begin or the end of an incident. */
const anyEdge = near(fc.constantFrom(FROM_MS, TO_MS));

describe('incidents', () => {
  it('change nothing on hosts outside their cohorts, and nothing before they begin', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...PROFILE_NAMES),
        fc.nat(500),
        fc.boolean(),
        anyEdge,
        (profile, agent, outside, ms) => {
          const isHit = (other: number) => !outside || other > 500;
          const instantMs = outside ? ms : Math.min(ms, FROM_MS - 1);
          const incidents = EVERY_KIND.map((incident) => ({ ...incident, isHit }));
          const troubled = { fleet: fleetOf({ profile, incidents }), agent, instantMs };
          const well = { fleet: fleetOf({ profile }), agent, instantMs };
          expect(checkdataText(troubled)).toBe(checkdataText(well));
          expect(packagesText(troubled)).toBe(packagesText(well));
        },
      ),
      { numRuns: draws(4) },
    );
  });

  it('begin and end later on each host by its delay', () => {
    const anyOffsetMs = fc.oneof(
      fc.oneof(fc.nat(20), fc.nat(60), fc.nat(120)).map((minutes) => minutes * MINUTE_MS),
      anyEdge.map((ms) => Math.max(0, ms - FROM_MS)),
    );
    // While a host is down, no other incident is visible.
    const [reboots, others] = [true, false].map((wanted) =>
      EVERY_KIND.filter(({ kind }) => (kind === 'reboot') === wanted),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...PROFILE_NAMES),
        fc.nat(50),
        anyOffsetMs,
        fc.boolean(),
        (profile, agent, ms, late) => {
          const delayMs = MINUTE_MS * (1 + (agent % 20));
          const kinds = (agent % 4 === 0 ? reboots : others) ?? [];
          const spread = kinds.map((incident) => ({ ...incident, delayMs: () => delayMs }));
          const moved = kinds.map(({ fromMs, toMs, ...rest }): Incident => {
            return { ...rest, fromMs: fromMs + delayMs, toMs: toMs + delayMs } as Incident;
          });
          const caseOf = (incidents: readonly Incident[]) => {
            return { fleet: fleetOf({ profile, incidents }), agent, instantMs: FROM_MS + ms + (late ? delayMs : 0) };
          };
          expect(checkdataText(caseOf(spread))).toBe(checkdataText(caseOf(moved)));
          expect(packagesText(caseOf(spread))).toBe(packagesText(caseOf(moved)));
        },
      ),
      { numRuns: draws(5) },
    );
  });

  it('never decrease a counter, and keep rates consistent with counters', () => {
    // All in one fleet, one after another, because each set of incidents is compiled separately.
    const begin = (kind: number) => kind * 120 * MINUTE_MS;
    const incidents = EVERY_KIND.map((incident, kind): Incident => {
      return { ...incident, fromMs: FROM_MS + begin(kind), toMs: TO_MS + begin(kind) };
    });
    const anyStep = fc.oneof(
      fc.integer({ min: -5, max: 90 }).map((step) => FROM_MS + step * 30_000 + 1234),
      anyEdge,
    );
    const anyTime = fc.tuple(fc.nat(incidents.length - 1), anyStep).map(([kind, ms]) => begin(kind) + ms);
    fc.assert(
      fc.property(fc.constantFrom(...PROFILE_NAMES), fc.nat(1), anyTime, (profile, agent, ms) => {
        const host = { incidents, profile, agent };
        const [first, second] = [at(ms - 30_000, host), at(ms, host)];
        // The documents of a host that is or was down have no comparable counters.
        const up = isUp(fleetOf(host), agent, ms);
        if (up && second.agent.system_uptime === first.agent.system_uptime + 30) {
          expectProgress(first, second);
        }
      }),
      {
        numRuns: draws(12),
        examples: [
          ['ubuntu-24.04', 0, Date.UTC(2026, 4, 5, 20, 40, 11, 431)],
          ['ubuntu-24.04', 1, Date.UTC(2026, 4, 5, 20, 0, 0, 2)],
        ],
      },
    );
  });
});

function expectProgress(first: Parsed, second: Parsed): void {
  const clockMoved = second.agent.last_updated_timestamp - first.agent.last_updated_timestamp !== 30;
  for (const [name, disk] of Object.entries<Parsed>(second.disk_io)) {
    if (!clockMoved) systemOf(second).expectDisk(first.disk_io[name], disk);
  }
  for (const [name, card] of Object.entries<Parsed>(second.net_io)) {
    // The card of a guest that started in between.
    if (!(name in first.net_io) && /^(veth|vnet)/.test(name)) continue;
    const seconds = card.timestamp - first.net_io[name].timestamp;
    const received = card.bytes_recv - first.net_io[name].bytes_recv;
    expect(received).toBeGreaterThanOrEqual(0);
    expect(card.avg_bytes_recv_ps).toBe(seconds > 0 ? Math.floor(received / seconds) : 0);
  }
}

describe('a full disk', () => {
  const incidents: Incident[] = [{ kind: 'disk-full', ...ALL }];

  it.each(PROFILE_NAMES)('of %s has no free space and no writes until space is free again', (profile) => {
    const { root, written } = namesOf(profile);
    const host = { incidents, profile };
    const [earlier, now, later] = [DURING_MS - 30_000, DURING_MS, AFTER_MS + 600_000].map((ms) => at(ms, host));
    const { usage, disk } = now.disks.find((entry: Parsed) => entry.disk.mountpoint === root);
    expect([usage.free, usage.percent]).toEqual([0, 100]);
    const device = Object.keys(now.disk_io).find((name) => {
      return name === 'disk0' || disk.device === `/dev/${name}` || name.split(' ').includes(disk.device);
    });
    const count = (document: Parsed) => document.disk_io[device ?? ''][written];
    expect(count(now)).toBe(count(earlier));
    expect(now.disk_io[device ?? ''].WriteBytesPerSecond).toBe(0);
    expect(count(later)).toBeGreaterThan(count(now));
  });

  it.each(LINUX)('of %s makes the database fail', (profile) => {
    const database = /mysqld|mariadbd|postgres/;
    const host = { incidents, profile, agent: hostWith(profile, runs(database)) };
    const now = at(DURING_MS, host);
    expect(runs(database)(now)).toBe(false);
    const failed = now.systemd_services.filter(({ ActiveState }: Parsed) => ActiveState === 'failed');
    expect(failed.map(({ Name }: Parsed) => Name).join()).toMatch(/mysql|mariadb|postgres/);
    expect(runs(database)(at(AFTER_MS, host))).toBe(true);
  });

  it('on a missing mount point has no effect', () => {
    const nowhere: Incident[] = [{ kind: 'disk-full', mountpoint: '/nowhere', ...ALL }];
    const agent = hostWith('ubuntu-24.04', runs(/mysqld|postgres/));
    expect(at(DURING_MS, { incidents: nowhere, agent })).toEqual(at(DURING_MS, { agent }));
  });
});

describe('saturated cores', () => {
  it.each(PROFILE_NAMES)('of %s do not exceed the machine, even with two runaway processes', (profile) => {
    const saturated = { kind: 'cpu-saturated', ...ALL } as const;
    const later = { ...saturated, fromMs: FROM_MS + 120 * MINUTE_MS, toMs: TO_MS + 120 * MINUTE_MS };
    const incidents = [saturated, later, { ...later, toMs: later.toMs + 1 }];
    for (const instantMs of [DURING_MS, DURING_MS + 120 * MINUTE_MS]) {
      for (let agent = 0; agent < 4; agent++) {
        const { processes, cpu } = at(instantMs, { incidents, profile, agent });
        const worked = processes.reduce((sum: number, { cpu_percent }: Parsed) => sum + cpu_percent, 0);
        const most = profile.startsWith('windows') ? 100 : 100 * cpu.cpu_percentage.length;
        expect(worked).toBeLessThanOrEqual(most + 0.5);
        expect(cpu.cpu_total_percentage).toBeLessThanOrEqual(100);
      }
    }
  });

  it.each(PROFILE_NAMES)('of %s are busy', (profile) => {
    const host = { incidents: [{ kind: 'cpu-saturated', ...ALL }] as const, profile };
    expect(at(DURING_MS, host).cpu.cpu_total_percentage).toBeGreaterThan(95);
    expect(at(AFTER_MS, host).cpu.cpu_total_percentage).toBeLessThan(90);
  });

  it.each(PROFILE_NAMES)('of %s are used by one process', (profile) => {
    const agent = hostWith(profile, ({ cpu }) => cpu.cpu_total_percentage < 20);
    const { processes, cpu } = at(DURING_MS, { incidents: [{ kind: 'cpu-saturated', ...ALL }], profile, agent });
    const most = Math.max(...processes.map((process: Parsed) => process.cpu_percent));
    // ps reports percent of one core, Windows percent of all cores.
    expect(most).toBeGreaterThan(profile.startsWith('windows') ? 50 : 50 * cpu.cpu_percentage.length);
  });

  it.each(PROFILE_NAMES.filter((name) => !name.startsWith('windows')))(
    'of %s raise the load averages one after another',
    (profile) => {
      const host = { incidents: [{ kind: 'cpu-saturated', ...ALL }] as const, profile };
      const cores = at(DURING_MS, host).cpu.cpu_percentage.length;
      const [early, calm] = [host, { ...host, incidents: [] }].map((one) => at(FROM_MS + 45_000, one).system_load);
      expect(early[0] - calm[0]).toBeGreaterThan(early[1] - calm[1]);
      expect(early[1] - calm[1]).toBeGreaterThan(early[2] - calm[2]);
      const now = at(DURING_MS, host);
      for (const mean of Object.values(now.system_load)) expect(mean).toBeGreaterThan(cores);
    },
  );
});

describe('a memory leak', () => {
  it.each(PROFILE_NAMES)('of %s fills memory gradually until it ends', (profile) => {
    const host = { incidents: [{ kind: 'memory-leak', ...ALL }] as const, profile };
    const percent = (instantMs: number) => at(instantMs, host).memory.percent;
    const [start, half, end] = [BEFORE_MS, (FROM_MS + TO_MS) / 2, TO_MS - 1000].map(percent) as [
      number,
      number,
      number,
    ];
    expect(half).toBeGreaterThan(start + 5);
    expect(end).toBeGreaterThan(half + 5);
    expect(percent(AFTER_MS)).toBeLessThan(half);
  });

  it.each(PROFILE_NAMES)('of %s is in one process, which has a different PID afterward', (profile) => {
    const host = { incidents: [{ kind: 'memory-leak', ...ALL }] as const, profile };
    const [before, late, after] = [BEFORE_MS, TO_MS - 1000, AFTER_MS].map((ms) => at(ms, host)) as [
      Parsed,
      Parsed,
      Parsed,
    ];
    const held = ({ Memory }: Parsed) => Memory.rss ?? Memory.working_set_private;
    const byPid = new Map(before.processes.map((process: Parsed) => [process.pid, process]));
    const grown = late.processes.filter((process: Parsed) => {
      const earlier = byPid.get(process.pid) as Parsed;
      return earlier !== undefined && held(process) > 1e8 + 1.3 * held(earlier);
    });
    expect(grown).toHaveLength(1);
    const [leaking] = grown;
    // The agent's `ps` truncates or rounds.
    expect(Math.abs(leaking.memory_percent - (held(leaking) / late.memory.total) * 100)).toBeLessThan(0.11);
    const restarted = after.processes.filter((process: Parsed) => process.cmdline === leaking.cmdline);
    expect(restarted.map((process: Parsed) => process.pid)).not.toContain(leaking.pid);
    expect(restarted.length).toBeGreaterThan(0);
  });
});

describe('a stopped service', () => {
  it.each(LINUX)('can be any running service of %s', (profile) => {
    const runningOn = (agent: number, instantMs: number): readonly string[] =>
      at(instantMs, { profile, agent })
        .systemd_services.filter(({ Name, SubState }: Parsed) => SubState === 'running' && Name.endsWith('.service'))
        .map(({ Name }: Parsed) => Name);
    const agents = [0, 1];
    const services = [...new Set(agents.flatMap((agent) => runningOn(agent, BEFORE_MS)))];
    // All in one fleet, one after another, because each set of incidents is compiled separately.
    const beginMs = (service: string) => FROM_MS + services.indexOf(service) * 10 * MINUTE_MS;
    const incidents = services.map((service): Incident => {
      const [fromMs, toMs] = [beginMs(service), beginMs(service) + 5 * MINUTE_MS];
      return { kind: 'service-down', service, isHit: () => true, fromMs, toMs };
    });
    for (const agent of agents) {
      for (const service of runningOn(agent, BEFORE_MS)) {
        const instantMs = beginMs(service) + 3 * MINUTE_MS;
        // A service sometimes fails by itself.
        if (!runningOn(agent, instantMs).includes(service)) continue;
        const down = at(instantMs, { incidents, profile, agent });
        const failed = down.systemd_services.filter(({ ActiveState }: Parsed) => ActiveState === 'failed');
        expect(failed.map(({ Name }: Parsed) => Name)).toContain(service);
        expect(down.processes.length).toBeLessThan(at(instantMs, { profile, agent }).processes.length);
      }
    }
  });

  it.each(PROFILE_NAMES)('of %s has failed without processes, and restarts with new ones', (profile) => {
    const { service, process } = namesOf(profile);
    const named = new RegExp(`\\b${process}\\b`);
    const agent = hostWith(profile, runs(named));
    const host = { incidents: [{ kind: 'service-down', service, ...ALL }] as const, profile, agent };
    const state = (instantMs: number) => {
      const { systemd_services = [], windows_services = [], launchd_services = [] } = at(instantMs, host);
      const units = [...systemd_services, ...windows_services, ...launchd_services];
      const unit = units.find(({ Name, Label }: Parsed) => [service, `${service}.service`].includes(Name ?? Label));
      return unit.ActiveState ?? unit.IsRunning ?? unit.Status;
    };
    const pids = (instantMs: number) => {
      const { processes } = at(instantMs, host);
      // Transient processes may also contain the name.
      const own = processes.filter(({ cmdline }: Parsed) => named.test(cmdline) && !/CRON/.test(cmdline));
      return own.map(({ pid }: Parsed) => pid);
    };
    expect(state(DURING_MS)).not.toBe(state(BEFORE_MS));
    expect(pids(DURING_MS)).toEqual([]);
    expect(state(AFTER_MS)).toBe(state(BEFORE_MS));
    expect(pids(AFTER_MS).length).toBe(pids(BEFORE_MS).length);
    expect(pids(AFTER_MS)[0]).not.toBe(pids(BEFORE_MS)[0]);
  });
});

describe('a skewed clock', () => {
  it.each(PROFILE_NAMES)('of %s shifts every time, but neither uptime nor counters', (profile) => {
    const skewed = at(DURING_MS, { incidents: [{ kind: 'clock-skew', offsetSeconds: -95, ...ALL }], profile });
    const right = at(DURING_MS, { profile });
    const times = ({ agent, disk_io, net_io, ntp }: Parsed) => [
      agent.last_updated_timestamp,
      ntp.Timestamp,
      Math.floor(ntp.TimestampMicro / 1e6),
      ...Object.values<Parsed>(disk_io).map(({ Timestamp }) => Timestamp),
      ...Object.values<Parsed>(net_io).map(({ timestamp }) => timestamp),
    ];
    expect(times(skewed)).toEqual(times(right).map((time) => time - 95));
    expect(skewed.agent.system_uptime).toBe(right.agent.system_uptime);
    if (right.ntp.SyncStatus) {
      expect(skewed.ntp.SyncStatus).toBe(false);
      expect(skewed.ntp.Offset).toBeCloseTo(95, 1);
    }
  });
});

describe('a reboot', () => {
  it.each(PROFILE_NAMES)('of %s resets uptime, counters and PIDs', (profile) => {
    const host = { incidents: [{ kind: 'reboot', ...ALL }] as const, profile };
    const [before, after] = [at(BEFORE_MS, host), at(AFTER_MS, host)];
    expect(before.agent.system_uptime).toBeGreaterThan(3600);
    expect(after.agent.system_uptime).toBeLessThan(61);
    const received = ({ net_io }: Parsed) => Object.values<Parsed>(net_io).map(({ bytes_recv }) => bytes_recv);
    expect(Math.max(...received(after))).toBeLessThan(Math.max(...received(before)));
    const pids = ({ processes }: Parsed) => processes.map(({ pid }: Parsed) => pid);
    expect(pids(after)).not.toEqual(pids(before));
  });

  it('keeps the host down from its start to some seconds after its end, and its documents unchanged', () => {
    const fleet = fleetOf({ incidents: [{ kind: 'reboot', ...ALL }] });
    const up = [FROM_MS - 1, FROM_MS, TO_MS + 7000, TO_MS + 13_000].map((ms) => isUp(fleet, 3, ms));
    expect(up).toEqual([true, false, false, true]);
    const text = (instantMs: number) => checkdataText({ fleet, agent: 3, instantMs });
    expect(text(DURING_MS)).toBe(text(FROM_MS));
  });

  it('includes usual boots and other reboots during its time', () => {
    const beginMs = FROM_MS - 90 * 86_400_000;
    const long = { kind: 'reboot', isHit: () => true, fromMs: beginMs, toMs: TO_MS } as const;
    const within = { ...long, fromMs: beginMs + 3_600_000, toMs: FROM_MS };
    const later = { ...long, fromMs: FROM_MS, toMs: AFTER_MS };
    for (const incidents of [[long], [long, within], [within, long], [long, later], [later, long]]) {
      const fleet = fleetOf({ incidents });
      for (let agent = 0; agent < 6; agent++) {
        const text = (instantMs: number) => checkdataText({ fleet, agent, instantMs });
        expect(JSON.parse(text(DURING_MS)).agent.system_uptime).toBeGreaterThan(0);
        expect(text(DURING_MS)).toBe(text(beginMs));
        expect(text(beginMs + 1000)).toBe(text(beginMs));
      }
    }
  });
});

describe('due security updates', () => {
  const incidents: Incident[] = [{ kind: 'security-updates-due', ...ALL, toMs: FROM_MS + 6 * 3_600_000 }];
  const LATER_MS = FROM_MS + 2 * 3_600_000;

  it.each(PROFILE_NAMES)(
    'of %s appear in the check and in the package document, and are installed in the end',
    (profile) => {
      const one = { fleet: fleetOf({ incidents, profile }), agent: 5 };
      const [due, well, done] = [
        { ...one, instantMs: LATER_MS },
        { ...one, fleet: fleetOf({ profile }), instantMs: LATER_MS },
        { ...one, instantMs: FROM_MS + 9 * 3_600_000 },
      ];
      const { packagemanager } = checkdata(due);
      const document = packages(due);
      // The check reports an earlier collection.
      expect({ ...document.Stats, Uptime: 0 }).toEqual({ ...packagemanager.Stats, Uptime: 0 });
      const usual = packages(well).Stats;
      if (/^(arch|macos)/.test(profile)) return expect(document.Stats.SecurityUpdates).toBe(0);
      expect(document.Stats.SecurityUpdates).toBeGreaterThan(usual.SecurityUpdates);
      const updates = [...document.LinuxUpdates, ...document.WindowsUpdates];
      expect(updates.filter((update: Parsed) => update.IsSecurityUpdate).length).toBe(document.Stats.SecurityUpdates);
      expect(packages(done).Stats.SecurityUpdates).toBeLessThan(document.Stats.SecurityUpdates);
    },
  );
});

describe('a failing check', () => {
  it.each(PROFILE_NAMES)('of %s is an error in its place', (profile) => {
    const incidents: Incident[] = [
      { kind: 'check-error', check: 'disk_io', ...ALL },
      { kind: 'check-error', check: 'users', error: 'open /var/run/utmp: no such file or directory', ...ALL },
    ];
    const failing = at(DURING_MS, { incidents, profile });
    const well = at(DURING_MS, { profile });
    expect(failing).toEqual({
      ...well,
      disk_io: { error: 'context deadline exceeded' },
      users: { error: 'open /var/run/utmp: no such file or directory' },
    });
    expect(Object.keys(failing)).toEqual(Object.keys(well));
  });
});
