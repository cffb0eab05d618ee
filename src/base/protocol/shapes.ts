import { z } from 'zod';
import { AGENT_VERSIONS, hasFeature } from './agent-versions.ts';
import type { CheckName } from './checks.ts';
import { isFailure } from './exact-json.ts';

/** An integer of any size: Windows sends some beyond 2^53, which arrive rounded. */
const integer = z.number().refine(Number.isInteger, 'expected a whole number');
const count = integer.refine((value) => value >= 0, 'expected zero or more');
const text = z.string();
const flag = z.boolean();

/** An object with exactly these members, all of one kind. */
function allOf<const Name extends string, Kind extends z.ZodType>(names: readonly Name[], kind: Kind) {
  return z.strictObject(Object.fromEntries(names.map((name) => [name, kind])) as Record<Name, Kind>);
}

/** Number of faulty entries after which the rest of a list or map is not checked. */
const MAX_FAULTY_ENTRIES = 20;

/** A list, which Go writes as null if it is empty. Only the first faulty entries are reported, because a hostile list could have millions. */
function listOf<Entry extends z.ZodType>(entry: Entry) {
  const list = z.array(z.unknown()).superRefine((entries, context) => checkEntries(entries.entries(), entry, context));
  return list.nullable() as unknown as z.ZodType<readonly z.infer<Entry>[]>;
}

/** An object with arbitrary names and values of one kind; faults are limited as in a list. */
function mapOf<Value extends z.ZodType>(value: Value) {
  const map = z
    .record(z.string(), z.unknown())
    .superRefine((entries, context) => checkEntries(namedEntries(entries), value, context));
  return map.nullable() as unknown as z.ZodType<Readonly<Record<string, z.infer<Value>>>>;
}

// Unlike Object.entries, does not list the rest of a hostile object.
function* namedEntries(object: Readonly<Record<string, unknown>>): Iterable<readonly [string, unknown]> {
  for (const name in object) yield [name, object[name]];
}

function checkEntries(
  entries: Iterable<readonly [PropertyKey, unknown]>,
  shape: z.ZodType,
  context: z.RefinementCtx,
): void {
  let faulty = 0;
  for (const [key, value] of entries) {
    const result = shape.safeParse(value);
    if (result.success) continue;
    for (const { message, path } of result.error.issues) {
      context.addIssue({ code: 'custom', message, path: [key, ...path] });
    }
    if (++faulty === MAX_FAULTY_ENTRIES) return;
  }
}

const packageStatsShape = z.strictObject({
  InstalledPackages: count,
  UpgradablePackages: count,
  SecurityUpdates: count,
  RebootRequired: flag,
  // `null` in development builds before 3.5.0
  LastError: text.nullable(),
  OperatingSystem: z.enum(['linux', 'windows', 'macos', '']),
  PackageManager: text,
  OsName: text,
  OsVersion: text,
  OsFamily: text,
  AgentVersion: text,
  Uptime: count,
});

const packageShape = allOf(['Name', 'Version', 'Description'], text);

/** The document of a package push of agent 3.6.1 (docs/reference/documents.md, "Package information"). */
export const packagesShape = z.strictObject({
  Enabled: flag,
  Pending: flag,
  LastUpdate: integer,
  Stats: packageStatsShape,
  LinuxPackages: listOf(packageShape),
  LinuxUpdates: listOf(
    z.strictObject({
      Name: text,
      CurrentVersion: text,
      AvailableVersion: text,
      IsSecurityUpdate: flag,
      IsPatch: flag,
    }),
  ),
  WindowsApps: listOf(allOf(['Name', 'Version', 'Publisher'], text)),
  WindowsUpdates: listOf(
    z.strictObject({
      Title: text,
      Description: text,
      KBArticleIDs: listOf(text).nullable(),
      IsInstalled: flag,
      IsSecurityUpdate: flag,
      IsOptional: flag,
      UpdateID: text,
      RevisionNumber: integer,
      RebootRequired: flag,
    }),
  ),
  MacosApps: listOf(packageShape),
  MacosUpdates: listOf(packageShape),
});

export type PackageDocument = z.infer<typeof packagesShape>;

const number = z.number();

const cpuShares = allOf(['User', 'Nice', 'System', 'Idle', 'Iowait'], number);

const processShape = z.strictObject({
  pid: count,
  ppid: count,
  username: text,
  name: text,
  cpu_percent: number,
  memory_percent: number,
  cmdline: text,
  status: listOf(text).nullable(),
  exec: text,
  nice_level: integer,
  num_fds: count,
  Memory: z.union([
    allOf(['rss', 'vms', 'hwm', 'data', 'stack', 'locked', 'swap'], count),
    allOf(['working_set', 'working_set_private', 'private_bytes'], count),
  ]),
  CreateTime: count.optional(),
});

const diskIo = z.strictObject({
  Device: text,
  ...allOf(
    [
      ...(['Timestamp', 'ReadBytes', 'WriteBytes', 'ReadCount', 'WriteCount'] as const),
      ...(['ReadTime', 'WriteTime', 'IoTime', 'Frequency_PerfTime', 'Timestamp_Sys100NS'] as const),
      ...(['AvgDiskSecPerRead', 'AvgDiskSecPerRead_Base', 'AvgDiskSecPerWrite', 'AvgDiskSecPerWrite_Base'] as const),
      ...(['PercentDiskTime', 'PercentDiskTime_Base', 'DiskReadsPerSec', 'DiskWritesPerSec'] as const),
      ...(['DiskReadBytesPerSec', 'DiskWriteBytesPerSec', 'AvgDiskBytesPerRead', 'AvgDiskBytesPerRead_Base'] as const),
      ...(['AvgDiskBytesPerWrite', 'AvgDiskBytesPerWrite_Base', 'ReadIopsPerSecond'] as const),
      ...(['WriteIopsPerSecond', 'TotalIopsPerSecond', 'ReadBytesPerSecond'] as const),
      'WriteBytesPerSecond',
    ],
    count,
  ).shape,
  ...allOf(['TotalAvgWait', 'ReadAvgWait', 'WriteAvgWait', 'ReadAvgSize', 'WriteAvgSize', 'LoadPercent'], number).shape,
});

const netIo = z.strictObject({
  name: text,
  ...allOf(
    [
      ...(['timestamp', 'bytes_sent', 'bytes_recv', 'packets_sent', 'packets_recv'] as const),
      ...(['errin', 'errout', 'dropin', 'dropout'] as const),
      ...(['avg_bytes_sent_ps', 'avg_bytes_recv_ps', 'avg_packets_sent_ps', 'avg_packets_recv_ps'] as const),
      ...(['avg_errin', 'avg_errout', 'avg_dropin', 'avg_dropout'] as const),
    ],
    count,
  ).shape,
});

const windowsEvent = z.strictObject({
  ...allOf(['MachineName', 'Category', 'Message', 'Source'], text).shape,
  ...allOf(['CategoryNumber', 'EventID', 'EntryType', 'TimeGenerated', 'TimeWritten', 'Index'], integer).shape,
});

const container = z.strictObject({
  ...allOf(['id', 'name', 'image', 'state', 'status'], text).shape,
  ...allOf(['size_rw', 'size_root_fs', 'disk_read', 'disk_write'], integer).shape,
  ...allOf(['network_rx', 'network_tx', 'cpu_percentage', 'memory_percentage', 'memory_used'], number).shape,
});

/** Checks that agents of a release report, whatever their configuration. */
function standingChecks(version: unknown): readonly string[] {
  const known = AGENT_VERSIONS.find((one) => one === version);
  return [
    ...['agent', 'customchecks'],
    ...(hasFeature(known, 'exporters') ? ['prometheus_exporters'] : []),
    ...(hasFeature(known, 'packages') ? ['packagemanager'] : []),
  ];
}

/**
 * The checks of agents up to 3.6.1 (docs/reference/documents.md, "Check data"). A failed check may instead be `{"error":"text"}`.
 * Virtual machines of `libvirt` have no detailed shape, because released agents do not report them.
 */
const checkShapes = {
  agent: z.strictObject({
    last_updated: text.regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,9})? [+-]\d{4} \S+ m=\+\d+\.\d{9}$/),
    ...allOf(['last_updated_timestamp', 'system_uptime'], count).shape,
    ...allOf(['system', 'kernel_version', 'mac_version'], text).shape,
    ...allOf(['family', 'agent_version', 'temperature_unit', 'goos'], text).shape,
    // Earlier releases lack these.
    ...allOf(['windows_release_id', 'windows_current_build', 'goarch', 'goversion'], text.optional()).shape,
    check_interval: count.optional(),
  }),
  cpu: z.strictObject({
    cpu_total_percentage: number,
    cpu_percentage: listOf(number),
    cpu_total_percentage_detailed: cpuShares,
    cpu_percentage_detailed: listOf(cpuShares),
  }),
  customchecks: mapOf(z.strictObject({ stdout: text, rc: integer, execution_unix_timestamp_sec: count })),
  disk_io: mapOf(diskIo),
  disks: listOf(
    z.strictObject({
      disk: z.strictObject({ device: text, mountpoint: text, fstype: text, opts: listOf(text).nullable() }),
      usage: z.strictObject({ total: count, used: count, free: count, percent: number }),
    }),
  ),
  docker: listOf(container),
  launchd_services: listOf(z.strictObject({ IsRunning: flag, Pid: count, Status: integer, Label: text })).nullable(),
  libvirt: mapOf(z.looseObject({ Name: text, Uuid: text })),
  memory: z.strictObject({
    percent: number,
    ...allOf(['total', 'available', 'used', 'free', 'active', 'inactive', 'wired'], count).shape,
  }),
  net_io: mapOf(netIo),
  net_stats: mapOf(z.strictObject({ isup: flag, duplex: count, speed: integer, mtu: count })),
  ntp: z.strictObject({ Timestamp: count, TimestampMicro: count, SyncStatus: flag, Offset: number }),
  packagemanager: z.union([
    z.strictObject({ Enabled: flag, Pending: flag, LastUpdate: count, Stats: packageStatsShape }),
    z.strictObject({ enabled: flag, pending: flag }),
  ]),
  processes: listOf(processShape),
  prometheus_exporters: listOf(text),
  sensors: z.strictObject({
    Temperatures: listOf(z.strictObject({ label: text, current: number, high: number, critical: number })),
    Batteries: listOf(z.strictObject({ id: count, percent: number, secsleft: number, power_plugged: flag })),
  }),
  swap: z.strictObject({ percent: number, ...allOf(['total', 'used', 'free', 'sin', 'sout'], count).shape }),
  system_load: allOf(['0', '1', '2'], number),
  systemd_services: listOf(allOf(['ActiveState', 'Description', 'LoadState', 'Name', 'SubState'], text)),
  users: listOf(z.strictObject({ name: text, terminal: text, host: text, started: integer })),
  windows_eventlog: mapOf(listOf(windowsEvent)),
  windows_services: listOf(
    z.strictObject({
      ...allOf(['DisplayName', 'BinPath', 'StartType', 'Status', 'Name', 'Description'], text).shape,
      Pid: count,
    }),
  ),
} satisfies Readonly<Record<CheckName, z.ZodType>>;

export const CHECK_SHAPES: Readonly<Record<string, z.ZodType>> = checkShapes;

/** The results of checks that did not fail. */
export type CheckResults = { readonly [Check in CheckName]: z.infer<(typeof checkShapes)[Check]> };

/** What a document of check data has other than the agent's shapes; empty if nothing. */
export function checkdataFaults(document: unknown): readonly string[] {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    return ['checkdata: expected object'];
  }
  if (isFailure(document)) return [];
  const { agent } = document as { readonly agent?: { readonly agent_version?: unknown } | null };
  const missing = standingChecks(agent?.agent_version)
    .filter((name) => !Object.hasOwn(document, name))
    .map((name) => `${name}: missing`);
  const known = Object.entries(CHECK_SHAPES).flatMap(([name, shape]) => {
    const check: unknown = Object.hasOwn(document, name) ? document[name as keyof typeof document] : undefined;
    return check === undefined || isFailure(check) ? [] : shapeFaults(shape, check, name);
  });
  return [...missing, ...unknownChecks(document), ...known];
}

/** Per document. */
const MAX_UNKNOWN_CHECKS = 20;

function unknownChecks(document: object): readonly string[] {
  const names = Object.keys(document).filter((name) => !Object.hasOwn(CHECK_SHAPES, name));
  return names.slice(0, MAX_UNKNOWN_CHECKS).map((name) => `${name}: unknown check`);
}

/** What a value has other than a shape, such as `cpu.cpu_percentage[]: expected number`. */
export function shapeFaults(shape: z.ZodType, value: unknown, name: string): readonly string[] {
  const result = shape.safeParse(value, { reportInput: false });
  return result.success ? [] : result.error.issues.map((issue) => `${name}${pathText(issue.path)}: ${issue.message}`);
}

/** Array indexes are omitted, because they differ from document to document. */
function pathText(path: readonly PropertyKey[]): string {
  return path.map((step) => (typeof step === 'number' ? '[]' : `.${String(step)}`)).join('');
}
