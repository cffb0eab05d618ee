import type { Client } from './clients/client.ts';
import { muster, pushesOf } from './clients/muster.ts';
import { observe } from './clients/observe.ts';
import { onePush, type Size } from './clients/one-push.ts';
import { peers } from './clients/peers.ts';
import type { Benchmark, Variant } from './harness/benchmark.ts';
import { choicesOf } from './harness/choices.ts';
import { connectionsWithin } from './harness/descriptors.ts';
import { PINNING } from './processes/pinning.ts';

/** Ways to run Muster that are always compared; each is a list of `path=value`. */
const ALWAYS: readonly (readonly string[])[] = [[]];

const SIZES: readonly Size[] = ['lean', 'typical', 'full'];

/**
 * Muster's agents push as fast as answers come, each a document of its own over a connection of its own, through all that
 * a push goes through. The peers push one constant body over as many connections.
 */
export const pushCost: Benchmark = {
  name: 'push-cost',
  question: 'What does one push cost the generator, as fast as answers come?',
  needs: ['nginx'],
  minutes: { quick: 1, full: 30 },
  figures: { cpuUs: 'CPU µs per push', perSecond: 'pushes/s', sinkBusy: 'sink busy', peakMb: 'peak MB' },
  ratio: { of: 'cpuUs', to: 'wrk' },
  async *cases({ quick, sets, note }) {
    note(PINNING);
    const window = quick ? { warmUpSeconds: 0.5, seconds: 1 } : { warmUpSeconds: 3, seconds: 4 };
    for (const payload of quick ? (['typical'] as const) : SIZES) {
      const { body, sizeText } = onePush(payload);
      for (const connections of quick ? [64] : [64, connectionsWithin(1000, note)]) {
        const fleet = { agents: connections, payload, checkdata: { concurrency: connections } };
        const own = [...ALWAYS, ...choicesOf(sets)].map((chosen) => muster(fleet, chosen));
        const others = peers({ body, connections }, note);
        const variants = [
          ...others.map((client) => variantOf(client, window, () => {})),
          ...own.map((client) => variantOf(client, window, (stdout) => pushesOf(stdout, note))),
        ];
        yield { name: `${payload}, ${sizeText}, ${connections} connections`, variants };
      }
    }
  },
};

function variantOf(client: Client, window: Parameters<typeof observe>[1], judge: (stdout: string) => void): Variant {
  return {
    name: client.name,
    sample: async () => {
      const { requests, seconds, cpuSeconds, sinkCpuSeconds, peakBytes, stdout } = await observe(client, window);
      judge(stdout);
      return {
        cpuUs: (cpuSeconds * 1e6) / requests,
        perSecond: requests / seconds,
        sinkBusy: sinkCpuSeconds / seconds,
        peakMb: peakBytes / 1e6,
      };
    },
  };
}
