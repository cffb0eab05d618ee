import { HOUR_MS } from '../base/kernel/units.ts';
import { isMembers, type JsonMembers, membersIn } from '../base/protocol/exact-json.ts';
import type { Level, Levels } from '../hosts/recorded/recorded-hosts.ts';

/* How busy a recorded host is, and how much that varies: the levels that a host model follows. */

/** The load of an idle core says little, so the usual number of tasks is assumed. */
const USUAL_TASKS = 1.15;
const IDLE = 0.02;
const TASKS = { least: 0.3, most: 64 };
/** Spread of figures from a single document, relative to their mean. */
const UNKNOWN_SPREAD = 0.04;

/** The figures of one document, from which levels are computed. A figure is `undefined` if its check failed or did not run. */
type HostFigures = ReturnType<typeof recordedFigures>;

export function recordedFigures(document: JsonMembers, instantMs: number) {
  const figure = (check: string, member: string): number | undefined => {
    const found = (document[check] as JsonMembers | null | undefined)?.[member];
    return typeof found === 'number' && Number.isFinite(found) ? found : undefined;
  };
  const { cpu_percentage } = (document.cpu ?? {}) as { readonly cpu_percentage?: unknown };
  const cores: readonly unknown[] = Array.isArray(cpu_percentage) ? cpu_percentage : [];
  const ofCores = cores.filter((value) => typeof value === 'number');
  return {
    instantMs,
    goos: (document.agent as JsonMembers | null | undefined)?.goos,
    uptimeSeconds: figure('agent', 'system_uptime') ?? 0,
    cores: cores.length || undefined,
    load: figure('system_load', '1'),
    busy:
      share(figure('cpu', 'cpu_total_percentage'), 100) ??
      share(ofCores.length > 0 ? levelOf(ofCores).mean : undefined, 100),
    memory: share(figure('memory', 'used'), figure('memory', 'total')),
    free: share(
      Math.min(figure('memory', 'free') ?? 0, figure('memory', 'available') ?? 0),
      figure('memory', 'available'),
    ),
    inactive: share(figure('memory', 'inactive'), figure('memory', 'total')),
    swap: share(figure('swap', 'used'), figure('swap', 'total')),
    /** By mount point. */
    disks: diskShares(document),
    /** Bytes since boot. */
    diskBytes: sumAt(document.disk_io, DISK_BYTES),
    networkBytes: sumAt(document.net_io, NETWORK_BYTES),
    /** Requests and packets since boot, by check, device and member. */
    counters: new Map([...countersIn(document, 'disk_io', REQUESTS), ...countersIn(document, 'net_io', PACKETS)]),
  };
}

const DISK_BYTES = ['ReadBytes', 'WriteBytes', 'DiskReadBytesPerSec', 'DiskWriteBytesPerSec'];
const NETWORK_BYTES = ['bytes_sent', 'bytes_recv'];
const REQUESTS = ['ReadCount', 'WriteCount', 'DiskReadsPerSec', 'DiskWritesPerSec'];
const PACKETS = ['packets_sent', 'packets_recv'];

type Figure = 'cores' | 'load' | 'busy' | 'memory' | 'free' | 'inactive' | 'swap';

/** The levels of a host and their spread, from its check data in chronological order. */
export function levelsOf(figures: readonly HostFigures[]): Levels {
  const level = (figure: Figure) => levelOf(figures.flatMap((one) => one[figure] ?? []));
  const busy = level('busy');
  const { mean: load } = level('load');
  const cores = figures.find((one) => one.cores !== undefined)?.cores ?? 1;
  const isIdle = busy.mean < IDLE || figures.every((one) => one.load === undefined);
  const tasks = isIdle ? USUAL_TASKS : load / (cores * busy.mean);
  const mountpoints = new Set(figures.flatMap(({ disks }) => Object.keys(disks)));
  const disks = [...mountpoints].map((mountpoint): readonly [string, Level] => {
    const { mean, spread } = levelOf(figures.flatMap((one) => one.disks[mountpoint] ?? []));
    // The use of disks changes much more slowly than other figures.
    const isSingle = figures.filter((one) => mountpoint in one.disks).length === 1;
    return [mountpoint, { mean, spread: isSingle ? spread / 4 : spread }];
  });
  return {
    busy,
    memory: level('memory'),
    free: level('free'),
    inactive: level('inactive'),
    swap: level('swap'),
    tasksPerCore: Math.min(TASKS.most, Math.max(TASKS.least, tasks)),
    disks: Object.fromEntries(disks),
    rates: ratesOf(figures),
    week: weekOf(figures),
  };
}

const DAY_HOURS = 24;
const WEEK_HOURS = 7 * DAY_HOURS;
/** Hours from the start of Unix time to its first Monday. */
const MONDAY_HOUR = 4 * DAY_HOURS;

/** Activity in the hours of a week; `undefined` if some hour of the day was never recorded. */
function weekOf(figures: readonly HostFigures[]): Levels['week'] {
  const cpu = hourly(figures.map(({ instantMs, busy }) => ({ instantMs, value: busy })));
  if (cpu === undefined) return undefined;
  const rates = (read: Read) => hourly(risesOf(figures, read).filter(({ passedMs }) => passedMs <= 2 * HOUR_MS)) ?? cpu;
  return { cpu, disk: rates(({ diskBytes }) => diskBytes), network: rates(({ networkBytes }) => networkBytes) };
}

/** A counter that rests for less than this may still rise. */
const REST_MS = 600_000;

/** The mean rate of each counter between documents. */
function ratesOf(figures: readonly HostFigures[]): Levels['rates'] {
  const names = new Set(figures.flatMap(({ counters }) => [...counters.keys()]));
  const rates = [...names].flatMap((name) => {
    const rises = risesOf(figures, ({ counters }) => counters.get(name) ?? Number.NaN);
    const passedMs = rises.reduce((sum, one) => sum + one.passedMs, 0);
    const rate = rises.reduce((sum, one) => sum + one.value * one.passedMs, 0) / passedMs;
    return rate > 0 || passedMs >= REST_MS ? [[name, rate]] : [];
  });
  return Object.fromEntries(rates);
}

type Read = (one: HostFigures) => number;
type Sample = { readonly instantMs: number; readonly value: number | undefined };
type Rise = { readonly instantMs: number; readonly value: number; readonly passedMs: number };

/** Rates per second of a counter between each two consecutive documents of one boot, at the time halfway between them. */
function risesOf(figures: readonly HostFigures[], read: Read): readonly Rise[] {
  return figures.slice(1).flatMap((after, index) => {
    const before = figures[index] as HostFigures;
    const passedMs = after.instantMs - before.instantMs;
    const isOfOneBoot = after.uptimeSeconds >= before.uptimeSeconds && read(after) >= read(before);
    if (!isOfOneBoot || passedMs <= 0) return [];
    const value = (1000 * (read(after) - read(before))) / passedMs;
    return [{ instantMs: before.instantMs + passedMs / 2, value, passedMs }];
  });
}

/**
 * Mean of each hour of a week that starts on Monday, UTC. If some hours of the week were not recorded, all days have the mean of
 * their hour. `undefined` if some hour of the day was never recorded.
 */
function hourly(samples: readonly Sample[]): readonly number[] | undefined {
  const inWeek = meansBy(samples, (hour) => (hour - MONDAY_HOUR) % WEEK_HOURS);
  const inDay = meansBy(samples, (hour) => hour % DAY_HOURS);
  if (inDay.size < DAY_HOURS) return undefined;
  const isWeek = inWeek.size === WEEK_HOURS;
  return Array.from(
    { length: WEEK_HOURS },
    (_, hour) => (isWeek ? inWeek.get(hour) : inDay.get(hour % DAY_HOURS)) ?? 0,
  );
}

function meansBy(samples: readonly Sample[], hourIn: (hour: number) => number): ReadonlyMap<number, number> {
  const measured = samples.filter(({ value }) => value !== undefined);
  const groups = Map.groupBy(measured, ({ instantMs }) => hourIn(Math.floor(instantMs / HOUR_MS)));
  return new Map([...groups].map(([hour, some]) => [hour, levelOf(some.map(({ value = 0 }) => value)).mean]));
}

function levelOf(values: readonly number[]): Level {
  if (values.length === 0) return { mean: 0, spread: 0 };
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  if (values.length === 1) return { mean, spread: UNKNOWN_SPREAD * mean };
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, spread: Math.sqrt(squares / (values.length - 1)) };
}

type FileSystem = {
  readonly disk?: { readonly mountpoint?: unknown };
  readonly usage?: { readonly used?: number; readonly free?: number };
} | null;

function diskShares({ disks }: JsonMembers): Readonly<Record<string, number>> {
  const shares = (Array.isArray(disks) ? (disks as readonly FileSystem[]) : []).map((one) => {
    const { used, free = 0 } = one?.usage ?? {};
    return [String(one?.disk?.mountpoint), share(used, (used ?? 0) + free)] as const;
  });
  return Object.fromEntries(shares.flatMap(([mountpoint, used]) => (used === undefined ? [] : [[mountpoint, used]])));
}

/** The sum over all devices of a check. */
function sumAt(check: unknown, members: readonly string[]): number {
  const devices = Object.values(check ?? {}).filter(isMembers);
  const figures = devices.flatMap((device) => members.map((name) => Number(device[name] ?? 0)));
  return figures.reduce((sum, figure) => sum + (Number.isFinite(figure) ? figure : 0), 0);
}

function countersIn(document: JsonMembers, check: string, members: readonly string[]) {
  return Object.entries(document[check] ?? {}).flatMap(([device, figures]) =>
    members.map((name) => [`${check} ${device} ${name}`, Number(membersIn(figures)[name])] as const),
  );
}

/** Rounding may add a little. */
const MAX_SHARE = 1.005;

/** `undefined` if it is unknown or impossible. */
function share(part: number | undefined, whole: number | undefined): number | undefined {
  const shared = Number(part) / Number(whole);
  return shared >= 0 && shared <= MAX_SHARE ? Math.min(1, shared) : undefined;
}
