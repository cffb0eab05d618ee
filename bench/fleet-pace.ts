import type { Client } from './clients/client.ts';
import { muster, pushesOf } from './clients/muster.ts';
import { type Observed, observe } from './clients/observe.ts';
import { onePush } from './clients/one-push.ts';
import { peers } from './clients/peers.ts';
import type { Benchmark, Case, Figures } from './harness/benchmark.ts';
import { connectionsWithin } from './harness/descriptors.ts';
import { evennessOf } from './harness/evenness.ts';
import { PINNING } from './processes/pinning.ts';

const WINDOW = { warmUpSeconds: 6, seconds: 8 };
/** The last one is of agents that push every 30 s. */
const FULL = [
  { wanted: 1000, perSecond: 2500, window: WINDOW },
  { wanted: 10_000, perSecond: 2500, window: WINDOW },
  { wanted: 10_000, perSecond: 333, window: { warmUpSeconds: 34, seconds: 12 } },
];
const QUICK = [{ wanted: 1000, perSecond: 500, window: { warmUpSeconds: 2, seconds: 2 } }];

/**
 * Muster with a rate, whose arrivals are even, and as agents push, each on its own grid. Only the sink can tell how late a peer is:
 * arrivals are compared with an even schedule.
 */
export const fleetPace: Benchmark = {
  name: 'fleet-pace',
  question: 'What does one push cost, and how punctual is it, at a rate that is given?',
  needs: ['nginx'],
  minutes: { quick: 1, full: 45 },
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
    for (const size of quick ? QUICK : FULL) yield caseOf(size, note);
  },
};

function caseOf({ wanted, perSecond, window }: (typeof FULL)[number], note: (text: string) => void): Case {
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
  return { name: `${perSecond}/s of ${sizeText}, ${connections} connections`, variants };
}

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
