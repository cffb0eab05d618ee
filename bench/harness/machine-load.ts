import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

/** More than this used by others, and figures are worth nothing. */
const QUIET_CORES = 0.2;
const LOOK_MS = 1000;
/** The kernel counts in hundredths of a second, whatever its own tick is. */
const TICKS_PER_SECOND = 100;

export type Load = {
  /** Of the last minute. */
  readonly loadAverage: number;
  /** What processes other than the benchmark's used on average. */
  readonly otherCores: number;
};

/** A look at the machine while the benchmark does nothing. */
export async function loadBefore(): Promise<Load> {
  const meter = createLoadMeter();
  await pause(LOOK_MS);
  return meter();
}

/** How busy the machine is from now on without this process and its children; those count once they have ended. */
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

/** Of all cores, less what this process and its ended children took. */
function busyTicks(): number {
  const machine = /^cpu +(.+)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1]?.split(' ').map(Number) ?? [];
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = machine;
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  const own = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
  return user + nice + system + irq + softirq - own;
}
