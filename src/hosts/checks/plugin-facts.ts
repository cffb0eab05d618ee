import { memoized, once } from '../../base/kernel/memoize.ts';
import { DAY_SECONDS, GIB, HOUR_SECONDS, MIB } from '../../base/kernel/units.ts';
import type { CheckResults, PackageDocument } from '../../base/protocol/shapes.ts';
import type { CellValues, Node } from '../document/nodes.ts';
import { plain, presentIn } from '../document/plain.ts';
import { secondsSinceEpoch } from '../host/calendar.ts';
import type { HostState } from '../host/host-state.ts';
import { keyOf, streamLabel, unit } from '../host/noise.ts';
import { offsetAt } from '../host/site.ts';
import { ntpOffsetOf } from './ntp.ts';

/* What plugins find on a host. They repeat what its other checks say. */

/** The checks of a host, filled for the time at which a plugin runs. A check that is disabled or failed has no values. */
export type Observation = {
  readonly host: HostState;
  readonly check: <Name extends keyof CheckResults>(name: Name) => Partial<CheckResults[Name]>;
  readonly entries: (check: string) => readonly Node[];
  readonly text: (node: Node | undefined) => unknown;
  /** The first file system: `/`, or the first drive. */
  readonly disk: () => Usage;
};

type Usage = { readonly total: number; readonly used: number; readonly free: number; readonly percent: number };

/** Reads each check once, when the first plugin needs it. */
export function observationOf(checks: ObservedChecks, frame: CellValues, host: HostState): Observation {
  const check = memoized(Number.POSITIVE_INFINITY, (name) => plain(checks[name] ?? {}, frame) ?? {});
  const entries = (name: string) => {
    const node = checks[name];
    return Array.isArray(node) ? presentIn(node, frame) : [];
  };
  const disk = once(() => {
    const [first = {}] = entries('disks');
    return (plain(first, frame) as { readonly usage?: Usage }).usage ?? { total: 0, used: 0, free: 0, percent: 0 };
  });
  return { host, check: check as Observation['check'], entries, text: (node = null) => plain(node, frame), disk };
}

export type ObservedChecks = Readonly<Record<string, Node | undefined>>;

/** The first thresholds of a plugin. */
type Thresholds = { readonly warning: number; readonly critical: number };

type Fact = (host: Observation, thresholds: Thresholds) => number;

const sizeBytes = ({ disk }: Observation) => disk().used + disk().free;
const swapTotal = ({ check }: Observation) => check('swap').total ?? 0;
const swapUsed = ({ check }: Observation) => check('swap').used ?? 0;
const swapFree = (host: Observation) => swapTotal(host) - swapUsed(host);
const memoryTotal = ({ check }: Observation) => check('memory').total ?? 0;
const memoryUsed = ({ check }: Observation) => check('memory').used ?? 0;
const packageStats = ({ check }: Observation) => (check('packagemanager') as Partial<PackageDocument>).Stats;

function isZombie(process: Node): boolean {
  const { status } = process as { readonly [key: string]: Node };
  return Array.isArray(status) && status[0] === 'Zombie';
}

/** Starts automatically, and stops when it has nothing to do. */
const SELF_STOPPING = 'sppsvc';

/** Services that start automatically and were stopped. */
function stoppedServices({ entries, text }: Observation): number {
  return entries('windows_services').filter((node) => {
    const { StartType, Status, Name } = node as { readonly [key: string]: Node };
    const isMeantToRun = StartType === 'Auto' && Status !== 'Stopped' && Name !== SELF_STOPPING;
    return isMeantToRun && text(Status) === 'Stopped';
  }).length;
}

const BACKUP = streamLabel('customchecks.backup');
/** Backups are made every night between one and four o'clock. This share of them fails. Chosen. */
const BACKUP_FROM_HOUR = 1;
const BACKUP_HOURS = 3;
const BACKUP_FAILS = 0.01;

function backupAge({ host }: Observation): number {
  const key = keyOf(host.hostKey, BACKUP);
  const now = secondsSinceEpoch(host.checkMs);
  const madeAt = Math.floor(HOUR_SECONDS * (BACKUP_FROM_HOUR + BACKUP_HOURS * unit(key, -1)));
  const local = now + offsetAt(host.site, now) - madeAt;
  let day = Math.floor(local / DAY_SECONDS);
  while (unit(key, day) < BACKUP_FAILS) day--;
  return local - day * DAY_SECONDS;
}

export const PLUGIN_FACTS: Readonly<Record<string, Fact>> = {
  always: () => 0,
  load1: ({ check }) => check('system_load')[0] ?? 0,
  load5: ({ check }) => check('system_load')[1] ?? 0,
  load15: ({ check }) => check('system_load')[2] ?? 0,
  processes: ({ entries }) => entries('processes').length,
  zombies: ({ entries }) => entries('processes').filter(isZombie).length,
  users: ({ entries }) => entries('users').length,
  free_mib: ({ disk }) => Math.floor(disk().free / MIB),
  free_percent: ({ disk }) => 100 - disk().percent,
  // Documents do not have inodes: a fuller disk has fewer of them free.
  inode_percent: ({ disk }) => Math.round(98 - 0.3 * disk().percent),
  used_mib: ({ disk }) => Math.floor(disk().used / MIB),
  used_gb: ({ disk }) => disk().used / GIB,
  used_percent: ({ disk }) => disk().percent,
  size_mib: (host) => Math.floor(sizeBytes(host) / MIB),
  size_gb: (host) => sizeBytes(host) / GIB,
  warning_mib: (host, { warning }) => Math.floor((sizeBytes(host) / MIB) * (1 - warning / 100)),
  critical_mib: (host, { critical }) => Math.floor((sizeBytes(host) / MIB) * (1 - critical / 100)),
  swap_mb: (host) => Math.floor(swapTotal(host) / MIB),
  swap_used_mb: (host) => Math.floor((swapTotal(host) - swapFree(host)) / MIB),
  swap_free_mb: (host) => Math.floor(swapFree(host) / MIB),
  swap_percent: ({ check }) => check('swap').percent ?? 0,
  swap_free_percent: (host) => Math.floor((swapFree(host) / swapTotal(host)) * 100 || 0),
  // With `-n ok`, a host without swap is well.
  swap_margin: (host) => (swapTotal(host) === 0 ? 100 : Math.floor((swapFree(host) / swapTotal(host)) * 100)),
  without_swap: (host) => (swapTotal(host) === 0 ? 1 : 0),
  swap_warning_mb: (host, { warning }) => Math.floor((swapTotal(host) / MIB) * (warning / 100)),
  swap_critical_mb: (host, { critical }) => Math.floor((swapTotal(host) / MIB) * (critical / 100)),
  memory_percent: ({ check }) => check('memory').percent ?? 0,
  memory_kb: (host) => Math.floor(memoryTotal(host) / 1024),
  memory_used_kb: (host) => Math.floor(memoryUsed(host) / 1024),
  memory_free_kb: (host) => Math.floor((memoryTotal(host) - memoryUsed(host)) / 1024),
  memory_gb: (host) => memoryTotal(host) / GIB,
  memory_used_gb: (host) => memoryUsed(host) / GIB,
  upgradable: (host) => packageStats(host)?.UpgradablePackages ?? 0,
  security: (host) => packageStats(host)?.SecurityUpdates ?? 0,
  uptime: ({ host }) => host.uptimeSeconds,
  days: ({ host }) => Math.floor(host.uptimeSeconds / DAY_SECONDS),
  hours: ({ host }) => Math.floor(host.uptimeSeconds / HOUR_SECONDS) % 24,
  minutes: ({ host }) => Math.floor(host.uptimeSeconds / 60) % 60,
  offset: ({ host }) => ntpOffsetOf(host),
  offset_size: ({ host }) => Math.abs(ntpOffsetOf(host)),
  backup_age: backupAge,
  backup_bytes: ({ host }) => 4_000_000 + Math.floor(9e9 * unit(keyOf(host.hostKey, BACKUP), -2) ** 3),
  cpu: ({ check }) => Math.round(check('cpu').cpu_total_percentage ?? 0),
  cpu_1m: ({ host }) => Math.round(100 * Math.min(1, host.load1 + (1 - host.load1) * host.saturation.minute)),
  cpu_5m: ({ host }) => Math.round(100 * Math.min(1, host.load5 + (1 - host.load5) * host.saturation.fiveMinutes)),
  stopped_services: stoppedServices,
};
