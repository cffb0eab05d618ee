import type { Level, Levels } from '../machine/recorded/recorded-hosts.ts';

/** Tasks of an idle core say little: there are as many as usual. */
const USUAL_TASKS = 1.15;
const IDLE = 0.02;
const TASKS = { least: 0.3, most: 64 };
/** Where there is one document only, figures vary by so much of their mean. */
const UNKNOWN_SPREAD = 0.04;

type Figures = { readonly [name: string]: unknown };

/** The levels of a host and how they vary, from its check data at different times. */
export function levelsOf(documents: readonly Figures[]): Levels {
  const values = (read: (document: Figures) => number | undefined) =>
    documents.map(read).filter((value) => value !== undefined);
  const level = (read: (document: Figures) => number | undefined) => levelOf(values(read));
  const busy = level((document) => share(at(document, 'cpu', 'cpu_total_percentage'), 100));
  const cores = values((document) => lengthAt(document, 'cpu', 'cpu_percentage'))[0] ?? 1;
  const loads = values((document) => at(document, 'system_load', '1'));
  const load = loads.length === 0 ? 0 : levelOf(loads).mean;
  const tasks = busy.mean < IDLE || loads.length === 0 ? USUAL_TASKS : load / (cores * busy.mean);
  return {
    busy,
    tasksPerCore: Math.min(TASKS.most, Math.max(TASKS.least, tasks)),
    memory: level((document) => share(at(document, 'memory', 'used'), at(document, 'memory', 'total'))),
    free: level((document) => share(at(document, 'memory', 'free'), at(document, 'memory', 'available'))),
    inactive: level((document) => share(at(document, 'memory', 'inactive'), at(document, 'memory', 'total'))),
    swap: level((document) => share(at(document, 'swap', 'used'), at(document, 'swap', 'total'))),
    disks: diskLevels(documents),
  };
}

function levelOf(values: readonly number[]): Level {
  if (values.length === 0) return { mean: 0, spread: 0 };
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  if (values.length === 1) return { mean, spread: UNKNOWN_SPREAD * mean };
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, spread: Math.sqrt(squares / (values.length - 1)) };
}

function diskLevels(documents: readonly Figures[]): Levels['disks'] {
  const shares = new Map<string, number[]>();
  for (const { disks } of documents) {
    for (const { disk, usage } of Array.isArray(disks) ? (disks as FileSystem[]) : []) {
      const room = usage.used + usage.free;
      if (room === 0) continue;
      shares.set(disk.mountpoint, [...(shares.get(disk.mountpoint) ?? []), usage.used / room]);
    }
  }
  return Object.fromEntries([...shares].map(([mountpoint, values]) => [mountpoint, diskLevel(values)]));
}

/** Files come and go much more slowly than anything else. */
function diskLevel(values: readonly number[]): Level {
  const { mean, spread } = levelOf(values);
  return { mean, spread: values.length === 1 ? spread / 4 : spread };
}

type FileSystem = {
  readonly disk: { readonly mountpoint: string };
  readonly usage: { readonly used: number; readonly free: number };
};

/** The figure of a check; undefined where that failed or was not run. */
function at(document: Figures, check: string, member: string): number | undefined {
  const found = (document[check] as Figures | undefined)?.[member];
  return typeof found === 'number' ? found : undefined;
}

function lengthAt(document: Figures, check: string, member: string): number | undefined {
  const found = (document[check] as Figures | undefined)?.[member];
  return Array.isArray(found) && found.length > 0 ? found.length : undefined;
}

function share(part: number | undefined, whole: number | undefined): number | undefined {
  return part === undefined || whole === undefined || whole === 0 ? undefined : part / whole;
}
