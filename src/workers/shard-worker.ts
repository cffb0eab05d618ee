import { identityOf } from '../agent/identity.ts';
import { maxBodyBytes } from '../agent/request-body.ts';
import { createEngine, type Engine } from '../engine/engine.ts';
import { batchPerTurn } from '../kernel/batch.ts';
import { monotonicClock } from '../kernel/clock.ts';
import { fleetIndex, shareOf } from '../load/shard.ts';
import { timelineEndMs } from '../load/timeline.ts';
import { profileNamer } from '../machine/hosts.ts';
import { compilePayloads, type PayloadWriter } from '../machine/payloads.ts';
import { createProfileRecorder, type ProfileRecorder } from '../metrics/recording/profile-recorder.ts';
import { createRecorder, type Recorder } from '../metrics/recording/recorder.ts';
import { machineFleetOf } from '../scenario/meaning/machine-fleet.ts';
import { createHttpTransport, type TransportSettings } from '../transport/http-transport.ts';
import type { Channel } from './channel.ts';
import type { FromShard, ShardCredential, ShardTask, ToShard } from './messages.ts';
import { createShardLoop } from './shard-loop.ts';

type Start = { readonly atMs: number; readonly epochMs: number };

/** Builds a shard, waits for the common start, runs it to its end, and closes the channel. */
export async function runShard(task: ShardTask, channel: Channel<ToShard, FromShard>): Promise<void> {
  let start: Start = { atMs: Number.POSITIVE_INFINITY, epochMs: 0 };
  const clock = (): number => monotonicClock() - start.atMs;
  const recorder = createRecorder();
  const profileRecorder = createProfileRecorder(profilesOf(task));
  const epochMs = (): number => start.epochMs;
  const engine = buildEngine(task, { clock, epochMs, recorder, profileRecorder, send: channel.send });
  const loop = createShardLoop({
    shard: task.shard.index,
    timelineMs: timelineEndMs(task.scenario.phases),
    engine,
    recorder,
    clock,
    sendFrame: (frame) => channel.send({ kind: 'frame', frame }),
  });
  await new Promise<void>((begin) => {
    channel.listen((message) => {
      if (message.kind === 'start') {
        start = message;
        begin();
      } else obey(message, engine, loop);
    });
    channel.send({ kind: 'ready' });
  });
  await loop.run();
  const delivery = engine.deliveryCounts();
  const columns = [delivery.sent, delivery.acknowledged, delivery.refused];
  channel.send(
    { kind: 'account', account: { delivery, responses: profileRecorder.take(), down: [] } },
    columns.map(({ buffer }) => buffer as ArrayBuffer),
  );
  await engine.close();
  channel.close();
}

function obey(
  message: Exclude<ToShard, { kind: 'start' }>,
  engine: Engine,
  loop: { stop(): void; cancel(): void },
): void {
  if (message.kind === 'stop') loop.stop();
  else if (message.kind === 'cancel') loop.cancel();
  else for (const agent of message.agents) engine.credentialStored(agent);
}

type Surroundings = {
  readonly clock: () => number;
  readonly epochMs: () => number;
  readonly recorder: Recorder;
  readonly profileRecorder: ProfileRecorder;
  readonly send: (message: FromShard) => void;
};

function buildEngine(task: ShardTask, { send, ...measuring }: Surroundings): Engine {
  const { fleet, phases, target } = task.scenario;
  const payloads = compilePayloads(machineFleetOf(task.scenario, measuring.epochMs));
  // The passwords of one turn are one message and one commit.
  const hand = batchPerTurn<ShardCredential>((credentials) => send({ kind: 'credentials', credentials }));
  const engine: Engine = createEngine(
    { seed: fleet.seed, agents: fleet.agents, shard: task.shard, phases, timeoutMs: target.timeoutMs },
    {
      ...measuring,
      payloads,
      openTransport: (sink) => createHttpTransport(transportSettings(task, payloads), sink),
      storeCredential: (agent, password) => {
        if (task.durableCredentials) hand({ agent, uuid: engine.uuid(agent), password });
        else engine.credentialStored(agent);
      },
    },
  );
  for (const [agent, password] of task.credentials) engine.restore(agent, password);
  warmUp(task, payloads);
  return engine;
}

/** The profile of each of a shard's agents, drawn once. */
function profilesOf({ scenario, shard }: ShardTask): (agent: number) => string {
  const profileOf = profileNamer(scenario.fleet);
  const agents = shareOf(shard, scenario.fleet.agents);
  const profiles = Array.from({ length: agents }, (_, agent) => profileOf(fleetIndex(shard, agent)));
  return (agent) => profiles[agent] ?? '';
}

// Enough agents to meet every shape of machine that a fleet has many of.
const WARM_UP_AGENTS = 200;

/** Compiles shapes and lets the runtime optimise rendering before the clock runs, not in the first second's latencies. */
function warmUp({ scenario, shard }: ShardTask, payloads: PayloadWriter): void {
  const scratch = Buffer.allocUnsafe(maxBodyBytes(payloads));
  const agents = Math.min(WARM_UP_AGENTS, shareOf(shard, scenario.fleet.agents));
  for (let local = 0; local < agents; local++) {
    const agent = fleetIndex(shard, local);
    identityOf(scenario.fleet.seed, agent);
    payloads.writeCheckdata(scratch, 0, agent, 0);
    payloads.writePackages(scratch, 0, agent, 0);
  }
}

function transportSettings({ scenario, target, shard }: ShardTask, payloads: PayloadWriter): TransportSettings {
  const { connections } = scenario.fleet;
  return {
    baseUrl: target.url,
    addresses: target.addresses,
    apiKey: scenario.target.apiKey,
    tls: target.tls,
    sharedConnections: connections.kind === 'shared' ? shareOf(shard, connections.size) : undefined,
    maxBodyBytes: maxBodyBytes(payloads),
  };
}
