/*
 * The parts of a recorded document that its description uses. Documents are checked against `CHECK_SHAPES` when they are read, so
 * nothing is checked again here.
 */

export type RecordedValue =
  | string
  | number
  | boolean
  | null
  | readonly RecordedValue[]
  | { readonly [key: string]: RecordedValue };

export type RecordedProcess = {
  readonly pid: number;
  readonly ppid: number;
  readonly username: string;
  readonly name: string;
  readonly cpu_percent: number;
  readonly cmdline: string;
  readonly exec: string;
  readonly Memory: { readonly rss: number } | WorkingSet;
  readonly CreateTime: number;
};

export type WorkingSet = {
  readonly working_set: number;
  readonly working_set_private: number;
  readonly private_bytes: number;
};

export type RecordedCard = Readonly<
  Record<
    'bytes_sent' | 'bytes_recv' | 'packets_sent' | 'packets_recv' | 'errin' | 'errout' | 'dropin' | 'dropout',
    number
  >
>;

export type RecordedDisk = Readonly<Record<string, number>>;

export type RecordedFileSystem = {
  readonly disk: { readonly device: string; readonly mountpoint: string };
  readonly usage: { readonly total: number; readonly used: number; readonly free: number };
};

/** The content of a failed check. */
export type Failed = { readonly error: string };

/** Check data. A check that the agent does not run is absent; a failed one has its error. */
export type RecordedCheckdata = {
  readonly agent: {
    readonly last_updated_timestamp: number;
    readonly system: string;
    readonly system_uptime: number;
    readonly kernel_version: string;
    readonly mac_version: string;
    readonly windows_release_id: string;
    readonly windows_current_build: string;
    readonly family: string;
    readonly goos: 'linux' | 'windows' | 'darwin';
    readonly goarch: 'amd64' | 'arm64';
    readonly goversion: string;
  };
  readonly cpu?: { readonly cpu_total_percentage: number; readonly cpu_percentage: readonly number[] } | Failed;
  readonly memory?: Readonly<Record<'total' | 'available' | 'used' | 'free' | 'inactive' | 'wired', number>> | Failed;
  readonly swap?: Readonly<Record<'total' | 'used', number>> | Failed;
  readonly system_load?: Readonly<Record<'0' | '1' | '2', number>> | Failed;
  readonly disks?: readonly RecordedFileSystem[] | Failed;
  readonly disk_io?: Readonly<Record<string, RecordedDisk>> | Failed;
  readonly net_io?: Readonly<Record<string, RecordedCard>> | Failed;
  readonly net_stats?: Readonly<Record<string, { readonly isup: boolean }>> | Failed;
  readonly processes?: readonly RecordedProcess[] | Failed;
  readonly systemd_services?: readonly { readonly Name: string; readonly ActiveState: string }[] | Failed;
  readonly launchd_services?: readonly { readonly Label: string; readonly Pid: number }[] | Failed | null;
  readonly windows_services?: readonly { readonly Name: string; readonly Pid: number }[] | Failed;
  readonly packagemanager?: { readonly enabled?: boolean; readonly Stats?: RecordedStats } | Failed;
};

export type RecordedStats = Readonly<Record<'PackageManager' | 'OsName' | 'OsVersion' | 'OsFamily', string>> & {
  readonly InstalledPackages: number;
  readonly UpgradablePackages: number;
  readonly SecurityUpdates: number;
  readonly RebootRequired: boolean;
  readonly LastError: string | null;
};

export type RecordedPackages = {
  readonly LastUpdate: number;
  readonly Stats: RecordedStats;
  readonly LinuxPackages: readonly { readonly Name: string; readonly Version: string; readonly Description: string }[];
  readonly LinuxUpdates: readonly {
    readonly Name: string;
    readonly CurrentVersion: string;
    readonly AvailableVersion: string;
    readonly IsSecurityUpdate: boolean;
  }[];
  readonly WindowsApps: readonly { readonly Name: string; readonly Version: string; readonly Publisher: string }[];
} & { readonly [list: string]: RecordedValue };

/** The content of a check; `undefined` if it failed or does not run. */
export function told<Check extends object>(check: Check | Failed | null | undefined): Check | undefined {
  return check === undefined || check === null || 'error' in check ? undefined : (check as Check);
}

/** A boot ends within this time. Its counters say nothing about the hours after it. */
const BOOT_SECONDS = 600;

/** The time in which the counters of a document reached their values. */
export function secondsCounted({ agent }: RecordedCheckdata): number {
  return Math.max(BOOT_SECONDS, agent.system_uptime);
}
