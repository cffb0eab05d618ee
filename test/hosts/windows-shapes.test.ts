import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { draws } from '../draws.ts';
import { anyCaseOf, checkdata, checkdataText, NO_CHECKS, type Parsed, packages, running } from './any-machine.ts';
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

const EDITIONS = {
  'windows-11': { system: 'Windows 10 Pro', build: '26100', family: 'Client', osName: 'Microsoft Windows 11 Pro' },
  'windows-server-2022': {
    system: 'Windows Server 2022 Standard',
    build: '20348',
    family: 'Server',
    osName: 'Microsoft Windows Server 2022 Standard',
  },
} as const;

const RUNS = { numRuns: draws(10) };

const PROCESS: Expected = {
  members: {
    ...membersOf('integer', 'pid ppid'),
    username: { oneOf: [''] },
    name: 'string',
    ...membersOf('number', 'cpu_percent memory_percent'),
    cmdline: 'string',
    status: { oneOf: [null] },
    exec: 'string',
    nice_level: { oneOf: [0] },
    num_fds: 'integer',
    Memory: { members: membersOf('integer', 'working_set working_set_private private_bytes') },
    CreateTime: 'integer',
  },
};

const SERVICE: Expected = {
  members: {
    ...membersOf('string', 'DisplayName BinPath'),
    StartType: { oneOf: ['Auto', 'Boot', 'Manual', 'Disabled', 'System', ''] },
    Status: { oneOf: ['Running', 'Stopped', 'Paused', 'Start Pending', 'Stop Pending'] },
    Pid: 'integer',
    ...membersOf('string', 'Name Description'),
  },
};

const USER: Expected = {
  members: { name: { matching: /^\S+\\\S+$/ }, terminal: { oneOf: [''] }, host: { oneOf: [''] }, started: 'integer' },
};

const UPDATE: Expected = {
  members: {
    ...membersOf('string', 'Title Description'),
    KBArticleIDs: { listOf: { matching: /^\d{6,7}$/ } },
    IsInstalled: { oneOf: [false] },
    ...membersOf('boolean', 'IsSecurityUpdate IsOptional'),
    UpdateID: { matching: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/ },
    RevisionNumber: 'integer',
    RebootRequired: 'boolean',
  },
};

describe.each(Object.entries(EDITIONS))('%s', (name, edition) => {
  const stats: StatsShape = {
    system: 'windows',
    manager: 'windows-updates',
    osName: { oneOf: [edition.osName] },
    osVersion: { matching: /^\d\dH2 \(10\.0\.(\d{5})\.(\d+) Build \1\.\2\)$/ },
    osFamily: 'windows',
    security: 'integer',
    reboot: 'boolean',
  };

  const CHECKDATA: Expected = {
    members: {
      agent: agentShape({
        system: { oneOf: [edition.system] },
        kernel: { oneOf: [''] },
        version: { oneOf: [''] },
        releaseId: { oneOf: ['2009'] },
        build: { oneOf: [edition.build] },
        family: { oneOf: [edition.family] },
        goos: 'windows',
        goarch: ['amd64'],
      }),
      cpu: cpuShape('integer', { oneOf: [0] }),
      customchecks: NO_CUSTOM_CHECKS,
      disk_io: diskIoShape('windows'),
      disks: disksShape({ oneOf: [''] }, { oneOf: [null] }),
      memory: MEMORY,
      net_io: NET_IO,
      net_stats: netStatsShape({ oneOf: [0] }, 'integer'),
      ntp: ntpShape({ synchronized: 'boolean', offset: 'number' }),
      packagemanager: packageManagerShape(stats),
      processes: { listOf: PROCESS },
      prometheus_exporters: NO_EXPORTERS,
      swap: SWAP,
      users: { listOf: USER },
      windows_services: { listOf: SERVICE },
    },
  };

  const anyHost = anyCaseOf([name], NO_CHECKS);
  const each = (claim: (document: Parsed, text: string, instantMs: number) => void, hosts = anyHost) => {
    fc.assert(
      fc.property(hosts, (one) => {
        const text = checkdataText(one);
        claim(JSON.parse(text), text, one.instantMs);
      }),
      RUNS,
    );
  };

  it('has the checks of Windows, and none of another system', () => {
    each((document) => expect(misfits(CHECKDATA, document)).toEqual([]));
  });

  it('has the package document of Windows', () => {
    const app: Expected = { members: membersOf('string', 'Name Version Publisher') };
    const expected = packagesShape(stats, { WindowsApps: app, WindowsUpdates: UPDATE });
    fc.assert(
      fc.property(anyHost, (one) => void expect(misfits(expected, packages(one))).toEqual([])),
      RUNS,
    );
  });

  it('has the event logs, newest entries first, only if they are enabled', () => {
    const entry: Expected = {
      members: {
        ...membersOf('string', 'MachineName Category'),
        ...membersOf('integer', 'CategoryNumber EventID'),
        EntryType: { oneOf: [0, 1, 2, 4, 8, 16] },
        ...membersOf('string', 'Message Source'),
        ...membersOf('integer', 'TimeGenerated TimeWritten Index'),
      },
    };
    fc.assert(
      fc.property(anyCaseOf([name], { windows_eventlog: 20 }), (one) => {
        const { windows_eventlog, agent } = checkdata(one);
        expect(misfits({ byName: { listOf: entry } }, windows_eventlog)).toEqual([]);
        expect(Object.values<Parsed>(windows_eventlog).flat()).toHaveLength(20);
        for (const entries of Object.values<Parsed>(windows_eventlog)) {
          const times = entries.map(({ TimeGenerated }: Parsed) => TimeGenerated);
          expect(times).toEqual([...times].sort((a, b) => b - a));
          expect(times[0]).toBeLessThanOrEqual(agent.last_updated_timestamp);
        }
      }),
      RUNS,
    );
  });

  it('has counters beyond 2^53 with all digits', () => {
    each((_, text, instantMs) => {
      const ticks = [...text.matchAll(/"(?:Timestamp_Sys100NS|PercentDiskTime_Base)":(\d+)/g)].map(([, it]) => it);
      const milliseconds = BigInt(instantMs - 700) + 11_644_473_600_000n;
      for (const tick of ticks) expect(BigInt(tick ?? 0) / 10_000n).toBe(milliseconds);
    }, running(anyHost));
  });

  it('has whole MiB on its disks and in its page file, and no memory that is neither free nor used', () => {
    each(({ disks, swap, memory }) => {
      for (const { disk, usage } of disks) {
        expect(disk.device).toBe(disk.mountpoint);
        for (const bytes of [usage.total, usage.used, usage.free]) expect(bytes % 2 ** 20).toBe(0);
        expect(usage.used + usage.free).toBe(usage.total);
      }
      for (const bytes of [swap.total, swap.used, swap.free]) expect(bytes % 2 ** 20).toBe(0);
      expect([memory.free, memory.inactive, memory.wired]).toEqual([memory.available, 0, 0]);
    });
  });

  it('lists the process of every running service, and of every signed-in user', () => {
    each(({ processes, windows_services, users, agent }) => {
      if (processes.length === 0) return;
      const byPid = new Map(processes.map((process: Parsed) => [process.pid, process]));
      for (const { Status, Pid, BinPath } of windows_services) {
        if (Status === 'Stopped') expect(Pid).toBe(0);
        else expect(BinPath.toLowerCase()).toContain((byPid.get(Pid) as Parsed).exec.toLowerCase());
      }
      const shells = processes.filter(({ exec }: Parsed) => exec === 'C:\\Windows\\Explorer.EXE');
      const starts = shells.map(({ CreateTime }: Parsed) => CreateTime);
      expect(starts).toEqual(users.map(({ started }: Parsed) => Math.floor(started / 1000)));
      for (const { started } of users) expect(started / 1000).toBeLessThanOrEqual(agent.last_updated_timestamp);
    });
  });

  it('has processes that were created after the boot and before the check', () => {
    each(({ processes, agent }) => {
      const boot = agent.last_updated_timestamp - agent.system_uptime;
      for (const { CreateTime, cmdline } of processes) {
        if (cmdline === '') expect(CreateTime).toBe(0);
        else {
          expect(CreateTime).toBeGreaterThanOrEqual(boot - 1);
          expect(CreateTime).toBeLessThanOrEqual(agent.last_updated_timestamp);
        }
      }
    });
  });
});
