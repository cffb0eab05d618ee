import { muster, pushesOf } from './clients/muster.ts';
import { observe, type Window } from './clients/observe.ts';
import { onePush, type Size } from './clients/one-push.ts';
import type { Benchmark, Context, Figures } from './harness/benchmark.ts';
import { evennessOf } from './harness/evenness.ts';
import { PINNING } from './processes/pinning.ts';

const LOAD = 0.7;
/** So many that hardly ever an agent is still busy when it is due again, as with intervals of half a minute. */
const AGENTS = 1000;

/** Each sample measures the capacity first, with as much at once as there are agents, and then takes 70 % of it as a rate. */
export const schedule: Benchmark = {
  name: 'schedule',
  question: 'How punctual are pushes at 70 % of what the generator can do?',
  needs: ['nginx'],
  minutes: { quick: 1, full: 10 },
  figures: {
    capacityPerSecond: 'capacity/s',
    askedPerSecond: 'asked/s',
    perSecond: 'arrived/s',
    lagP99Ms: 'lag p99 ms',
    delayP99Ms: 'delay p99 ms',
    behindP99Ms: 'behind even p99 ms',
    dispersion: 'variance/mean',
  },
  async *cases({ quick, note }) {
    note(PINNING);
    const window = quick ? { warmUpSeconds: 1, seconds: 1 } : { warmUpSeconds: 8, seconds: 6 };
    for (const payload of quick ? (['typical'] as const) : (['lean', 'typical', 'full'] as const)) {
      const sample = () => sampleSchedule(payload, window, note);
      yield {
        name: `${payload}, ${onePush(payload).sizeText}, ${AGENTS} connections`,
        variants: [{ name: 'muster', sample }],
      };
    }
  },
};

async function sampleSchedule(payload: Size, window: Window, note: Context['note']): Promise<Figures> {
  const closed = await observe(muster({ agents: AGENTS, payload, checkdata: { concurrency: AGENTS } }), window);
  const capacityPerSecond = closed.requests / closed.seconds;
  const askedPerSecond = Math.round(capacityPerSecond * LOAD);
  const client = muster({ agents: AGENTS, payload, checkdata: { rate: `${askedPerSecond}/s` } });
  const open = await observe(client, window, 'logged');
  const { lag, delay } = pushesOf(open.stdout, note).latencyMs;
  return {
    capacityPerSecond,
    askedPerSecond,
    perSecond: open.requests / open.seconds,
    lagP99Ms: lag?.p99 ?? Number.NaN,
    delayP99Ms: delay?.p99 ?? Number.NaN,
    ...evennessOf(open.arrivalsMs, askedPerSecond),
  };
}
