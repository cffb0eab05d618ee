import { memoized } from '../base/kernel/memoize.ts';
import { AGENT_VERSIONS } from '../base/protocol/agent-versions.ts';
import { CHECK_NAMES } from '../base/protocol/checks.ts';
import { digitsOf, isFailure, isMembers, type JsonMembers, valueIn, withDoubles } from '../base/protocol/exact-json.ts';
import { AGENT_VERSION } from '../base/protocol/push.ts';
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
  /** What is replayed as recorded, if anything is. */
  readonly unit?: DocumentPart;
};

type Odd = { readonly unit: DocumentPart; readonly place: DocumentPart; readonly expected: string };

/** What the host model expects of a member. Limits may depend on other members of its part. */
type Limit = {
  readonly expected: (part: JsonMembers) => string;
  readonly holds: (value: unknown, part: JsonMembers) => boolean;
};

const MOST = 2 ** 53;

const limit = (expected: string, holds: Limit['holds']): Limit => ({ expected: () => expected, holds });
const figure = (what: string, least = 0, most = MOST) =>
  limit(`${what} from ${least} to ${most}`, (value) => typeof value === 'number' && value >= least && value <= most);
const whole = (what: string, least = 0, most = MOST) =>
  limit(
    `a whole ${what} from ${least} to ${most}`,
    (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
  );
/** At most `each` for each of another figure; of a total, at most all of it. */
function atMost(of: string, what: string, each?: number): Limit {
  const most = (part: JsonMembers) => {
    const other = Number(valueIn(part, of.split('.')));
    return each === undefined ? other : each * Math.max(1, other);
  };
  // Those that are no figures are reported by their own limits.
  return {
    expected: (part) => `at most ${what}, ${most(part)}`,
    holds: (value, part) => !(Number(value) > most(part)),
  };
}

const ANY = limit('anything', () => true);
const number = limit('a number', Number.isFinite);
const text = limit('a string', (value) => typeof value === 'string');
const list = limit('a list', Array.isArray);
const bytes = whole('number of bytes');
const someBytes = whole('number of bytes', 1);
const count = whole('number');
const milliseconds = whole('number of milliseconds');
const waits = figure('a number of milliseconds', 0, 1e9);
const percentage = figure('a percentage', 0, 1e6);
const pid = whole('number as PID', 0, 2 ** 32 - 1);
const seconds = figure('seconds since 1970', 1, 4e9);
const packages = figure('a number', 0, 1e6);
const system = limit('linux, windows or darwin', (value) => ['linux', 'windows', 'darwin'].includes(String(value)));
const created = limit('a time or nothing', (value) => value === undefined || figure('').holds(value, {}));
const inPackets = (of: string) => atMost(of, 'a MiB per packet', 2 ** 20);
const inRequests = (of: string) => atMost(of, 'a GiB per request', 2 ** 30);

/** The limit of a member in one of the two forms of memory. */
function unless(other: string, { expected, holds }: Limit): Limit {
  const isOther = (value: unknown, part: JsonMembers) =>
    (value === undefined || other === 'rss') && valueIn(part, ['Memory', other]) !== undefined;
  return { expected, holds: (value, part) => isOther(value, part) || holds(value, part) };
}

type Rule = readonly [part: string, members: string, limit: Limit];

const STATS = 'PackageManager OsName OsVersion OsFamily';
const COUNTS = 'InstalledPackages UpgradablePackages SecurityUpdates';

/** What the model computes with. `[]` and `{}` stand for each entry of a list and of a map. */
const RULES: readonly Rule[] = [
  ['cpu', 'cpu_percentage', limit('one value per core', (value) => Array.isArray(value) && value.length > 0)],
  ['disk_io.{}', 'ReadCount WriteCount ReadBytes WriteBytes IoTime', count],
  ['disk_io.{}', 'ReadTime WriteTime', milliseconds],
  ['disk_io.{}', 'ReadBytes', inRequests('ReadCount')],
  ['disk_io.{}', 'WriteBytes', inRequests('WriteCount')],
  ['disks.[]', 'disk.device disk.mountpoint', text],
  ['disks.[]', 'usage.total usage.used usage.free', bytes],
  ['disks.[]', 'usage.used usage.free', atMost('usage.total', 'the total')],
  ['docker.[]', 'id name', text],
  ['docker.[]', 'network_rx network_tx disk_read disk_write memory_used', figure('a number')],
  ['docker.[]', 'cpu_percentage memory_percentage', percentage],
  ['launchd_services.[]', '', ANY],
  ['memory', 'available wired free inactive', bytes],
  ['memory', 'total used', someBytes],
  ['memory', 'used available', atMost('total', 'the total')],
  ['net_io.{}', 'bytes_sent bytes_recv packets_sent packets_recv errin errout dropin dropout', count],
  ['net_io.{}', 'bytes_sent', inPackets('packets_sent')],
  ['net_io.{}', 'bytes_recv', inPackets('packets_recv')],
  ['ntp', 'Offset', number],
  ['packagemanager.Stats', STATS, text],
  ['packagemanager.Stats', COUNTS, packages],
  ['sensors.Temperatures.[]', 'current', figure('a temperature', -1e9, 1e9)],
  ['swap', 'total used', bytes],
  ['swap', 'used', atMost('total', 'the total')],
  ['systemd_services.[]', '', ANY],
  ['users.[]', 'started', figure('a time', -MOST)],
  ['windows_eventlog.{}.[]', 'TimeGenerated', figure('seconds since 1970', 0, 4e9)],
  ['windows_services.[]', '', ANY],
];
const PROCESSES: readonly Rule[] = [
  ['processes.[]', 'pid ppid', pid],
  ['processes.[]', 'cpu_percent', percentage],
  ['processes.[]', 'CreateTime', created],
  ['processes.[]', 'name exec cmdline', text],
  ['processes.[]', 'Memory.rss', unless('working_set', bytes)],
  ['processes.[]', 'Memory.working_set Memory.working_set_private Memory.private_bytes', unless('rss', bytes)],
];
const WINDOWS_DISK: readonly Rule[] = [
  ['', 'DiskReadsPerSec DiskWritesPerSec DiskReadBytesPerSec DiskWriteBytesPerSec', count],
  ['', 'ReadAvgWait WriteAvgWait', waits],
  ['', 'DiskReadBytesPerSec', inRequests('DiskReadsPerSec')],
  ['', 'DiskWriteBytesPerSec', inRequests('DiskWritesPerSec')],
];
const PACKAGES: readonly Rule[] = [
  ['', 'LastUpdate', seconds],
  ['', 'LinuxPackages LinuxUpdates WindowsApps', list],
  ['Stats', STATS, text],
  ['Stats', COUNTS, packages],
  ['LinuxPackages.[]', 'Name Version Description', text],
  ['LinuxUpdates.[]', 'Name CurrentVersion AvailableVersion', text],
  ['WindowsApps.[]', 'Name Version Publisher', text],
];
const version = limit(`an agent version from ${AGENT_VERSIONS[0]} to ${AGENT_VERSION}`, (value) =>
  (AGENT_VERSIONS as readonly unknown[]).includes(value),
);
const UNKNOWN = 'what this Muster does not know is replayed as recorded';
const AGENT: readonly (readonly [...Rule, follows: string])[] = [
  ['agent', 'agent_version', version, UNKNOWN],
  ['Stats', 'AgentVersion', version, UNKNOWN],
  ['agent', 'last_updated_timestamp', seconds, 'the time of the document is not known'],
  ['agent', 'system_uptime', figure('seconds', 0, 4e9), 'rates are those of the last interval'],
  ['agent', 'goos', system, 'its hosts are modeled like Linux'],
];

/** Members whose strings are no secrets. */
const SHOWN: ReadonlySet<string> = new Set(['agent_version', 'AgentVersion', 'goos']);

/** A check with more odd entries is replayed as a whole. */
const MAX_ODD_ENTRIES = 20;

/** Parts at a place: `steps` below a value. */
type Parts = { readonly at: DocumentPart; readonly steps: readonly string[]; readonly rules: readonly Rule[] };

function oddIn(value: unknown, { at, steps, rules }: Parts): readonly Odd[] {
  // Go writes an empty list or map, and the result of a check that found nothing, as null.
  if (value === undefined || (value === null && (at.length === 1 || steps.length > 0))) return [];
  const [step, ...below] = steps;
  const isList = step === '[]';
  if (isList ? !Array.isArray(value) : !isMembers(value))
    return [{ unit: at, place: at, expected: isList ? 'a list' : 'an object' }];
  const part = value as JsonMembers;
  if (step === undefined) return oddMembers(part, at, rules);
  const names = isList || step === '{}' ? Object.keys(part) : [step];
  return oddEntries(
    names.map((name) => oddIn(part[name], { at: [...at, isList ? Number(name) : name], steps: below, rules })),
    at,
  );
}

function oddEntries(entries: readonly (readonly Odd[])[], unit: DocumentPart): readonly Odd[] {
  const isTooMany = entries.filter(({ length }) => length > 0).length > MAX_ODD_ENTRIES;
  return isTooMany ? entries.flat().map((one) => ({ ...one, unit })) : entries.flat();
}

function oddMembers(part: JsonMembers, at: DocumentPart, rules: readonly Rule[]): readonly Odd[] {
  const odd: Odd[] = [];
  for (const [, members, { expected, holds }] of rules) {
    for (const path of pathsOf(members)) {
      if (!holds(valueIn(part, path), part)) odd.push({ unit: at, place: [...at, ...path], expected: expected(part) });
    }
  }
  return odd;
}

const pathsOf = memoized(200, (members) => members.split(' ').map((member) => member.split('.')));

function oddParts(document: JsonMembers, rules: readonly Rule[]): readonly Odd[] {
  const isWindows = isMembers(document.agent) && document.agent.goos === 'windows';
  return [...Map.groupBy(rules, ([part]) => part)].flatMap(([part, own]) => {
    const steps = part.split('.').filter((step) => step !== '');
    return oddIn(document, { at: [], steps, rules: isWindows && steps[0] === 'disk_io' ? WINDOWS_DISK : own });
  });
}

/** The list is replayed as a whole, because the PIDs of a host depend on each other. */
function oddProcesses({ processes }: JsonMembers): readonly Odd[] {
  const unit = ['processes'];
  const odd = oddParts({ processes }, PROCESSES);
  if (odd.length > 0) return odd.map((one) => ({ ...one, unit }));
  const pids = new Set<unknown>();
  for (const [index, { pid, ppid }] of ((processes ?? []) as readonly JsonMembers[]).entries()) {
    const place = (member: string) => ({ unit, place: [...unit, index, member] });
    if (pids.has(pid)) return [{ ...place('pid'), expected: 'a PID that no other process has' }];
    if (pid === ppid && pid !== 0) return [{ ...place('ppid'), expected: 'the PID of another process' }];
    pids.add(pid);
  }
  return [];
}

export function isPackages(document: JsonMembers): boolean {
  return !('agent' in document) && ('Stats' in document || 'LinuxPackages' in document);
}

/** The parts of a document that are replayed as recorded, in the order of the document; the whole document is an empty path. */
export function verbatimPartsIn(odd: readonly OddFigure[]): readonly DocumentPart[] {
  const units = odd.flatMap(({ unit }) => (unit === undefined ? [] : [[placeText(unit), unit] as const]));
  return [...new Map(units).values()];
}

export function oddFigures(exact: JsonMembers, at: string): readonly OddFigure[] {
  const document = withDoubles(exact) as JsonMembers;
  const oddFigure = (path: DocumentPart, expected: string, follows: string): OddFigure => {
    const value = valueIn(exact, path);
    const found = typeof value === 'string' && SHOWN.has(String(path.at(-1))) ? excerptOf(value) : foundText(value);
    return { place: `${at}${placeText(path)}`, expected, found, follows };
  };
  const replayedText = (unit: DocumentPart) => `${placeText(unit).slice(1) || 'the document'} is replayed as recorded`;
  const replayed = ({ place, expected, unit }: Odd) => ({ ...oddFigure(place, expected, replayedText(unit)), unit });
  const ran = Object.fromEntries(Object.entries(document).filter(([, check]) => !isFailure(check)));
  const odd = AGENT.flatMap(([part, member, limit, follows]) =>
    oddParts(ran, [[part, member, limit]]).map(({ place, expected }) => oddFigure(place, expected, follows)),
  );
  if (isPackages(document))
    return [...odd, ...oddParts(document, PACKAGES).map((one) => replayed({ ...one, unit: [] }))];
  for (const check of Object.keys(document)) {
    if (CHECK_NAMES.includes(check)) continue;
    odd.push(oddFigure([check], `one of the checks of agent ${AGENT_VERSION}`, replayedText([check])));
  }
  odd.push(...[...oddParts(ran, RULES), ...oddProcesses(ran)].map(replayed));
  const places = new Set(odd.map(({ place }) => place));
  return [...odd, ...wideIn(exact, at, []).filter(({ place }) => !places.has(place))];
}

/** Raw counters of Windows, which has them on every host. */
const WIDE = /^(Timestamp_Sys100NS|PercentDiskTime|PercentDiskTime_Base|Frequency_PerfTime)$/;
/** How programs write what is no number. */
const NO_NUMBER = /^[-+]?(?:nan|inf(?:inity)?)$/i;

/** Figures with which the model does not compute: beyond 2^53, and texts instead of numbers. */
function wideIn(exact: object, at: string, found: OddFigure[]): readonly OddFigure[] {
  for (const name in exact) {
    const value = (exact as JsonMembers)[name];
    const inner = isMembers(value) || Array.isArray(value) ? value : undefined;
    const odd = inner === undefined ? wideFigure(name, value) : undefined;
    if (inner === undefined && odd === undefined) continue;
    const place = `${at}${Array.isArray(exact) ? `[${name}]` : placeText([name])}`;
    if (inner !== undefined) wideIn(inner, place, found);
    else if (odd !== undefined) found.push({ place, ...odd });
  }
  return found;
}

function wideFigure(name: string, value: unknown): Omit<OddFigure, 'place'> | undefined {
  if (typeof value === 'string') {
    return NO_NUMBER.test(value) ? { expected: 'a number', found: excerptOf(value), follows: 'it is kept' } : undefined;
  }
  if (!(Math.abs(Number(digitsOf(value) ?? value)) > MOST) || WIDE.test(name)) return undefined;
  const follows = 'it is kept with all digits';
  return { expected: `a number up to ${MOST}`, found: foundText(value), follows };
}

export function placeText(path: DocumentPart): string {
  return path.map((key) => (typeof key === 'number' ? `[${key}]` : step(key))).join('');
}

function step(name: string): string {
  return /^[A-Za-z_][\w-]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

const MAX_SHOWN = 60;

export function excerptOf(text: string): string {
  return JSON.stringify(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
}

/** Describes a value; numbers as written. Strings are not shown, because they may be secrets. */
export function foundText(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? '[]' : 'an array';
  if (typeof value === 'object' && !JSON.isRawJSON(value)) return 'an object';
  return typeof value === 'string' ? 'a string' : JSON.stringify(value);
}
