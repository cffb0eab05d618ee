import { setImmediate } from 'node:timers/promises';
import type { ExchangeEvidence } from '../../../src/base/protocol/exchange.ts';
import { LIFECYCLE_STATES, type PullOperation } from '../../../src/base/protocol/operations.ts';
import type { ExchangeRecord, PullClient, PullEnding, PullRequest } from '../../../src/base/protocol/pull.ts';
import { timelineEndMs } from '../../../src/load/timeline.ts';
import type { SeriesFrame } from '../../../src/metrics/recording/frame.ts';
import { NO_LISTENER_COUNTS } from '../../../src/metrics/recording/listener-counts.ts';
import { createRecorder } from '../../../src/metrics/recording/recorder.ts';
import type { Evidence } from '../../../src/metrics/recording/schema.ts';
import type { Trace } from '../../../src/metrics/recording/trace.ts';
import type { Signer } from '../../../src/wire/poller/authority.ts';
import type { PollerChange, PollerPlan } from '../../../src/wire/poller/plan.ts';
import { createPoller, type Poller } from '../../../src/wire/poller/poller.ts';

/** A request as received by a virtual agent. */
export type SeenRequest = Pick<PullRequest, 'secure' | 'path' | 'body' | 'basicAuth'> & {
  readonly atMs: number;
  /** Its index in the plan. */
  readonly agent: number;
};

export type Reply = { readonly afterMs: number; readonly ending: PullEnding };

/** How virtual agents answer a request; `undefined` if they never answer. */
export type Serve = (request: SeenRequest) => Reply | undefined;

export type VirtualPoll = {
  readonly requests: readonly SeenRequest[];
  /** Highest number of concurrent requests. */
  readonly mostAtOnce: number;
  readonly changes: readonly (PollerChange & { readonly agent: number; readonly atMs: number })[];
  /** The stored records of certificates, which a restart would read. */
  readonly remembered: readonly { readonly agent: number; readonly record: ExchangeRecord; readonly atMs: number }[];
  readonly poller: Poller;
  readonly endedMs: number;
  readonly evidence: readonly Evidence[];
  readonly series: (operation: PullOperation, phase?: string) => SeriesFrame | undefined;
};

export type VirtualSettings = Partial<Omit<PollerPlan, 'agents'>> & {
  readonly agents: number;
  readonly durationMs: number;
  readonly serve?: Serve;
  readonly exchanged?: boolean;
  readonly basicAuth?: string;
  /** When everything is canceled; `undefined` for never. */
  readonly cancelAtMs?: number;
  /** Constant delay of every call, in milliseconds. */
  readonly lateMs?: number;
  readonly trace?: Trace;
};

const TIMEOUT_MS = 30_000;
const BYTES = { sentBytes: 100, receivedBytes: 1000 };

export function answer(status: number, body: unknown, afterMs = 1): Reply {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { afterMs, ending: { kind: 'answer', status, body: text, ...BYTES } };
}

export function failure(name: 'connection_refused' | 'tls_failed', inHandshake = false): Reply {
  return { afterMs: 1, ending: { kind: 'failure', failure: name, inHandshake, ...BYTES } };
}

/** The answer of an agent without faults, over any protocol. */
export function healthy({ path, body }: SeenRequest, afterMs = 1): Reply {
  if (body !== undefined) return answer(200, '', afterMs);
  const documents = { '/': { agent: {} }, '/packages': { Stats: {} }, '/autotls': { csr: 'request' }, '/config': {} };
  return answer(200, documents[path], afterMs);
}

function evidenceOf(ending: PullEnding): ExchangeEvidence {
  if (ending.kind === 'failure') return { reason: `no answer: ${ending.failure}`, head: '', body: '' };
  return { reason: '', head: `HTTP/1.1 ${ending.status}`, body: ending.body };
}

const signer: Signer = { ca: 'authority', sign: async (csr) => `signed ${csr}` };

type Happening = { readonly atMs: number; readonly act: () => void };

/** Runs a poller against virtual agents in virtual time, until the end of its timeline and of all answers. */
export async function pollVirtually(settings: VirtualSettings): Promise<VirtualPoll> {
  const {
    agents,
    durationMs,
    serve = healthy,
    exchanged = false,
    basicAuth,
    cancelAtMs,
    lateMs = 0,
    trace,
    ...rest
  } = settings;
  const happenings: Happening[] = [];
  const changes: (PollerChange & { agent: number; atMs: number })[] = [];
  const remembered: VirtualPoll['remembered'][number][] = [];
  const recorder = createRecorder();
  let nowMs = 0;
  const wire = virtualWire(
    serve,
    (afterMs, act) => happenings.push({ atMs: nowMs + afterMs, act }),
    () => nowMs,
  );
  const plan: PollerPlan = {
    agents: Array.from({ length: agents }, (_, index) => ({
      address: { host: 'agent', port: index },
      index,
      basicAuth,
      exchanged,
    })),
    phases: [{ name: 'main', startMs: 0, durationMs }],
    security: { kind: 'auto-tls', exchangeAgain: false },
    everyMs: 60_000,
    packagesEveryMs: 3_600_000,
    concurrency: 64,
    configuration: undefined,
    ...rest,
  };
  const poller = createPoller(plan, {
    clock: () => nowMs,
    client: wire.client,
    signer,
    recorder,
    trace,
    remember: async (agent, record) => void remembered.push({ agent, record, atMs: nowMs }),
    changed: (agent, change) => changes.push({ ...change, agent, atMs: nowMs }),
  });
  const endMs = cancelAtMs ?? timelineEndMs(plan.phases);
  if (cancelAtMs !== undefined) happenings.push({ atMs: cancelAtMs, act: poller.cancel });
  for (;;) {
    const wishMs = poller.advance();
    if (nowMs >= endMs) poller.stop();
    await setImmediate();
    if (nowMs >= endMs && poller.busyAgents() === 0) break;
    happenings.sort((a, b) => a.atMs - b.atMs);
    const ringsMs = nowMs < endMs ? Math.min(wishMs + lateMs, endMs) : wishMs;
    nowMs = Math.max(nowMs, Math.min(ringsMs, firstOf(happenings)));
    while (firstOf(happenings) <= nowMs) happenings.shift()?.act();
    await setImmediate();
  }
  const agentStates = Object.fromEntries(LIFECYCLE_STATES.map((state) => [state, 0])) as ReturnType<
    Poller['agentStates']
  >;
  const idle = {
    listening: 0,
    down: 0,
    listeners: NO_LISTENER_COUNTS,
    loopUtilization: 0,
    cpuMs: 0,
    gcMs: 0,
    stalls: [],
  };
  const { series, evidence = [] } = recorder.takeFrame({
    shard: 0,
    second: 0,
    agents: agentStates,
    inFlight: 0,
    ...idle,
  });
  return {
    ...wire.seen(),
    changes,
    remembered,
    poller,
    endedMs: nowMs,
    evidence,
    series: (operation, phase = 'main') => series.find((one) => one.operation === operation && one.phase === phase),
  };
}

function firstOf([first]: readonly Happening[]): number {
  return first?.atMs ?? Number.POSITIVE_INFINITY;
}

function virtualWire(serve: Serve, later: (afterMs: number, act: () => void) => void, now: () => number) {
  const requests: SeenRequest[] = [];
  let open = 0;
  let mostAtOnce = 0;
  const client: PullClient = {
    request: ({ address, ...request }) => {
      const { promise, resolve } = Promise.withResolvers<PullEnding>();
      const seen = { ...request, atMs: now(), agent: address.port };
      requests.push(seen);
      request.written?.(`the head for ${request.path}`);
      mostAtOnce = Math.max(mostAtOnce, ++open);
      const timeout: PullEnding = { kind: 'failure', failure: 'timeout', inHandshake: false, ...BYTES };
      const reply: Reply = serve(seen) ?? { afterMs: TIMEOUT_MS, ending: timeout };
      let over = false;
      const end = (how: PullEnding): void => {
        if (over) return;
        over = true;
        open--;
        resolve(how);
      };
      later(reply.afterMs, () => end(reply.ending));
      const abort = () => end({ ...timeout, failure: 'canceled', inHandshake: request.secure });
      return { ending: promise, abort, evidence: () => evidenceOf(reply.ending) };
    },
    close: () => {},
  };
  return { client, seen: () => ({ requests, mostAtOnce }) };
}
