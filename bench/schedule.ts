import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { muster, pushesOf } from './clients/muster.ts';
import { observe, type Window } from './clients/observe.ts';
import { onePush, type Size } from './clients/one-push.ts';
import type { Benchmark, Context, Figures } from './harness/benchmark.ts';
import { evennessOf } from './harness/evenness.ts';
import { PINNING, pinned } from './processes/pinning.ts';

/** Enough agents that one is rarely still busy when its next push is due, as with intervals of half a minute. */
const AGENTS = 1000;
/** Shares of the capacity. */
const LOADS: Readonly<Record<Size, readonly number[]>> = { lean: [0.7], typical: [0.3, 0.5, 0.7], full: [0.7] };

/**
 * Each sample first measures the capacity, with as many pushes in flight as there are agents, and then uses a share of it as a
 * rate. Then a control with the same rate and CPU time, which only waits in between, shows how punctual a process on this machine
 * can be.
 */
export const schedule: Benchmark = {
  name: 'schedule',
  question: 'How punctual are pushes at a share of what the generator can do?',
  needs: ['nginx'],
  minutes: { quick: 1, full: 17 },
  figures: {
    capacityPerSecond: 'capacity/s',
    askedPerSecond: 'asked/s',
    perSecond: 'arrived/s',
    busyCores: 'cores busy',
    lagP99Ms: 'lag p99 ms',
    controlP99Ms: 'control p99 ms',
    delayP99Ms: 'delay p99 ms',
    behindP99Ms: 'behind even p99 ms',
    dispersion: 'variance/mean',
  },
  async *cases({ quick, note }) {
    note(PINNING);
    const window = quick ? { warmUpSeconds: 1, seconds: 1 } : { warmUpSeconds: 8, seconds: 6 };
    for (const payload of quick ? (['typical'] as const) : (['lean', 'typical', 'full'] as const)) {
      yield {
        name: `${payload}, ${onePush(payload).sizeText}, ${AGENTS} connections`,
        variants: LOADS[payload].map((load) => ({
          name: `at ${load * 100} %`,
          sample: () => sampleSchedule({ payload, load }, window, note),
        })),
      };
    }
  },
};

type Asked = { readonly payload: Size; readonly load: number };

async function sampleSchedule({ payload, load }: Asked, window: Window, note: Context['note']): Promise<Figures> {
  const closed = await observe(muster({ agents: AGENTS, payload, checkdata: { concurrency: AGENTS } }), window);
  const capacityPerSecond = closed.requests / closed.seconds;
  const askedPerSecond = Math.round(capacityPerSecond * load);
  const client = muster({ agents: AGENTS, payload, checkdata: { rate: `${askedPerSecond}/s` } });
  const open = await observe(client, window, 'logged');
  const busyMs = (open.cpuSeconds * 1000) / open.requests;
  const { lag, delay } = pushesOf(open.stdout, note).latencyMs;
  return {
    capacityPerSecond,
    askedPerSecond,
    perSecond: open.requests / open.seconds,
    busyCores: open.cpuSeconds / open.seconds,
    lagP99Ms: lag?.p99 ?? Number.NaN,
    controlP99Ms: await controlP99Ms([askedPerSecond, busyMs, window.seconds]),
    delayP99Ms: delay?.p99 ?? Number.NaN,
    ...evennessOf(open.arrivalsMs, askedPerSecond),
  };
}

async function controlP99Ms(figures: readonly number[]): Promise<number> {
  const control = resolve(import.meta.dirname, 'processes/control.ts');
  const [program, ...args] = pinned('client', [process.execPath, control, ...figures.map(String)]);
  return Number((await promisify(execFile)(program, args)).stdout);
}
