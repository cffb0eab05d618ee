import type { Level, Levels } from '../hosts/recorded/recorded-hosts.ts';

/** The load of an idle core says little, so the usual number of tasks is assumed. */
const USUAL_TASKS = 1.15;
const IDLE = 0.02;
const TASKS = { least: 0.3, most: 64 };
/** Spread of figures from a single document, relative to their mean. */
const UNKNOWN_SPREAD = 0.04;

type Document = { readonly [name: string]: unknown };

/** The figures of one document, from which levels are computed. */
export type HostFigures = {
  readonly instantMs: number;
  readonly uptimeSeconds: number;
  readonly cores: number | undefined;
  readonly busy: number | undefined;
  readonly load: number | undefined;
  readonly memory: number | undefined;
  readonly free: number | undefined;
  readonly inactive: number | undefined;
  readonly swap: number | undefined;
  /** By mount point. */
  readonly disks: ReadonlyMap<string, number>;
  /** Bytes since boot. */
  readonly diskBytes: number;
  readonly networkBytes: number;
};

export function recordedFigures(document: Document, instantMs: number): HostFigures {
  return {
    instantMs,
    uptimeSeconds: at(document, 'agent', 'system_uptime') ?? 0,
    cores: lengthAt(document, 'cpu', 'cpu_percentage'),
    busy: share(at(document, 'cpu', 'cpu_total_percentage'), 100),
    load: at(document, 'system_load', '1'),
    memory: share(at(document, 'memory', 'used'), at(document, 'memory', 'total')),
    free: share(at(document, 'memory', 'free'), at(document, 'memory', 'available')),
    inactive: share(at(document, 'memory', 'inactive'), at(document, 'memory', 'total')),
    swap: share(at(document, 'swap', 'used'), at(document, 'swap', 'total')),
    disks: diskShares(document),
    diskBytes: sumAt(document, 'disk_io', DISK_BYTES),
    networkBytes: sumAt(document, 'net_io', NETWORK_BYTES),
  };
}

const DISK_BYTES = ['ReadBytes', 'WriteBytes', 'DiskReadBytesPerSec', 'DiskWriteBytesPerSec'];
const NETWORK_BYTES = ['bytes_sent', 'bytes_recv'];

/** The levels of a host and their spread, from its check data in chronological order. */
export function levelsOf(figures: readonly HostFigures[]): Levels {
  const values = (read: (one: HostFigures) => number | undefined) =>
    figures.map(read).filter((value) => value !== undefined);
  const level = (read: (one: HostFigures) => number | undefined) => levelOf(values(read));
  const busy = level((one) => one.busy);
  const cores = values((one) => one.cores)[0] ?? 1;
  const loads = values(({ load }) => load);
  const load = loads.length === 0 ? 0 : levelOf(loads).mean;
  const tasks = busy.mean < IDLE || loads.length === 0 ? USUAL_TASKS : load / (cores * busy.mean);
  return {
    busy,
    tasksPerCore: Math.min(TASKS.most, Math.max(TASKS.least, tasks)),
    memory: level(({ memory }) => memory),
    free: level(({ free }) => free),
    inactive: level(({ inactive }) => inactive),
    swap: level(({ swap }) => swap),
    disks: diskLevels(figures),
    week: weekOf(figures),
  };
}

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;
const WEEK_HOURS = 7 * DAY_HOURS;
/** Hours from the start of Unix time to its first Monday. */
const MONDAY_HOUR = 4 * DAY_HOURS;

/** Activity in the hours of a week; `undefined` if some hour of the day was never recorded. */
function weekOf(figures: readonly HostFigures[]): Levels['week'] {
  const cpu = hourly(figures.map(({ instantMs, busy }) => ({ instantMs, value: busy })));
  if (cpu === undefined) return undefined;
  const rates = (read: (one: HostFigures) => number) => hourly(ratesOf(figures, read)) ?? cpu;
  return { cpu, disk: rates(({ diskBytes }) => diskBytes), network: rates(({ networkBytes }) => networkBytes) };
}

type Sample = { readonly instantMs: number; readonly value: number | undefined };

/** Rates per second of counters that start at boot: one for each two consecutive documents, at the time halfway between them. */
function ratesOf(figures: readonly HostFigures[], read: (one: HostFigures) => number): readonly Sample[] {
  return figures.slice(1).flatMap((after, place) => {
    const before = figures[place] as HostFigures;
    const passedMs = after.instantMs - before.instantMs;
    const isOfOneBoot = after.uptimeSeconds > before.uptimeSeconds && read(after) >= read(before);
    if (!isOfOneBoot || passedMs <= 0 || passedMs > 2 * HOUR_MS) return [];
    const value = (1000 * (read(after) - read(before))) / passedMs;
    return [{ instantMs: before.instantMs + passedMs / 2, value }];
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

function meansBy(samples: readonly Sample[], place: (hour: number) => number): ReadonlyMap<number, number> {
  const told = samples.filter(({ value }) => value !== undefined);
  const groups = Map.groupBy(told, ({ instantMs }) => place(Math.floor(instantMs / HOUR_MS)));
  return new Map([...groups].map(([hour, some]) => [hour, levelOf(some.map(({ value = 0 }) => value)).mean]));
}

function levelOf(values: readonly number[]): Level {
  if (values.length === 0) return { mean: 0, spread: 0 };
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  if (values.length === 1) return { mean, spread: UNKNOWN_SPREAD * mean };
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, spread: Math.sqrt(squares / (values.length - 1)) };
}

function diskShares({ disks }: Document): ReadonlyMap<string, number> {
  const shares = new Map<string, number>();
  for (const { disk, usage } of Array.isArray(disks) ? (disks as FileSystem[]) : []) {
    const room = usage.used + usage.free;
    if (room > 0) shares.set(disk.mountpoint, usage.used / room);
  }
  return shares;
}

function diskLevels(figures: readonly HostFigures[]): Levels['disks'] {
  const mountpoints = new Set(figures.flatMap(({ disks }) => [...disks.keys()]));
  const shares = (mountpoint: string) => figures.flatMap(({ disks }) => disks.get(mountpoint) ?? []);
  return Object.fromEntries([...mountpoints].map((mountpoint) => [mountpoint, diskLevel(shares(mountpoint))]));
}

/** The use of disks changes much more slowly than other figures. */
function diskLevel(values: readonly number[]): Level {
  const { mean, spread } = levelOf(values);
  return { mean, spread: values.length === 1 ? spread / 4 : spread };
}

type FileSystem = {
  readonly disk: { readonly mountpoint: string };
  readonly usage: { readonly used: number; readonly free: number };
};

/** A figure of a check; `undefined` if the check failed or did not run. */
function at(document: Document, check: string, member: string): number | undefined {
  const found = (document[check] as Document | undefined)?.[member];
  return typeof found === 'number' ? found : undefined;
}

function lengthAt(document: Document, check: string, member: string): number | undefined {
  const found = (document[check] as Document | undefined)?.[member];
  return Array.isArray(found) && found.length > 0 ? found.length : undefined;
}

/** The sum over all devices of a check. */
function sumAt(document: Document, check: string, members: readonly string[]): number {
  const devices = Object.values((document[check] as Document | undefined) ?? {});
  return devices.reduce<number>((sum, device) => {
    const own = typeof device === 'object' && device !== null ? (device as Document) : {};
    return sum + members.reduce((all, member) => all + Number(own[member] ?? 0), 0);
  }, 0);
}

function share(part: number | undefined, whole: number | undefined): number | undefined {
  return part === undefined || whole === undefined || whole === 0 ? undefined : part / whole;
}
