import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { draws } from '../draws.ts';
import { anyCaseOf, checkdata, NO_CHECKS, type Parsed, packages, running } from './any-machine.ts';
import {
  agentShape,
  cpuShape,
  diskIoShape,
  disksShape,
  MEMORY,
  NET_IO,
  NO_CUSTOM_CHECKS,
  NO_EXPORTERS,
  netStatsShape,
  ntpShape,
  packageManagerShape,
  packagesShape,
  type StatsShape,
  SWAP,
} from './common-shapes.ts';
import { type Expected, membersOf, misfits } from './shape.ts';

const RELEASES = {
  'macos-26': { version: /^26(\.\d+){1,2}$/, kernel: /^25\.\d+\.0$/ },
  'macos-15': { version: /^15(\.\d+){1,2}$/, kernel: /^24\.6\.0$/ },
} as const;

const RUNS = { numRuns: draws(10) };

const PROCESS: Expected = {
  members: {
    ...membersOf('integer', 'pid ppid'),
    ...membersOf('string', 'username name'),
    ...membersOf('number', 'cpu_percent memory_percent'),
    cmdline: 'string',
    status: { oneOf: ['Running', 'Sleep', 'Stop', 'Idle', 'Zombie', 'Wait', 'Lock', ''].map((status) => [status]) },
    exec: 'string',
    nice_level: 'integer',
    num_fds: { oneOf: [0] },
    Memory: {
      members: {
        ...membersOf('integer', 'rss vms'),
        ...membersOf({ oneOf: [0] }, 'hwm data stack locked'),
        swap: 'integer',
      },
    },
    CreateTime: { oneOf: [0] },
  },
};

const JOB: Expected = {
  members: { IsRunning: 'boolean', ...membersOf('integer', 'Pid Status'), Label: { matching: /^[\w.-]+$/ } },
};

const SENSORS: Expected = {
  members: {
    Temperatures: { listOf: { members: { label: 'string', ...membersOf('number', 'current high critical') } } },
    Batteries: {
      listOf: { members: { id: 'integer', percent: 'number', secsleft: { oneOf: [0] }, power_plugged: 'boolean' } },
    },
  },
};

const USER: Expected = {
  members: {
    name: 'string',
    terminal: { matching: /^(console|ttys\d{3})$/ },
    host: { oneOf: [''] },
    started: { oneOf: [0] },
  },
};

describe.each(Object.entries(RELEASES))('%s', (name, { version, kernel }) => {
  const stats: StatsShape = {
    system: 'macos',
    manager: 'macos-updates',
    osName: { oneOf: ['macos'] },
    osVersion: { matching: version },
    osFamily: 'darwin',
    security: { oneOf: [0] },
    reboot: { oneOf: [false] },
  };

  const CHECKDATA: Expected = {
    members: {
      agent: agentShape({
        system: { oneOf: ['darwin'] },
        kernel: { matching: kernel },
        version: { matching: version },
        releaseId: { oneOf: [''] },
        build: { oneOf: [''] },
        family: { oneOf: ['Standalone Workstation', 'Server'] },
        goos: 'darwin',
        goarch: ['arm64', 'amd64'],
      }),
      cpu: cpuShape('number', { oneOf: [0] }),
      customchecks: NO_CUSTOM_CHECKS,
      disk_io: diskIoShape('posix'),
      disks: disksShape('string', { listOf: 'string' }),
      launchd_services: { listOf: JOB },
      memory: MEMORY,
      net_io: NET_IO,
      net_stats: netStatsShape({ oneOf: [0] }, { oneOf: [0] }),
      ntp: ntpShape({ synchronized: { oneOf: [false] }, offset: { oneOf: [0] } }),
      packagemanager: packageManagerShape(stats),
      processes: { listOf: PROCESS },
      prometheus_exporters: NO_EXPORTERS,
      sensors: SENSORS,
      swap: SWAP,
      system_load: { members: membersOf('number', '0 1 2') },
      users: { listOf: USER },
    },
  };

  const each = (claim: (document: Parsed) => void, read: (one: Parsed) => Parsed = checkdata) => {
    fc.assert(
      fc.property(anyCaseOf([name], NO_CHECKS), (one) => void claim(read(one))),
      RUNS,
    );
  };

  it('has the checks of macOS, and none of another system', () => {
    each((document) => expect(misfits(CHECKDATA, document)).toEqual([]));
  });

  it('has the package document of macOS', () => {
    const entry = membersOf('string', 'Name Version Description');
    const update = membersOf('string', 'Name Description Version');
    const expected = packagesShape(stats, { MacosApps: { members: entry }, MacosUpdates: { members: update } });
    each((document) => expect(misfits(expected, document)).toEqual([]), packages);
  });

  it('has apps without versions, with equal names and with long descriptions on large hosts', () => {
    const fleet = { seed: 1, profiles: { [name]: 1 }, payload: 'full', checkIntervalSeconds: 30 } as const;
    const lists = Array.from({ length: 12 }, (_, agent) => {
      return packages({ fleet, agent, instantMs: 1_790_000_000_000 }).MacosApps;
    });
    const apps: readonly Parsed[] = lists.flat();
    expect(apps.some(({ Version }) => Version === '')).toBe(true);
    expect(apps.some(({ Description }) => Buffer.byteLength(Description) > 80)).toBe(true);
    for (const list of lists) expect(new Set(list.map(({ Name }: Parsed) => Name)).size).toBeLessThan(list.length);
    const names = new Set(apps.map(({ Name }) => Name));
    expect([names.has('System Settings'), names.has('Systemeinstellungen')]).toEqual([true, true]);
  });

  it('has the same version in both documents, and does not offer it as an update', () => {
    fc.assert(
      fc.property(running(anyCaseOf([name], NO_CHECKS)), (one) => {
        const { mac_version } = checkdata(one).agent;
        const { Stats, MacosUpdates } = packages(one);
        expect(Stats.OsVersion).toBe(mac_version);
        for (const update of MacosUpdates.filter(({ Name }: Parsed) => Name.startsWith('macOS'))) {
          expect(update.Version).not.toBe(mac_version);
          expect(update.Name).toContain(update.Version);
        }
      }),
      RUNS,
    );
  });

  it('has wired memory, drops no outbound packets and shares one container among its volumes, except those of its security chip', () => {
    each(({ memory, net_io, disks }) => {
      expect(memory.wired).toBeGreaterThan(0);
      expect(memory.wired).toBeLessThan(memory.used);
      expect(memory.inactive).toBe(memory.available - memory.free);
      for (const card of Object.values<Parsed>(net_io)) expect([card.dropout, card.avg_dropout]).toEqual([0, 0]);
      const [volumes, apart] = ['disk3', 'disk1'].map((container) =>
        disks.filter(({ disk }: Parsed) => disk.device.includes(container)),
      );
      for (const { usage } of apart) expect(usage.total).toBe(524_288_000);
      expect(new Set(volumes.map(({ usage }: Parsed) => `${usage.total} ${usage.free}`)).size).toBe(1);
      const used = volumes.reduce((sum: number, { usage }: Parsed) => sum + usage.used, 0);
      expect(used + volumes[0].usage.free).toBeLessThanOrEqual(volumes[0].usage.total);
    });
  });

  it('lists the process of every running job', () => {
    each(({ processes, launchd_services }) => {
      if (processes.length === 0) return;
      const pids = new Set(processes.map(({ pid }: Parsed) => pid));
      for (const { IsRunning, Pid } of launchd_services) expect(IsRunning ? pids.has(Pid) : Pid === 0).toBe(true);
    });
  });
});
