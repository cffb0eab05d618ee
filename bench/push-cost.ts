import type { Client } from './clients/client.ts';
import { muster, pushesOf } from './clients/muster.ts';
import { observe } from './clients/observe.ts';
import { onePush, type Size } from './clients/one-push.ts';
import { peers } from './clients/peers.ts';
import { sTime } from './clients/s-time.ts';
import type { Benchmark, Case, Variant } from './harness/benchmark.ts';
import { choicesOf } from './harness/choices.ts';
import { connectionsWithin } from './harness/descriptors.ts';
import type { SinkKind } from './processes/nginx-sink.ts';
import { PINNING } from './processes/pinning.ts';
import { missingOf } from './processes/programs.ts';

/** Settings of Muster that are always compared; each is a list of `path=value`. */
const ALWAYS: readonly (readonly string[])[] = [[]];

const SIZES: readonly Size[] = ['lean', 'typical', 'full'];

/** Peers that accept the sink's certificate without verification. */
const OVER_TLS: readonly string[] = ['wrk', 'node'];

const CONNECTIONS = 64;

/**
 * Muster's agents push as fast as answers arrive, each with its own document and connection, through the whole path of a push. The
 * peers push one constant body over the same number of connections.
 */
export const pushCost: Benchmark = {
  name: 'push-cost',
  question: 'What does one push cost the generator, as fast as answers come?',
  needs: ['nginx'],
  minutes: { quick: 2, full: 37 },
  figures: { cpuUs: 'CPU µs per push', perSecond: 'pushes/s', sinkBusy: 'sink busy', peakMb: 'peak MB' },
  ratio: { of: 'cpuUs', to: 'wrk' },
  async *cases({ quick, sets, note }) {
    note(PINNING);
    const window = quick ? { warmUpSeconds: 0.5, seconds: 1 } : { warmUpSeconds: 3, seconds: 4 };
    for (const payload of quick ? (['typical'] as const) : SIZES) {
      const { body, sizeText } = onePush(payload);
      for (const connections of quick ? [CONNECTIONS] : [CONNECTIONS, connectionsWithin(1000, note)]) {
        const fleet = { agents: connections, payload, checkdata: { concurrency: connections } };
        const own = [...ALWAYS, ...choicesOf(sets)].map((chosen) => muster(fleet, chosen));
        const others = peers({ body, connections }, note);
        const variants = [
          ...others.map((client) => variantOf(client, { window, judge: () => {} })),
          ...own.map((client) => variantOf(client, { window, judge: (stdout) => pushesOf(stdout, note) })),
        ];
        yield { name: `${payload}, ${sizeText}, ${connections} connections`, variants };
      }
    }
    yield* tlsCases(window, note);
  },
};

type Window = Parameters<typeof observe>[1];

/** Over kept connections, and with a handshake for each push. */
function* tlsCases(window: Window, note: (text: string) => void): Generator<Case> {
  const judge = (stdout: string): void => void pushesOf(stdout, note);
  const own = (payload: Size, http2 = false): Client =>
    muster({ agents: CONNECTIONS, payload, checkdata: { concurrency: CONNECTIONS }, http2 });
  for (const payload of ['lean', 'typical'] as const) {
    const { body, sizeText } = onePush(payload);
    const others = peers({ body, connections: CONNECTIONS }, () => {}).filter(({ name }) => OVER_TLS.includes(name));
    const variants = [
      ...others.map((client) => variantOf(client, { window, kind: 'tls', judge: () => {} })),
      variantOf(own(payload), { window, kind: 'tls', judge }),
      variantOf(own(payload, true), { window, kind: 'http2', judge }),
    ];
    yield { name: `TLS, ${payload}, ${sizeText}, ${CONNECTIONS} connections`, variants };
  }
  const hasOpenssl = missingOf(['openssl']).length === 0;
  const peer = hasOpenssl ? [variantOf(sTime, { window, kind: 'tls_closing', judge: () => {} })] : [];
  const variants = [...peer, variantOf(own('lean'), { window, kind: 'tls_closing', judge })];
  yield { name: 'TLS, lean, a handshake for each push', variants };
}

type Observation = {
  readonly window: Window;
  readonly kind?: SinkKind;
  /** @throws Error if the client's output shows that it did other work. */
  readonly judge: (stdout: string) => void;
};

function variantOf(client: Client, { window, kind, judge }: Observation): Variant {
  return {
    name: client.name,
    sample: async () => {
      const { requests, seconds, cpuSeconds, sinkCpuSeconds, peakBytes, stdout } = await observe(client, window, kind);
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
