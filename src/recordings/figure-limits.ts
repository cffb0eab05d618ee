import { AGENT_VERSIONS } from '../base/protocol/agent-versions.ts';
import { type JsonMembers, valueIn } from '../base/protocol/exact-json.ts';
import { AGENT_VERSION } from '../base/protocol/push.ts';

/* What the host model can compute with, by the check and the members of a document. */

/** What the host model expects of a member. Limits may depend on other members of its part. */
type Limit = {
  readonly expected: (part: JsonMembers) => string;
  readonly holds: (value: unknown, part: JsonMembers) => boolean;
};

export const MAX_EXACT = 2 ** 53;

const limit = (expected: string, holds: Limit['holds']): Limit => ({ expected: () => expected, holds });
const figure = (what: string, least = 0, most = MAX_EXACT) =>
  limit(`${what} from ${least} to ${most}`, (value) => typeof value === 'number' && value >= least && value <= most);
const whole = (what: string, least = 0, most = MAX_EXACT) =>
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

export type LimitRule = readonly [part: string, members: string, limit: Limit];

const STATS = 'PackageManager OsName OsVersion OsFamily';
const COUNTS = 'InstalledPackages UpgradablePackages SecurityUpdates';

/** What the model computes with. `[]` and `{}` stand for each entry of a list and of a map. */
export const CHECK_LIMITS: readonly LimitRule[] = [
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
  ['users.[]', 'started', figure('a time', -MAX_EXACT)],
  ['windows_eventlog.{}.[]', 'TimeGenerated', figure('seconds since 1970', 0, 4e9)],
  ['windows_services.[]', '', ANY],
];
export const PROCESS_LIMITS: readonly LimitRule[] = [
  ['processes.[]', 'pid ppid', pid],
  ['processes.[]', 'cpu_percent', percentage],
  ['processes.[]', 'CreateTime', created],
  ['processes.[]', 'name exec cmdline', text],
  ['processes.[]', 'Memory.rss', unless('working_set', bytes)],
  ['processes.[]', 'Memory.working_set Memory.working_set_private Memory.private_bytes', unless('rss', bytes)],
];
export const WINDOWS_DISK_LIMITS: readonly LimitRule[] = [
  ['', 'DiskReadsPerSec DiskWritesPerSec DiskReadBytesPerSec DiskWriteBytesPerSec', count],
  ['', 'ReadAvgWait WriteAvgWait', waits],
  ['', 'DiskReadBytesPerSec', inRequests('DiskReadsPerSec')],
  ['', 'DiskWriteBytesPerSec', inRequests('DiskWritesPerSec')],
];
export const PACKAGE_LIMITS: readonly LimitRule[] = [
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
export const AGENT_LIMITS: readonly (readonly [...LimitRule, follows: string])[] = [
  ['agent', 'agent_version', version, UNKNOWN],
  ['Stats', 'AgentVersion', version, UNKNOWN],
  ['agent', 'last_updated_timestamp', seconds, 'the time of the document is not known'],
  ['agent', 'system_uptime', figure('seconds', 0, 4e9), 'rates are those of the last interval'],
  ['agent', 'goos', system, 'its hosts are modeled like Linux'],
];
