import type { RecordedValue } from './template.ts';

/*
 * The parts of a recorded document that change. Documents are checked against `CHECK_SHAPES` when they are read, so nothing is
 * checked again here.
 */

type Of<Name extends string, Value> = Readonly<Record<Name, Value>>;

export type WorkingSet = Of<'working_set' | 'working_set_private' | 'private_bytes', number>;

export type RecordedProcess = Of<'pid' | 'ppid' | 'cpu_percent' | 'CreateTime', number> &
  Of<'name' | 'cmdline' | 'exec', string> & { readonly Memory: Of<'rss', number> | WorkingSet };

export type RecordedCard = Of<
  'bytes_sent' | 'bytes_recv' | 'packets_sent' | 'packets_recv' | 'errin' | 'errout' | 'dropin' | 'dropout',
  number
>;

export type RecordedDisk = { readonly [counter: string]: number };

export type RecordedFileSystem = {
  readonly disk: Of<'device' | 'mountpoint', string>;
  readonly usage: Of<'total' | 'used' | 'free', number>;
};

/** A systemd unit, launchd job or Windows service. */
export type RecordedService = { readonly [member: string]: RecordedValue };

/** The checks that did not fail. */
export type RecordedChecks = {
  readonly agent: Of<'last_updated_timestamp' | 'system_uptime', number> &
    Of<'system' | 'kernel_version' | 'mac_version' | 'family' | 'goversion', string> &
    Of<'windows_release_id' | 'windows_current_build', string> & {
      readonly goos: 'linux' | 'windows' | 'darwin';
      readonly goarch: 'amd64' | 'arm64';
    };
  readonly cpu?: { readonly cpu_percentage: readonly number[] };
  readonly memory?: Of<'total' | 'used' | 'wired', number>;
  readonly swap?: Of<'total', number>;
  readonly disks?: readonly RecordedFileSystem[];
  readonly disk_io?: { readonly [name: string]: RecordedDisk };
  readonly net_io?: { readonly [name: string]: RecordedCard };
  readonly ntp?: { readonly SyncStatus: boolean; readonly Offset: number };
  readonly processes?: readonly RecordedProcess[];
  readonly systemd_services?: readonly RecordedService[];
  readonly launchd_services?: readonly RecordedService[];
  readonly windows_services?: readonly RecordedService[];
  readonly packagemanager?: { readonly Stats?: RecordedStats };
};

export type RecordedStats = Of<'PackageManager' | 'OsName' | 'OsVersion' | 'OsFamily', string> &
  Of<'InstalledPackages' | 'UpgradablePackages' | 'SecurityUpdates', number> & {
    readonly RebootRequired: boolean;
    readonly LastError: string | null;
  };

export type RecordedPackages = {
  readonly LastUpdate: number;
  readonly Stats: RecordedStats;
  readonly LinuxPackages: readonly Of<'Name' | 'Version' | 'Description', string>[];
  readonly LinuxUpdates: readonly (Of<'Name' | 'CurrentVersion' | 'AvailableVersion', string> &
    Of<'IsSecurityUpdate', boolean>)[];
  readonly WindowsApps: readonly Of<'Name' | 'Version' | 'Publisher', string>[];
} & { readonly [list: string]: RecordedValue };

/** A boot ends within this time. Its counters say nothing about the hours after it. */
const BOOT_SECONDS = 600;

/** The time in which the counters of a document reached their values. */
export function secondsCounted({ agent }: RecordedChecks): number {
  return Math.max(BOOT_SECONDS, agent.system_uptime);
}
