import { DAY_SECONDS, GIB, HOUR_SECONDS, MIB } from '../../ground/kernel/units.ts';
import type { CellValues, Node } from '../document/nodes.ts';
import { plain, presentIn } from '../document/plain.ts';
import { secondsSinceEpoch } from '../host/calendar.ts';
import type { HostState } from '../host/host-state.ts';
import { keyOf, streamLabel, unit } from '../host/noise.ts';
import { offsetAt } from '../host/site.ts';

/** What a plugin finds on a host whose checks have been filled for the time at which it runs. */
export type Observed = {
  readonly checks: Readonly<Record<string, Node | undefined>>;
  readonly frame: CellValues;
  readonly host: HostState;
  /** First thresholds of the plugin. */
  readonly warning: number;
  readonly critical: number;
  /** What was read for this time. */
  readonly seen: Map<string, unknown>;
};

type Fact = (found: Observed) => number;

const BACKUP = streamLabel('customchecks.backup');

function once<Value>({ seen }: Observed, name: string, make: () => Value): Value {
  if (!seen.has(name)) seen.set(name, make());
  return seen.get(name) as Value;
}

/** Reads a check as the agent reports it. A check that is disabled or failed has no values. */
function read<Value>(found: Observed, check: string): Partial<Value> {
  return once(found, check, () => (plain(found.checks[check] ?? {}, found.frame) ?? {}) as Partial<Value>);
}

type Usage = { readonly total: number; readonly used: number; readonly free: number; readonly percent: number };

function listed({ checks, frame }: Observed, check: string): readonly Node[] {
  const node = checks[check];
  return Array.isArray(node) ? presentIn(node, frame) : [];
}

/** The first file system: `/`, or the first drive. */
function disk(found: Observed): Usage {
  return once(found, 'first disk', () => {
    const [first] = listed(found, 'disks');
    const entry = first === undefined ? {} : (plain(first, found.frame) as { readonly usage?: Usage });
    return entry.usage ?? { total: 0, used: 0, free: 0, percent: 0 };
  });
}

const size = (found: Observed) => disk(found).used + disk(found).free;
const swap = (found: Observed) => read<Usage>(found, 'swap');
const swapTotal = (found: Observed) => swap(found).total ?? 0;
const swapFree = (found: Observed) => swapTotal(found) - (swap(found).used ?? 0);
const memory = (found: Observed) => read<Usage>(found, 'memory');
const load = (minutes: '0' | '1' | '2') => (found: Observed) =>
  read<Record<typeof minutes, number>>(found, 'system_load')[minutes] ?? 0;

type Packages = { readonly Stats: { readonly UpgradablePackages: number; readonly SecurityUpdates: number } };

const updates = (found: Observed) => read<Packages>(found, 'packagemanager').Stats;
const offset = (found: Observed) => read<{ readonly Offset: number }>(found, 'ntp').Offset ?? 0;

/** Starts automatically, and stops when it has nothing to do. */
const SELF_STOPPING = 'sppsvc';

/** Services that start automatically and were stopped. */
function stoppedServices(found: Observed): number {
  return listed(found, 'windows_services').filter((node) => {
    const { StartType, Status, Name } = node as { readonly [key: string]: Node };
    return (
      StartType === 'Auto' &&
      Status !== 'Stopped' &&
      Name !== SELF_STOPPING &&
      plain(Status ?? null, found.frame) === 'Stopped'
    );
  }).length;
}

/** Backups are made every night at an hour of the host's own. One occasionally fails. */
function backupAge({ host }: Observed): number {
  const key = keyOf(host.hostKey, BACKUP);
  const now = secondsSinceEpoch(host.checkMs);
  const local = now + offsetAt(host.site, now) - Math.floor(HOUR_SECONDS * (1 + 3 * unit(key, -1)));
  let day = Math.floor(local / DAY_SECONDS);
  while (unit(key, day) < 0.01) day--;
  return local - day * DAY_SECONDS;
}

/** Facts by name, as in the outputs of plugins. */
export const PLUGIN_FACTS: Readonly<Record<string, Fact>> = {
  always: () => 0,
  load1: load('0'),
  load5: load('1'),
  load15: load('2'),
  processes: (found) => listed(found, 'processes').length,
  zombies: () => 0,
  users: (found) => listed(found, 'users').length,
  free_mib: (found) => Math.floor(disk(found).free / MIB),
  free_percent: (found) => 100 - disk(found).percent,
  inode_percent: (found) => Math.round(98 - 0.3 * disk(found).percent),
  used_mib: (found) => Math.floor(disk(found).used / MIB),
  used_gb: (found) => disk(found).used / GIB,
  used_percent: (found) => disk(found).percent,
  size_mib: (found) => Math.floor(size(found) / MIB),
  size_gb: (found) => size(found) / GIB,
  warning_mib: (found) => Math.floor((size(found) / MIB) * (1 - found.warning / 100)),
  critical_mib: (found) => Math.floor((size(found) / MIB) * (1 - found.critical / 100)),
  swap_mb: (found) => Math.floor(swapTotal(found) / MIB),
  swap_used_mb: (found) => Math.floor((swapTotal(found) - swapFree(found)) / MIB),
  swap_free_mb: (found) => Math.floor(swapFree(found) / MIB),
  swap_percent: (found) => swap(found).percent ?? 0,
  swap_free_percent: (found) => (swapTotal(found) === 0 ? 100 : Math.floor((swapFree(found) / swapTotal(found)) * 100)),
  swap_warning_mb: (found) => Math.floor((swapTotal(found) / MIB) * (found.warning / 100)),
  swap_critical_mb: (found) => Math.floor((swapTotal(found) / MIB) * (found.critical / 100)),
  memory_percent: (found) => memory(found).percent ?? 0,
  memory_kb: (found) => Math.floor((memory(found).total ?? 0) / 1024),
  memory_used_kb: (found) => Math.floor((memory(found).used ?? 0) / 1024),
  memory_free_kb: (found) => Math.floor(((memory(found).total ?? 0) - (memory(found).used ?? 0)) / 1024),
  memory_gb: (found) => (memory(found).total ?? 0) / GIB,
  memory_used_gb: (found) => (memory(found).used ?? 0) / GIB,
  upgradable: (found) => updates(found)?.UpgradablePackages ?? 0,
  security: (found) => updates(found)?.SecurityUpdates ?? 0,
  uptime: ({ host }) => host.uptimeSeconds,
  days: ({ host }) => Math.floor(host.uptimeSeconds / DAY_SECONDS),
  hours: ({ host }) => Math.floor(host.uptimeSeconds / HOUR_SECONDS) % 24,
  minutes: ({ host }) => Math.floor(host.uptimeSeconds / 60) % 60,
  offset,
  offset_size: (found) => Math.abs(offset(found)),
  backup_age: backupAge,
  backup_bytes: ({ host }) => 4_000_000 + Math.floor(9e9 * unit(keyOf(host.hostKey, BACKUP), -2) ** 3),
  cpu: (found) => Math.round(read<{ readonly cpu_total_percentage: number }>(found, 'cpu').cpu_total_percentage ?? 0),
  cpu_1m: ({ host }) => Math.round(100 * Math.min(1, host.load1 + (1 - host.load1) * host.saturation.minute)),
  cpu_5m: ({ host }) => Math.round(100 * Math.min(1, host.load5 + (1 - host.load5) * host.saturation.fiveMinutes)),
  stopped_services: stoppedServices,
};
