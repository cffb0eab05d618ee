import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pinned } from './pinning.ts';

/** Resources used since the start of a process. */
export type Used = { readonly ageMs: number; readonly cpuMicros: number; readonly rssBytes: number };

/** A started fleet in its own process. */
export type FleetProcess = {
  /** Resources of the whole process when all agents were ready. */
  readonly atStart: Used;
  readonly used: () => Promise<Used>;
  readonly stop: () => Promise<void>;
};

export async function startFleet(scenario: object): Promise<FleetProcess> {
  const entry = resolve(import.meta.dirname, 'listening-fleet.ts');
  const [program, ...args] = pinned('sink', [process.execPath, entry, JSON.stringify(scenario)]);
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async (): Promise<Used> => {
    const { value, done } = await lines.next();
    if (done) throw new Error('the fleet ended before it was told to');
    return JSON.parse(value);
  };
  return {
    atStart: await next(),
    used: () => {
      child.stdin.write('\n');
      return next();
    },
    stop: async () => {
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
    },
  };
}

/** In a large fleet some host is always rebooting, and refuses connections. */
export function unlessDown(error: NodeJS.ErrnoException): false {
  if (error.code === 'ECONNREFUSED') return false;
  throw error;
}

/** Cost of the fleet's answers to `ask`, which resolves to their number. */
export async function costOf(fleet: FleetProcess, ask: () => Promise<number>) {
  const before = await fleet.used();
  const answers = await ask();
  const after = await fleet.used();
  return {
    cpuUs: (after.cpuMicros - before.cpuMicros) / answers,
    perSecond: (answers * 1000) / (after.ageMs - before.ageMs),
    bytes: (after.rssBytes - before.rssBytes) / answers,
  };
}
