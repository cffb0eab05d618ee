import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

/** If other processes use more than this, figures are worthless. */
const QUIET_CORES = 0.2;
const LOOK_MS = 1000;
/** The kernel reports hundredths of a second, whatever its own tick is. */
const TICKS_PER_SECOND = 100;

export type Load = {
  /** Of the last minute. */
  readonly loadAverage: number;
  /** Mean number of cores that other processes used. */
  readonly otherCores: number;
};

/** Measures the machine's load while the benchmark is idle. */
export async function loadBefore(): Promise<Load> {
  const meter = createLoadMeter();
  await pause(LOOK_MS);
  return meter();
}

/** Starts to measure the machine's load without this process and its children. Children are subtracted only once they have ended. */
export function createLoadMeter(): () => Load {
  const before = { ticks: busyTicks(), atMs: performance.now() };
  return () => {
    const seconds = (performance.now() - before.atMs) / 1000;
    const used = (busyTicks() - before.ticks) / TICKS_PER_SECOND / seconds;
    return { loadAverage: loadavg()[0] ?? Number.NaN, otherCores: Math.max(0, Math.round(used * 100) / 100) };
  };
}

export function loadWarning(when: string, { loadAverage, otherCores }: Load): string | undefined {
  if (otherCores <= QUIET_CORES) return undefined;
  return `BUSY MACHINE: ${when} other processes used ${otherCores.toFixed(2)} cores (load average ${loadAverage.toFixed(1)}); these figures say little.`;
}

/** Ticks of all cores, minus those of this process and its ended children. */
function busyTicks(): number {
  const machine = /^cpu +(.+)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1]?.split(' ').map(Number) ?? [];
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = machine;
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  const own = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
  return user + nice + system + irq + softirq - own;
}
