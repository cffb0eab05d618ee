import { type Expected, membersOf } from './shape.ts';

const INTEGERS = (names: string) => membersOf('integer', names);
const NUMBERS = (names: string) => membersOf('number', names);
const STRINGS = (names: string) => membersOf('string', names);

/** Go's `Time.String` with its monotonic clock. */
const GO_TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,8}[1-9])? [+-]\d{4} \S+ m=\+\d+\.\d{9}$/;

/** The check `agent`, with the values that are specific to a system. */
export function agentShape(own: {
  readonly system: Expected;
  readonly kernel: Expected;
  readonly version: Expected;
  readonly releaseId: Expected;
  readonly build: Expected;
  readonly family: Expected;
  readonly goos: string;
  readonly goarch: readonly string[];
}): Expected {
  return {
    members: {
      last_updated: { matching: GO_TIME },
      last_updated_timestamp: 'integer',
      system: own.system,
      system_uptime: 'integer',
      kernel_version: own.kernel,
      mac_version: own.version,
      windows_release_id: own.releaseId,
      windows_current_build: own.build,
      family: own.family,
      agent_version: { oneOf: ['3.6.1'] },
      temperature_unit: { oneOf: ['C'] },
      goos: { oneOf: [own.goos] },
      goarch: { oneOf: own.goarch },
      goversion: { matching: /^go1\.\d+\.\d+$/ },
      check_interval: 'integer',
    },
  };
}

export function cpuShape(kind: 'number' | 'integer', iowait: Expected): Expected {
  const detail: Expected = { members: { ...membersOf(kind, 'User Nice System Idle'), Iowait: iowait } };
  return {
    members: {
      cpu_total_percentage: kind,
      cpu_percentage: { listOf: kind },
      cpu_total_percentage_detailed: detail,
      cpu_percentage_detailed: { listOf: detail },
    },
  };
}

export const MEMORY: Expected = {
  members: { ...INTEGERS('total available'), percent: 'number', ...INTEGERS('used free active inactive wired') },
};

export const SWAP: Expected = { members: { total: 'integer', percent: 'number', ...INTEGERS('used free sin sout') } };

const POSIX_DISK = 'ReadBytes WriteBytes ReadCount WriteCount ReadTime WriteTime IoTime';
const WINDOWS_DISK = `Frequency_PerfTime Timestamp_Sys100NS AvgDiskSecPerRead AvgDiskSecPerRead_Base AvgDiskSecPerWrite
  AvgDiskSecPerWrite_Base PercentDiskTime PercentDiskTime_Base DiskReadsPerSec DiskWritesPerSec DiskReadBytesPerSec
  DiskWriteBytesPerSec AvgDiskBytesPerRead AvgDiskBytesPerRead_Base AvgDiskBytesPerWrite AvgDiskBytesPerWrite_Base`;

/** Each family of systems has its own counters; those of the other family are 0. */
export function diskIoShape(system: 'posix' | 'windows'): Expected {
  const [posix, windows]: Expected[] = system === 'posix' ? ['integer', { oneOf: [0] }] : [{ oneOf: [0] }, 'integer'];
  return {
    byName: {
      members: {
        Timestamp: 'integer',
        Device: 'string',
        ...membersOf(posix as Expected, POSIX_DISK),
        ...membersOf(windows as Expected, WINDOWS_DISK),
        ...INTEGERS('ReadIopsPerSecond WriteIopsPerSecond TotalIopsPerSecond ReadBytesPerSecond WriteBytesPerSecond'),
        ...NUMBERS('TotalAvgWait ReadAvgWait WriteAvgWait ReadAvgSize WriteAvgSize LoadPercent'),
      },
    },
  };
}

export const NET_IO: Expected = {
  byName: {
    members: {
      name: 'string',
      ...INTEGERS(`timestamp bytes_sent bytes_recv packets_sent packets_recv errin errout dropin dropout
        avg_bytes_sent_ps avg_bytes_recv_ps avg_packets_sent_ps avg_packets_recv_ps
        avg_errin avg_errout avg_dropin avg_dropout`),
    },
  },
};

export function netStatsShape(duplex: Expected, speed: Expected): Expected {
  return { byName: { members: { isup: 'boolean', duplex, speed, mtu: 'integer' } } };
}

export function disksShape(fstype: Expected, opts: Expected): Expected {
  return {
    listOf: {
      members: {
        disk: { members: { ...STRINGS('device mountpoint'), fstype, opts } },
        usage: { members: { ...INTEGERS('total used free'), percent: 'number' } },
      },
    },
  };
}

export function ntpShape(own: { readonly synchronized: Expected; readonly offset: Expected }): Expected {
  return {
    members: { ...INTEGERS('Timestamp TimestampMicro'), SyncStatus: own.synchronized, Offset: own.offset },
  };
}

export const NO_CUSTOM_CHECKS: Expected = { oneOf: [{}] };
export const NO_EXPORTERS: Expected = { oneOf: [[]] };

export type StatsShape = {
  readonly system: string;
  readonly manager: string;
  readonly osName: Expected;
  readonly osVersion: Expected;
  readonly osFamily: string;
  readonly security: Expected;
  readonly reboot: Expected;
};

function statsShape(own: StatsShape): Expected {
  return {
    members: {
      ...INTEGERS('InstalledPackages UpgradablePackages'),
      SecurityUpdates: own.security,
      RebootRequired: own.reboot,
      LastError: { oneOf: [''] },
      OperatingSystem: { oneOf: [own.system] },
      PackageManager: { oneOf: [own.manager] },
      OsName: own.osName,
      OsVersion: own.osVersion,
      OsFamily: { oneOf: [own.osFamily] },
      AgentVersion: { oneOf: ['3.6.1'] },
      Uptime: 'integer',
    },
  };
}

const NO_STATS = {
  InstalledPackages: 0,
  UpgradablePackages: 0,
  SecurityUpdates: 0,
  RebootRequired: false,
  LastError: '',
  OperatingSystem: '',
  PackageManager: '',
  OsName: '',
  OsVersion: '',
  OsFamily: '',
  AgentVersion: '',
  Uptime: 0,
};

export function packageManagerShape(own: StatsShape): Expected {
  const collected: Expected = {
    members: {
      Enabled: { oneOf: [true] },
      Pending: { oneOf: [false] },
      LastUpdate: 'integer',
      Stats: statsShape(own),
    },
  };
  const pending = { Enabled: true, Pending: true, LastUpdate: 0, Stats: NO_STATS };
  return { either: [{ oneOf: [{ enabled: false, pending: false }, pending] }, collected] };
}

const PACKAGE_LISTS = ['LinuxPackages', 'LinuxUpdates', 'WindowsApps', 'WindowsUpdates', 'MacosApps', 'MacosUpdates'];

/** The lists of a system; those of other systems are empty. */
export function packagesShape(own: StatsShape, lists: Readonly<Record<string, Expected>>): Expected {
  const entries = PACKAGE_LISTS.map((name): readonly [string, Expected] => {
    const list = lists[name];
    return [name, list === undefined ? { oneOf: [[]] } : { listOf: list }];
  });
  const head: Readonly<Record<string, Expected>> = {
    Enabled: { oneOf: [true] },
    Pending: { oneOf: [false] },
    LastUpdate: 'integer',
    Stats: statsShape(own),
  };
  return { members: { ...head, ...Object.fromEntries(entries) } };
}
