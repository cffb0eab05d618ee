import type { Client } from './clients/client.ts';
import { muster, pushesOf } from './clients/muster.ts';
import { type Observed, observe } from './clients/observe.ts';
import { onePush } from './clients/one-push.ts';
import { peers } from './clients/peers.ts';
import type { Benchmark, Figures } from './harness/benchmark.ts';
import { connectionsWithin } from './harness/descriptors.ts';
import { evennessOf } from './harness/evenness.ts';
import { PINNING } from './processes/pinning.ts';

const FULL = { wanted: 10_000, perSecond: 2500, window: { warmUpSeconds: 6, seconds: 8 } };
const QUICK = { wanted: 1000, perSecond: 500, window: { warmUpSeconds: 2, seconds: 2 } };

/**
 * Muster with a rate, whose arrivals are even, and as agents push, each on its own grid. Only the sink can tell how late a peer is:
 * arrivals are compared with an even schedule.
 */
export const paced: Benchmark = {
  name: 'paced',
  question: 'What does one push cost, and how punctual is it, at a rate that is given?',
  needs: ['nginx'],
  minutes: { quick: 1, full: 10 },
  figures: {
    cpuUs: 'CPU µs per push',
    perSecond: 'pushes/s',
    connections: 'connections',
    lagP99Ms: 'own lag p99 ms',
    behindP99Ms: 'behind even p99 ms',
    dispersion: 'variance/mean',
    rssMb: 'RSS MB',
  },
  async *cases({ quick, note }) {
    note(PINNING);
    const { wanted, perSecond, window } = quick ? QUICK : FULL;
    const connections = connectionsWithin(wanted, note);
    const { body, sizeText } = onePush('typical');
    const sampled = (name: string, client: Client, own: (stdout: string) => Figures) => ({
      name,
      sample: async () => {
        const observed = await observe(client, window, 'logged');
        return { ...figuresOf(observed, perSecond), ...own(observed.stdout) };
      },
    });
    const agents = (checkdata: object) => muster({ agents: connections, payload: 'typical', checkdata });
    const every = `${(connections / perSecond) * 1000}ms`;
    const lag = (stdout: string) => ({ lagP99Ms: pushesOf(stdout, note).latencyMs.lag?.p99 ?? Number.NaN });
    const variants = [
      ...peers({ body, connections, perSecond }, note).map((client) => sampled(client.name, client, () => ({}))),
      sampled('muster, rate', agents({ rate: `${perSecond}/s` }), lag),
      sampled('muster, every', agents({ every }), lag),
    ];
    yield { name: `${perSecond}/s of ${sizeText}, ${connections} connections`, variants };
  },
};

function figuresOf(observed: Observed, perSecond: number): Figures {
  const { requests, seconds, cpuSeconds, connections, rssBytes, arrivalsMs } = observed;
  return {
    cpuUs: (cpuSeconds * 1e6) / requests,
    perSecond: requests / seconds,
    connections,
    ...evennessOf(arrivalsMs, perSecond),
    rssMb: rssBytes / 1e6,
  };
}
