import type { Address } from '../../../src/base/kernel/address.ts';
import { monotonicClock } from '../../../src/base/runtime/event-loop.ts';
import type { WebServerStatus } from '../../../src/engine/agent-status.ts';
import { fleetIndex, type Shard, WHOLE_FLEET } from '../../../src/load/shard.ts';
import { addressOfAgent } from '../../../src/scenario/listen-range.ts';
import { noPasswords } from '../../../src/wire/agent/passwords.ts';
import type { Channel } from '../../../src/workers/channel.ts';
import { packFiles } from '../../../src/workers/listening/disks.ts';
import type { FromShard, ShardTask, ToShard } from '../../../src/workers/messages.ts';
import { createOpenQueries } from '../../../src/workers/queries.ts';
import { runShard } from '../../../src/workers/shard-entry.ts';
import { HOST_DATA } from '../../hosts/host-data.ts';
import { freeRange } from '../../run/listening/running-fleet.ts';
import { scenarioOf } from '../../scenario/read-scenario.ts';

/** A shard of agents that are only polled, in this thread. The test starts and ends it. */
export type ShardInPlace = {
  readonly at: (agent: number) => Address;
  readonly start: () => void;
  /** Resolves when the shard has ended. */
  readonly stop: () => Promise<void>;
  readonly sent: readonly FromShard[];
  /** The current state of an agent's web server. */
  readonly webServer: (agent: number) => Promise<WebServerStatus | undefined>;
};

/** Resolves when all agents listen. Writes of files succeed immediately. */
export async function shardInPlace(
  agents: number,
  { shard = WHOLE_FLEET, keys = [] }: { readonly shard?: Shard; readonly keys?: readonly string[] } = {},
): Promise<ShardInPlace> {
  const { scenario, webServer } = listeningScenario(agents);
  const task: ShardTask = {
    scenario,
    worker: 0,
    workers: 1,
    shard,
    target: {
      bases: [
        {
          url: scenario.target.url,
          addresses: ['127.0.0.1'],
          reachedFrom: new Map(),
          loopbackOnly: true,
          proxy: undefined,
        },
      ],
      tls: { verify: false, ca: undefined },
    },
    passwords: noPasswords(agents),
    sources: { addresses: [], ports: undefined, beginAt: 0 },
    spareDials: 0,
    firstStartedMs: undefined,
    otherPasswords: [],
    claims: false,
    durableCredentials: false,
    journal: undefined,
    debug: undefined,
    listening: {
      files: packFiles([]),
      durable: true,
      polled: false,
      keys: { kind: 'pool', pems: keys },
      fileDescriptors: Number.POSITIVE_INFINITY,
    },
  };
  const ready = Promise.withResolvers<void>();
  let sendToShard: (message: ToShard) => void = () => {};
  const sent: FromShard[] = [];
  const queries = createOpenQueries((message) => sendToShard(message));
  const channel: Channel<ToShard, FromShard> = {
    send: (message) => {
      sent.push(message);
      if (message.kind === 'ready') ready.resolve();
      if (message.kind === 'answer') queries.answered(message);
      if (message.kind === 'files') {
        sendToShard({ kind: 'files_stored', writes: message.writes.map(({ write }) => write), problem: undefined });
      }
    },
    listen: (onMessage) => {
      sendToShard = onMessage;
    },
    close: () => {},
    closed: Promise.resolve(),
  };
  const end = runShard(task, channel, HOST_DATA);
  await Promise.race([ready.promise, end]);
  return {
    at: (agent) => addressOfAgent(webServer.listen, fleetIndex(shard, agent)),
    start: () =>
      sendToShard({ kind: 'start', atMs: monotonicClock() + 10, epochMs: Date.now() + 10, hostMs: Date.now() + 10 }),
    stop: () => {
      sendToShard({ kind: 'stop' });
      return end;
    },
    sent,
    webServer: async (agent) => {
      const asked = queries.ask({ kind: 'agent_details', agent, index: fleetIndex(shard, agent) });
      return (await asked).webServer;
    },
  };
}

function listeningScenario(agents: number) {
  const scenario = scenarioOf(`
target: { url: "http://127.0.0.1:1" }
fleet: { agents: ${agents}, seed: 1, payload: lean, profiles: { debian-12: 1 } }
webServer: { listen: "${freeRange()}", configPush: true, autoTls: true, interval: 3s, keys: { type: ecdsa-p256, pool: 1 } }
phases: [{ name: asked, duration: 1m }]`);
  if (scenario.webServer === undefined) throw new Error('nobody listens');
  return { scenario, webServer: scenario.webServer };
}
