import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { draws } from '../draws.ts';
import { anyCaseOf, checkdata, NO_CHECKS, packages } from './any-machine.ts';
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

type Facts = {
  readonly system: string;
  readonly version: Expected;
  readonly family: string;
  readonly kernel: RegExp;
  readonly manager: string;
  /** Whether its package manager marks security updates, and knows that a reboot is due. */
  readonly security: Expected;
  readonly reboot: Expected;
};

const ROLLING: Expected = { matching: /^20\d{6}$/ };

const DISTRIBUTIONS: Readonly<Record<string, Facts>> = {
  'ubuntu-24.04': {
    system: 'ubuntu',
    version: { oneOf: ['24.04'] },
    family: 'debian',
    kernel: /^6\.8\.0-\d+-generic$/,
    manager: 'apt',
    security: 'integer',
    reboot: 'boolean',
  },
  'debian-12': {
    system: 'debian',
    version: { matching: /^12\.\d+$/ },
    family: 'debian',
    kernel: /^6\.1\.0-\d+-amd64$/,
    manager: 'apt',
    security: 'integer',
    reboot: 'boolean',
  },
  'almalinux-9': {
    system: 'almalinux',
    version: { matching: /^9\.\d+$/ },
    family: 'rhel',
    kernel: /^5\.14\.0-\d+.*\.el9.*\.x86_64$/,
    manager: 'dnf',
    security: 'integer',
    reboot: 'boolean',
  },
  'opensuse-tumbleweed': {
    system: 'opensuse-tumbleweed',
    version: ROLLING,
    family: 'suse',
    kernel: /^6\.\d+\.\d+-\d+-default$/,
    manager: 'zypper',
    security: 'integer',
    reboot: 'boolean',
  },
  arch: {
    system: 'arch',
    version: { matching: /^(rolling|20\d{6}\.0\.\d+)$/ },
    family: 'arch',
    kernel: /^6\.\d+\.\d+-arch\d+-\d+$/,
    manager: 'pacman',
    security: { oneOf: [0] },
    reboot: { oneOf: [false] },
  },
};

const ZERO: Expected = { oneOf: [0] };

const PROCESS: Expected = {
  members: {
    ...membersOf('integer', 'pid ppid'),
    ...membersOf('string', 'username name'),
    ...membersOf('number', 'cpu_percent memory_percent'),
    cmdline: 'string',
    status: { oneOf: ['Running', 'Sleep', 'Stop', 'Idle', 'Zombie', 'Wait', 'Lock', ''].map((status) => [status]) },
    exec: 'string',
    nice_level: 'integer',
    num_fds: ZERO,
    Memory: {
      members: { ...membersOf('integer', 'rss vms'), ...membersOf(ZERO, 'hwm data stack locked'), swap: 'integer' },
    },
    CreateTime: ZERO,
  },
};

const SENSORS: Expected = {
  members: {
    Temperatures: { listOf: { members: { label: 'string', ...membersOf('number', 'current high critical') } } },
    Batteries: {
      listOf: { members: { id: 'integer', percent: 'number', secsleft: ZERO, power_plugged: 'boolean' } },
    },
  },
};

const UNIT: Expected = { members: membersOf('string', 'ActiveState Description LoadState Name SubState') };
const USER: Expected = { members: { ...membersOf('string', 'name terminal host'), started: 'integer' } };
const PACKAGE: Expected = { members: membersOf('string', 'Name Version Description') };
const UPDATE: Expected = {
  members: {
    ...membersOf('string', 'Name CurrentVersion AvailableVersion'),
    ...membersOf('boolean', 'IsSecurityUpdate IsPatch'),
  },
};

describe.each(Object.entries(DISTRIBUTIONS))('%s', (name, facts) => {
  const stats: StatsShape = {
    system: 'linux',
    manager: facts.manager,
    osName: { oneOf: [facts.system] },
    osVersion: facts.version,
    osFamily: facts.family,
    security: facts.security,
    reboot: facts.reboot,
  };

  const CHECKDATA: Expected = {
    members: {
      agent: agentShape({
        system: { oneOf: [facts.system] },
        kernel: { matching: facts.kernel },
        version: facts.version,
        releaseId: { oneOf: [''] },
        build: { oneOf: [''] },
        family: { oneOf: [facts.family] },
        goos: 'linux',
        goarch: ['amd64'],
      }),
      cpu: cpuShape('number', 'number'),
      customchecks: NO_CUSTOM_CHECKS,
      disk_io: diskIoShape('posix'),
      disks: disksShape('string', { listOf: 'string' }),
      memory: MEMORY,
      net_io: NET_IO,
      net_stats: netStatsShape({ oneOf: [0, 1, 2] }, 'integer'),
      ntp: ntpShape({ synchronized: 'boolean', offset: 'number' }),
      packagemanager: packageManagerShape(stats),
      processes: { listOf: PROCESS },
      prometheus_exporters: NO_EXPORTERS,
      sensors: SENSORS,
      swap: SWAP,
      system_load: { members: membersOf('number', '0 1 2') },
      systemd_services: { listOf: UNIT },
      users: { listOf: USER },
    },
  };

  it('has the checks of Linux, each member with its name, order and type', () => {
    fc.assert(
      fc.property(anyCaseOf([name], NO_CHECKS), (one) => void expect(misfits(CHECKDATA, checkdata(one))).toEqual([])),
      { numRuns: draws(9) },
    );
  });

  it('has the package document of Linux', () => {
    const expected = packagesShape(stats, { LinuxPackages: PACKAGE, LinuxUpdates: UPDATE });
    fc.assert(
      fc.property(anyCaseOf([name], NO_CHECKS), (one) => void expect(misfits(expected, packages(one))).toEqual([])),
      { numRuns: draws(9) },
    );
  });
});
