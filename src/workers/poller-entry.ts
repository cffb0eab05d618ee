import type { MessagePort } from 'node:worker_threads';
import type { ExchangeRecord } from '../base/protocol/pull.ts';
import { batchPerTurn, monotonicClock } from '../base/runtime/event-loop.ts';
import { WHOLE_FLEET } from '../load/shard.ts';
import { timelineEndMs } from '../load/timeline.ts';
import { NO_LISTENER_COUNTS } from '../metrics/recording/listener-counts.ts';
import { addressOfAgent } from '../scenario/listen-range.ts';
import type { Pull } from '../scenario/pull.ts';
import type { WebServer } from '../scenario/web-server.ts';
import { openSigner } from '../wire/poller/authority.ts';
import type { PollerPlan } from '../wire/poller/plan.ts';
import { createPoller } from '../wire/poller/poller.ts';
import { createPullClient } from '../wire/transport/pull-client.ts';
import { type Channel, channelOver, type JobEnd, runJob } from './channel.ts';
import type { AgentExchange, FromShard, PollerTask, ToShard } from './messages.ts';
import { createShardLoop } from './shard-loop.ts';
import { createShardRecorder } from './shard-recorder.ts';

/** Entry point of the poller thread, which polls agents like a monitoring server in pull mode. */
export function run({ task, port }: { readonly task: PollerTask; readonly port: MessagePort }): Promise<JobEnd> {
  return runJob(() => runPollerShard(task, channelOver(port)));
}

/** Polls the agents of a fleet. For the run this is one more shard, with frames like any other's. */
async function runPollerShard(task: PollerTask, channel: Channel<ToShard, FromShard>): Promise<void> {
  const { scenario, shard, authority } = task;
  const { webServer, target } = scenario;
  if (webServer === undefined || target.pull === undefined)
    throw new Error('expected agents with web servers and target.pull');
  let startMs = Number.POSITIVE_INFINITY;
  const clock = (): number => monotonicClock() - startMs;
  const { send } = channel;
  const { recorder, trace } = createShardRecorder(task, { clock, shard: WHOLE_FLEET, secrets: [target.apiKey], send });
  const store = createExchangeStore((exchanges) => send({ kind: 'exchanges', exchanges }));
  const poller = createPoller(planOf(task, { webServer, pull: target.pull }), {
    clock,
    recorder,
    trace,
    client: createPullClient({ credentials: authority, timeoutMs: target.pull.timeoutMs }),
    signer: authority && (await openSigner(authority, Date.now)),
    remember: task.durable ? store.add : () => Promise.resolve(),
    changed: () => {},
  });
  const loop = createShardLoop({
    shard,
    clock,
    recorder,
    engine: poller,
    timelineMs: timelineEndMs(scenario.phases),
    webServers: () => ({ listening: 0, down: 0, listeners: NO_LISTENER_COUNTS }),
    drain: () => true,
    sendFrame: (frame) => send({ kind: 'frame', frame }),
  });
  await new Promise<void>((begin) => {
    channel.listen((message) => {
      if (message.kind === 'start') {
        startMs = message.atMs;
        begin();
      } else if (message.kind === 'exchanges_stored') store.confirm();
      else if (message.kind === 'trace_shown') trace?.shown();
      else if (message.kind === 'stop') loop.stop();
      else if (message.kind === 'cancel') loop.cancel();
    });
    send({ kind: 'ready' });
  });
  await loop.run();
  trace?.end();
  await poller.close();
  channel.close();
}

/** Lets the control plane store changes of certificates; it confirms each batch once, in order. */
function createExchangeStore(send: (exchanges: readonly AgentExchange[]) => void) {
  const batches: (readonly { readonly settle: () => void }[])[] = [];
  const addToBatch = batchPerTurn<{ readonly exchange: AgentExchange; readonly settle: () => void }>((batch) => {
    batches.push(batch);
    send(batch.map(({ exchange }) => exchange));
  });
  return {
    /** Resolves when the change is durable. */
    add: (agent: number, record: ExchangeRecord) =>
      new Promise<void>((settle) => addToBatch({ exchange: { agent, record }, settle })),
    confirm: () => {
      for (const { settle } of batches.shift() ?? []) settle();
    },
  };
}

function planOf(
  { scenario, exchanged, authority, configuration }: PollerTask,
  { webServer, pull }: { readonly webServer: WebServer; readonly pull: Pull },
): PollerPlan {
  const { everyMs, packagesEveryMs, concurrency, configAtMs } = pull;
  const { basicAuth, listen } = webServer;
  const known = new Set(exchanged);
  return {
    agents: Array.from({ length: scenario.fleet.agents }, (_, index) => ({
      index,
      address: addressOfAgent(listen, index),
      exchanged: known.has(index),
      basicAuth: basicAuth && `${basicAuth.user}:${basicAuth.password}`,
    })),
    phases: scenario.phases,
    security: authority === undefined ? { kind: 'http' } : { kind: 'auto-tls', exchangeAgain: true },
    everyMs,
    packagesEveryMs,
    concurrency,
    configuration:
      configuration === undefined
        ? undefined
        : { documents: { configuration, customChecks: '', exporters: '' }, fromMs: configAtMs },
  };
}
