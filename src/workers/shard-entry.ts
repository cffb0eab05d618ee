import { identityOf } from '../agent/identity.ts';
import { maxBodyBytes } from '../agent/request-body.ts';
import { createEngine, type Engine } from '../engine/engine.ts';
import { monotonicClock } from '../kernel/clock.ts';
import { fleetIndex, shareOf } from '../load/shard.ts';
import { compilePayloads, type PayloadWriter } from '../machine/payloads.ts';
import { createRecorder, type Recorder } from '../metrics/recording/recorder.ts';
import { machineFleetOf } from '../scenario/meaning/machine-fleet.ts';
import { createHttpTransport } from '../transport/http-transport.ts';
import { resolveTarget } from '../transport/target-addresses.ts';
import { createCredentialOutbox } from './credential-outbox.ts';
import { endOf, type JobEnd } from './job.ts';
import type { FromShard, ShardTask, ToShard } from './messages.ts';
import { createShardLoop } from './shard-loop.ts';

type Start = { readonly atMs: number; readonly epochMs: number };

/** A worker's whole job: builds its shard, waits for the common start, runs to the end. */
export function runShard(task: ShardTask): Promise<JobEnd> {
  return endOf(() => run(task));
}

async function run(task: ShardTask): Promise<void> {
  const { port, scenario } = task;
  const post = (message: FromShard): void => port.postMessage(message);
  let start: Start = { atMs: Number.POSITIVE_INFINITY, epochMs: 0 };
  const clock = (): number => monotonicClock() - start.atMs;
  const recorder = createRecorder();
  const addresses = await resolveTarget(task.targetUrl);
  const engine = buildEngine(task, addresses, { clock, epochMs: () => start.epochMs, recorder, post });
  const lastPhase = scenario.phases.at(-1);
  const loop = createShardLoop({
    shard: task.shard.index,
    timelineMs: lastPhase === undefined ? 0 : lastPhase.startMs + lastPhase.durationMs,
    engine,
    recorder,
    clock,
    sendFrame: (frame) => post({ kind: 'frame', frame }),
  });
  await new Promise<void>((resolve) => {
    port.on('message', (message: ToShard) => {
      if (message.kind === 'start') {
        start = message;
        resolve();
      } else obey(message, engine, loop);
    });
    post({ kind: 'ready' });
  });
  await loop.run();
  const counts = engine.deliveryCounts();
  port.postMessage({ kind: 'delivery', counts } satisfies FromShard, [
    counts.sent.buffer as ArrayBuffer,
    counts.acknowledged.buffer as ArrayBuffer,
    counts.refused.buffer as ArrayBuffer,
  ]);
  await engine.close();
  port.close();
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
  readonly post: (message: FromShard) => void;
};

function buildEngine(
  task: ShardTask,
  addresses: readonly string[],
  { clock, epochMs, recorder, post }: Surroundings,
): Engine {
  const { fleet, phases, target } = task.scenario;
  const payloads = compilePayloads(machineFleetOf(task.scenario, epochMs));
  const outbox = createCredentialOutbox((credentials) => post({ kind: 'credentials', credentials }));
  const engine: Engine = createEngine(
    { seed: fleet.seed, agents: fleet.agents, shard: task.shard, phases, timeoutMs: target.timeoutMs },
    {
      clock,
      epochMs,
      recorder,
      payloads,
      openTransport: (sink) => createHttpTransport({ ...transportSettings(task, payloads), addresses }, sink),
      storeCredential: (agent, password) => {
        if (task.durableCredentials) outbox.add({ agent, uuid: engine.uuid(agent), password });
        else engine.credentialStored(agent);
      },
    },
  );
  for (const [agent, password] of task.credentials) engine.restore(agent, password);
  warmUp(task, payloads);
  return engine;
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

function transportSettings({ scenario, targetUrl, shard }: ShardTask, payloads: PayloadWriter) {
  const { connections } = scenario.fleet;
  return {
    baseUrl: targetUrl,
    apiKey: scenario.target.apiKey,
    tls: scenario.target.tls,
    sharedConnections: connections.kind === 'shared' ? shareOf(shard, connections.size) : undefined,
    maxBodyBytes: maxBodyBytes(payloads),
  };
}
