import { z } from 'zod';
import { expectationIn } from '../ground/notation/schema-findings.ts';
import { AGENT_VERSIONS } from '../ground/protocol/agent-versions.ts';
import { CHECK_NAMES } from '../ground/protocol/checks.ts';
import { digitsOf, isMembers, type JsonMembers, valueIn, withDoubles } from '../ground/protocol/exact-json.ts';
import { AGENT_VERSION } from '../ground/protocol/push.ts';
import type { DocumentPart } from '../hosts/recorded/recorded-hosts.ts';

/*
 * Hosts of users have figures that look impossible: totals of cloud file systems, counters after a fault, memory of containers. A host
 * model cannot compute with them, so what they are in is replayed as recorded: an entry of a list or map, or else its whole check.
 */

/** A figure of a document, and what follows from it. */
export type OddFigure = {
  readonly place: string;
  readonly expected: string;
  /** As written. Strings are not shown, because they may be secrets. */
  readonly found: string;
  readonly follows: string;
};

/** What the host model computes with. `each` is replayed entry by entry. */
type Modeled =
  | { readonly kind: 'whole'; readonly shape: z.ZodType }
  | { readonly kind: 'each'; readonly list: boolean; readonly of: Modeled }
  | { readonly kind: 'members'; readonly of: Readonly<Record<string, Modeled>> };

type Odd = { readonly unit: DocumentPart; readonly place: DocumentPart; readonly expected: string };

const MOST = 2 ** 53;

const figure = (what: string, least = 0, most = MOST) => {
  const expected = `expected ${what} from ${least} to ${most}`;
  return z.number(expected).refine((value) => value >= least && value <= most, expected);
};
const whole = (what: string, least = 0) => {
  return figure(what, least).refine(Number.isInteger, `expected ${what} that is whole`);
};
const bytes = whole('a number of bytes');
const count = whole('a number');
const milliseconds = whole('a number of milliseconds');
const pid = figure('a PID', 0, 2 ** 32 - 1).refine(Number.isInteger, 'expected a PID');
const text = z.string();
const seconds = figure('seconds since 1970', 1, 4e9);

function all<const Name extends string, Kind extends z.ZodType>(kind: Kind, ...names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, kind])) as Record<Name, Kind>;
}

type Report = Pick<z.RefinementCtx, 'addIssue'>;

/** Reports a figure that exceeds `each` for each of another one. */
function atMost(name: string, of: string, what: string, each = 1) {
  return (figures: JsonMembers, { addIssue }: Report): void => {
    const most = each === 1 ? Number(figures[of]) : each * Math.max(1, Number(figures[of]));
    if (Number(figures[name]) <= most) return;
    addIssue({ code: 'custom', path: [name], message: `expected at most ${what}, ${most}` });
  };
}

const one = (shape: z.ZodType): Modeled => ({ kind: 'whole', shape });
const each = (shape: z.ZodType, list: boolean): Modeled => ({ kind: 'each', list, of: one(shape) });

const memory = z
  .looseObject({
    ...all(bytes, 'available', 'wired', 'free', 'inactive'),
    ...all(whole('a number of bytes', 1), 'total', 'used'),
  })
  .superRefine(atMost('used', 'total', 'the total'))
  .superRefine(atMost('available', 'total', 'the total'));
const swap = z.looseObject(all(bytes, 'total', 'used')).superRefine(atMost('used', 'total', 'the total'));
const fileSystem = z.looseObject({
  disk: z.looseObject(all(text, 'device', 'mountpoint')),
  usage: z
    .looseObject(all(bytes, 'total', 'used', 'free'))
    .superRefine(atMost('used', 'total', 'the total'))
    .superRefine(atMost('free', 'total', 'the total')),
});
/** Most bytes of a packet and of a request, and milliseconds that one waits. */
const [PACKET_BYTES, REQUEST_BYTES, WAIT_MS] = [2 ** 20, 2 ** 30, 1e9];
const LOST = ['errin', 'errout', 'dropin', 'dropout'] as const;
const card = z
  .looseObject(all(count, 'bytes_sent', 'bytes_recv', 'packets_sent', 'packets_recv', ...LOST))
  .superRefine(atMost('bytes_sent', 'packets_sent', 'a MiB per packet', PACKET_BYTES))
  .superRefine(atMost('bytes_recv', 'packets_recv', 'a MiB per packet', PACKET_BYTES));
const device = z
  .looseObject({
    ...all(count, 'ReadCount', 'WriteCount', 'ReadBytes', 'WriteBytes', 'IoTime'),
    ...all(milliseconds, 'ReadTime', 'WriteTime'),
  })
  .superRefine(atMost('ReadBytes', 'ReadCount', 'a GiB per request', REQUEST_BYTES))
  .superRefine(atMost('WriteBytes', 'WriteCount', 'a GiB per request', REQUEST_BYTES));
const windowsDevice = z
  .looseObject({
    ...all(count, 'DiskReadsPerSec', 'DiskWritesPerSec', 'DiskReadBytesPerSec', 'DiskWriteBytesPerSec'),
    ...all(figure('a number of milliseconds', 0, WAIT_MS), 'ReadAvgWait', 'WriteAvgWait'),
  })
  .superRefine(atMost('DiskReadBytesPerSec', 'DiskReadsPerSec', 'a GiB per request', REQUEST_BYTES))
  .superRefine(atMost('DiskWriteBytesPerSec', 'DiskWritesPerSec', 'a GiB per request', REQUEST_BYTES));
const container = z.looseObject({
  ...all(text, 'id', 'name'),
  ...all(figure('a number'), 'network_rx', 'network_tx', 'disk_read', 'disk_write', 'memory_used'),
  ...all(figure('a percentage', 0, 1e6), 'cpu_percentage', 'memory_percentage'),
});
const stats = z.looseObject({
  ...all(text, 'PackageManager', 'OsName', 'OsVersion', 'OsFamily'),
  ...all(figure('a number', 0, 1e6), 'InstalledPackages', 'UpgradablePackages', 'SecurityUpdates'),
});
const service = each(z.looseObject({}), true);
const process = z.looseObject({
  ...{ pid, ppid: pid, cpu_percent: figure('a percentage', 0, 1e6), CreateTime: figure('a time').optional() },
  ...all(text, 'name', 'exec', 'cmdline'),
  Memory: z.union([
    z.looseObject({ rss: bytes }),
    z.looseObject(all(bytes, 'working_set', 'working_set_private', 'private_bytes')),
  ]),
});
const event = z.looseObject({ TimeGenerated: figure('seconds since 1970', 0, 4e9) });
const cores = z.looseObject({ cpu_percentage: z.array(z.unknown()).min(1, 'expected one value per core') });

const MODELED: Readonly<Record<string, Modeled>> = {
  cpu: one(cores),
  disk_io: each(device, false),
  disks: each(fileSystem, true),
  docker: each(container, true),
  launchd_services: service,
  memory: one(memory),
  net_io: each(card, false),
  ntp: one(z.looseObject({ SyncStatus: z.unknown(), Offset: z.number() })),
  packagemanager: { kind: 'members', of: { Stats: one(stats) } },
  sensors: {
    kind: 'members',
    of: { Temperatures: each(z.looseObject({ current: figure('a temperature', -1e9, 1e9) }), true) },
  },
  swap: one(swap),
  systemd_services: service,
  users: each(z.looseObject({ started: figure('a time', -MOST) }), true),
  windows_eventlog: { kind: 'each', list: false, of: each(event, true) },
  windows_services: service,
};

/** A check with more odd entries is replayed as a whole. */
const MOST_ODD_ENTRIES = 20;

function oddIn(modeled: Modeled, value: unknown, at: DocumentPart): readonly Odd[] {
  // Go writes an empty list or map, and the result of a check that found nothing, as null.
  if (value === undefined || (value === null && (at.length === 1 || modeled.kind !== 'whole'))) return [];
  if (modeled.kind !== 'whole') return oddEntries(modeled, value, at);
  const [issue] = modeled.shape.safeParse(value).error?.issues ?? [];
  if (issue === undefined) return [];
  return [{ unit: at, place: [...at, ...(issue.path as DocumentPart)], expected: expectationIn(issue.message) }];
}

function oddEntries(
  modeled: Exclude<Modeled, { readonly kind: 'whole' }>,
  value: unknown,
  at: DocumentPart,
): readonly Odd[] {
  const isList = modeled.kind === 'each' && modeled.list;
  if (isList !== Array.isArray(value) || typeof value !== 'object' || value === null) {
    return [{ unit: at, place: at, expected: isList ? 'a list' : 'an object' }];
  }
  const odd: Odd[] = [];
  for (const [name, entry] of Object.entries(value)) {
    const of = modeled.kind === 'each' ? modeled.of : modeled.of[name];
    if (of !== undefined) odd.push(...oddIn(of, entry, [...at, isList ? Number(name) : name]));
    if (odd.length > MOST_ODD_ENTRIES) return odd.map((one) => ({ ...one, unit: at }));
  }
  return odd;
}

/** The list is replayed as a whole, because the PIDs of a host depend on each other. */
function oddProcesses(processes: unknown): readonly Odd[] {
  const at = ['processes'];
  const [odd] = oddIn(each(process, true), processes, at);
  if (odd !== undefined) return [{ ...odd, unit: at }];
  const pids = new Set<number>();
  for (const [index, { pid, ppid }] of (
    (processes ?? []) as readonly Readonly<Record<'pid' | 'ppid', number>>[]
  ).entries()) {
    const place = (member: string) => ({ unit: at, place: [...at, index, member] });
    if (pids.has(pid)) return [{ ...place('pid'), expected: 'a PID that no other process has' }];
    if (pid === ppid && pid !== 0) return [{ ...place('ppid'), expected: 'the PID of another process' }];
    pids.add(pid);
  }
  return [];
}

export function isPackages(document: JsonMembers): boolean {
  return !('agent' in document) && ('Stats' in document || 'LinuxPackages' in document);
}

/** A failed check consists of its error. */
export function isFailure(check: unknown): boolean {
  return isMembers(check) && typeof check.error === 'string' && Object.keys(check).length === 1;
}

function oddUnits(document: JsonMembers): readonly Odd[] {
  const { processes, agent, ...checks } = document;
  const isWindows = isMembers(agent) && agent.goos === 'windows';
  const odd = Object.entries(checks).flatMap(([name, check]) => {
    const modeled = name === 'disk_io' && isWindows ? each(windowsDevice, false) : MODELED[name];
    return modeled === undefined || isFailure(check) ? [] : oddIn(modeled, check, [name]);
  });
  return isFailure(processes) ? odd : [...odd, ...oddProcesses(processes)];
}

const PACKAGE = z.looseObject(all(text, 'Name', 'Version'));
const packages = z.looseObject({
  LastUpdate: seconds,
  Stats: stats,
  LinuxPackages: z.array(PACKAGE.extend({ Description: text })),
  LinuxUpdates: z.array(z.looseObject(all(text, 'Name', 'CurrentVersion', 'AvailableVersion'))),
  WindowsApps: z.array(PACKAGE.extend({ Publisher: text })),
});

/** The parts of a document that are replayed as recorded, in the order of the document; the whole document is an empty path. */
export function asRecordedIn(text: string): readonly DocumentPart[] {
  const document = JSON.parse(text) as JsonMembers;
  return isPackages(document)
    ? oddIn(one(packages), document, []).map(() => [])
    : oddUnits(document).map(({ unit }) => unit);
}

const AGENT = z.looseObject({
  last_updated_timestamp: seconds,
  system_uptime: figure('seconds', 0, 4e9),
  goos: z.enum(['linux', 'windows', 'darwin'], 'expected linux, windows or darwin'),
});
const AGENT_FOLLOWS: Readonly<Record<string, string>> = {
  last_updated_timestamp: 'the time of the document is not known',
  system_uptime: 'rates are those of the last interval',
  goos: 'its hosts are modeled like Linux',
};

/** All odd figures of a document. */
export function oddFigures(exact: JsonMembers, at: string): readonly OddFigure[] {
  const document = withDoubles(exact) as JsonMembers;
  const told = (path: DocumentPart, expected: string, follows: string): OddFigure => {
    return { place: `${at}${placeText(path)}`, expected, found: foundText(valueIn(exact, path)), follows };
  };
  const replayed = (unit: DocumentPart) => `${placeText(unit).slice(1) || 'the document'} is replayed as recorded`;
  if (isPackages(document)) {
    const odd = oddIn(one(packages), document, []).map(({ place, expected }) => told(place, expected, replayed([])));
    return [...versionNotes((document.Stats as JsonMembers).AgentVersion, `${at}.Stats.AgentVersion`), ...odd];
  }
  const agent = AGENT.safeParse(document.agent).error?.issues ?? [];
  const odd = [
    ...versionNotes((document.agent as JsonMembers).agent_version, `${at}.agent.agent_version`),
    ...(isFailure(document.agent) ? [] : agent).map(({ path, message }) => {
      return told(['agent', ...(path as DocumentPart)], expectationIn(message), AGENT_FOLLOWS[String(path[0])] ?? '');
    }),
    ...Object.keys(document)
      .filter((check) => !CHECK_NAMES.includes(check))
      .map((check) => told([check], `one of the checks of agent ${AGENT_VERSION}`, replayed([check]))),
    ...oddUnits(document).map(({ place, expected, unit }) => told(place, expected, replayed(unit))),
  ];
  const known = new Set(odd.map(({ place }) => place));
  return [...odd, ...wideIn(exact, at, []).filter(({ place }) => !known.has(place))];
}

function versionNotes(version: unknown, place: string): readonly OddFigure[] {
  if ((AGENT_VERSIONS as readonly unknown[]).includes(version)) return [];
  const expected = `an agent version from ${AGENT_VERSIONS[0]} to ${AGENT_VERSION}`;
  return [
    {
      place,
      expected,
      found: typeof version === 'string' ? excerptOf(version) : foundText(version),
      follows: 'what this Muster does not know is replayed as recorded',
    },
  ];
}

/** Raw counters of Windows, which has them on every host. */
const WIDE = /^(Timestamp_Sys100NS|PercentDiskTime|PercentDiskTime_Base|Frequency_PerfTime)$/;

/** Figures beyond 2^53 that the model does not compute with. */
function wideIn(exact: unknown, at: string, found: OddFigure[]): readonly OddFigure[] {
  if (typeof exact !== 'object' || exact === null) return found;
  for (const [name, value] of Object.entries(exact)) {
    const place = `${at}${Array.isArray(exact) ? `[${name}]` : placeText([name])}`;
    const number = Number(digitsOf(value) ?? (typeof value === 'number' ? value : 0));
    if (isMembers(value) || Array.isArray(value)) wideIn(value, place, found);
    else if (Math.abs(number) > MOST && !WIDE.test(name))
      found.push({
        ...{ place, expected: `a number up to ${MOST}`, found: foundText(value) },
        follows: 'it is kept with all digits',
      });
  }
  return found;
}

export function placeText(path: DocumentPart): string {
  return path.map((key) => (typeof key === 'number' ? `[${key}]` : step(key))).join('');
}

function step(name: string): string {
  return /^[A-Za-z_][\w-]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

const LONGEST_SHOWN = 60;

export function excerptOf(text: string): string {
  return JSON.stringify(text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text);
}

/** Describes a value; numbers as written. Strings are not shown, because they may be secrets. */
export function foundText(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && !JSON.isRawJSON(value)) return 'an object';
  return typeof value === 'string' ? 'a string' : JSON.stringify(value);
}
