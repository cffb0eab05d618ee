import type { MessagePort } from 'node:worker_threads';
import { UserError } from '../base/kernel/errors.ts';
import { OPERATIONS } from '../base/protocol/operations.ts';
import { batchPerTurn, monotonicClock } from '../base/runtime/event-loop.ts';
import { readHostData } from '../base/storage/host-data.ts';
import { type PasswordJournal, passwordJournal } from '../base/storage/password-journal.ts';
import { type LargeFile, openLargeFile } from '../base/storage/text-files.ts';
import { createEngine, type Engine } from '../engine/engine.ts';
import type { EnginePorts } from '../engine/engine-state.ts';
import { groupLabels, hostGroups } from '../hosts/groups.ts';
import type { HostData } from '../hosts/host-data.ts';
import { durationsOf } from '../load/durations.ts';
import { clockFactor } from '../load/host-clock.ts';
import { fleetIndex, shareOf } from '../load/shard.ts';
import { timelineEndMs, traceOf } from '../load/timeline.ts';
import { openTrace } from '../load/traces/reader.ts';
import { NO_LISTENER_COUNTS } from '../metrics/recording/listener-counts.ts';
import { createProfileRecorder, type ProfileRecorder, type Recorder } from '../metrics/recording/recorder.ts';
import { createFollower, traceToBoth } from '../metrics/recording/trace.ts';
import { proxyAuthorization } from '../wire/agent/proxy.ts';
import { type Channel, channelOver, type JobEnd, runJob } from './channel.ts';
import { type Claims, createClaims } from './claims.ts';
import { createHosts, type Hosts, warmUp } from './hosts.ts';
import type { Listening } from './listening/listening.ts';
import type { FromShard, ShardCredential, ShardTask, ToShard } from './messages.ts';
import { answerQuery } from './queries.ts';
import { createShardEvents, type ShardEvents } from './shard-events.ts';
import { createShardLoop, type ShardLoop } from './shard-loop.ts';
import { createShardRecorder } from './shard-recorder.ts';
import { createShardTransports, type ShardTransports } from './transports.ts';

export function run({ task, port }: { readonly task: ShardTask; readonly port: MessagePort }): Promise<JobEnd> {
  return runJob(() => runShard(withOwnNames(task), channelOver(port), hostDataFor(task)));
}

/** Names of operations from a message are other strings for V8 than those in code: with them, it recompiles functions of each push. */
function withOwnNames({ scenario, ...task }: ShardTask): ShardTask {
  const phases = scenario.phases.map((phase) => ({
    ...phase,
    loads: phase.loads.map((load) => ({
      ...load,
      operation: OPERATIONS.find((name) => name === load.operation) ?? load.operation,
    })),
  }));
  return { ...task, scenario: { ...scenario, phases } };
}

function hostDataFor({ hostTables }: ShardTask): HostData {
  const own = readHostData();
  return hostTables === undefined ? own : { ...own, tables: hostTables };
}

type Start = { readonly atMs: number; readonly epochMs: number; readonly hostMs: number };

/** Builds a shard, waits for the common start, runs the shard to its end, and closes the channel. */
export async function runShard(
  task: ShardTask,
  channel: Channel<ToShard, FromShard>,
  hostData: HostData,
): Promise<void> {
  let start: Start = { atMs: Number.POSITIVE_INFINITY, epochMs: 0, hostMs: 0 };
  const clock = (): number => monotonicClock() - start.atMs;
  let leaseUntilMs = Number.POSITIVE_INFINITY;
  const shard = buildShard(task, {
    clock,
    hostData,
    // Without a lease, no clock is read.
    isFenced: () => leaseUntilMs !== Number.POSITIVE_INFINITY && monotonicClock() > leaseUntilMs,
    epochMs: () => start.hostMs,
    startedMs: () => start.epochMs,
    send: channel.send,
    // Loaded only if needed: most of a thread's memory is code.
    createListening: task.listening && (await import('./listening/listening.ts')).createListening,
  });
  const { engine, loop, listening, profileRecorder, trace } = shard;
  await listening?.open();
  // Clocks that the scenario sets are not those of this machine.
  const setClock = (setMs: number): void => {
    if (task.scenario.hostClock === undefined) start = { ...start, hostMs: start.hostMs + setMs };
  };
  const answerAsked = async ({ id, query }: Extract<ToShard, { readonly kind: 'query' }>): Promise<void> =>
    channel.send({ kind: 'answer', id, answer: await answerQuery(query, { ...shard, setClock }) });
  await new Promise<void>((begin) => {
    channel.listen((message) => {
      if (message.kind === 'start') {
        start = message;
        if (task.firstStartedMs !== undefined && clock() > 0) engine.skipBefore(clock());
        begin();
      } else if (message.kind === 'query') void answerAsked(message);
      else if (message.kind === 'lease') leaseUntilMs = message.untilMs;
      else handleCommand(message, shard);
    });
    channel.send({ kind: 'ready' });
  });
  listening?.begin();
  await loop.run();
  trace?.end();
  const delivery = engine.deliveryCounts();
  const columns = [delivery.sent, delivery.acknowledged, delivery.refused];
  channel.send(
    {
      kind: 'account',
      account: {
        delivery,
        responses: profileRecorder.take(),
        events: engine.eventHits(),
        down: listening?.down() ?? [],
      },
    },
    columns.map(({ buffer }) => buffer as ArrayBuffer),
  );
  await engine.close();
  for (const file of shard.traces.values()) file.close();
  channel.close();
}

type CreateListening = typeof import('./listening/listening.ts').createListening;

type BuiltShard = ReturnType<typeof buildShard>;

type ShardContext = {
  /** `undefined` if the agents do not listen. */
  readonly createListening: CreateListening | undefined;
  readonly clock: () => number;
  readonly isFenced: () => boolean;
  readonly hostData: HostData;
  /** Time on the hosts' clocks at the start, in Unix ms. */
  readonly epochMs: () => number;
  /** Start in real time, in Unix ms. */
  readonly startedMs: () => number;
  readonly send: (message: FromShard) => void;
};

function buildShard(task: ShardTask, context: ShardContext) {
  const { clock, send } = context;
  const secrets = secretsOf(task);
  const { recorder, trace } = createShardRecorder(task, { clock, shard: task.shard, secrets, send });
  const follower = createFollower(secrets);
  const profileRecorder = createProfileRecorder(groupLabels(task.scenario.fleet), groupsIn(task));
  let isPolled = task.listening?.polled ?? false;
  const listening: Listening | undefined =
    task.listening &&
    context.createListening?.(task, task.listening, {
      clock,
      recorder,
      engine: () => engine,
      wake: () => loop.wake(),
      send: (writes) => send({ kind: 'files', writes }),
    });
  const closed = closing(listening);
  const hosts = createHosts(task.scenario, context.hostData, context.epochMs);
  const transports = createShardTransports(task);
  const shardEvents = createShardEvents(task, { send, engine: () => engine, hosts, transports });
  const claiming = { shard: task.shard, ...task.scenario.fleet };
  const claims = task.claims ? createClaims(claiming, (requests) => send({ kind: 'claims', requests })) : undefined;
  claims?.known(task.passwords);
  const journal = task.journal === undefined ? undefined : passwordJournal(task.journal);
  const traces = openTraceFiles(task);
  const parts = {
    hosts,
    traces,
    claims,
    journal,
    recorder,
    profileRecorder,
    listening,
    shardEvents,
    transports,
    trace: traceToBoth(trace, follower),
  };
  const engine: Engine = buildEngine(task, { ...context, ...parts });
  shardEvents.begin();
  const loop: ShardLoop = createShardLoop({
    shard: task.worker,
    timelineMs: timelineEndMs(task.scenario.phases),
    engine,
    recorder,
    clock,
    webServers: () => ({
      listening: listening?.listening() ?? 0,
      down: engine.downAgents(),
      listeners: listening?.takeCounts() ?? NO_LISTENER_COUNTS,
    }),
    addresses: transports.addresses,
    drain: () => !isPolled && closed(),
    sendFrame: (frame) => send({ kind: 'frame', frame }),
  });
  const pollsOver = () => {
    isPolled = false;
  };
  return { engine, loop, listening, profileRecorder, pollsOver, trace, follower, shardEvents, claims, journal, traces };
}

/** The traces of the phases, by path. @throws UserError if one is missing, or not the one that the scenario was read with */
function openTraceFiles({ scenario: { phases } }: ShardTask): ReadonlyMap<string, LargeFile> {
  const files = new Map<string, LargeFile>();
  for (const phase of phases) {
    const trace = traceOf(phase);
    if (trace === undefined || files.has(trace.file)) continue;
    const { file: path, sizeBytes } = trace;
    const file = openLargeFile('trace', path);
    files.set(path, file);
    if (file.sizeBytes !== (sizeBytes ?? file.sizeBytes))
      throw new UserError(
        `The trace ${path}: expected the file with ${sizeBytes} bytes that the scenario was read with, found one with ${file.sizeBytes}; copy it to this machine, or start again.`,
      );
  }
  return files;
}

/** Secrets to remove from stored answers: the API key, queries of the target's URLs, which may contain one, and credentials for proxies. */
function secretsOf({ scenario, target }: ShardTask): readonly string[] {
  const ofBases = target.bases.flatMap(({ url, proxy }) => {
    const authorization = proxy && proxyAuthorization(proxy)?.replace('Basic ', '');
    return [new URL(url).search.slice(1), authorization ?? '', proxy?.user?.password ?? ''];
  });
  return [scenario.target.apiKey, ...ofBases];
}

/** On the first call, starts to stop the web servers, which still answer pending requests. Returns whether they have stopped. */
function closing(listening: Listening | undefined): () => boolean {
  let state: 'open' | 'closing' | 'closed' = listening === undefined ? 'closed' : 'open';
  const stop = async () => {
    state = 'closing';
    await listening?.stop();
    state = 'closed';
  };
  return () => {
    if (state === 'open') void stop();
    return state === 'closed';
  };
}

function handleCommand(
  message: Exclude<ToShard, { kind: 'start' | 'query' | 'lease' }>,
  { engine, loop, listening, pollsOver, trace, shardEvents, claims, journal }: BuiltShard,
): void {
  switch (message.kind) {
    case 'stop':
      loop.stop();
      break;
    case 'cancel':
      loop.cancel();
      break;
    case 'stored':
      journal?.stored(message.entries);
      for (const agent of message.agents) shardEvents.credentialStored(agent);
      break;
    case 'passwords':
      claims?.known(message.passwords);
      engine.restore(message.passwords);
      break;
    case 'claimed':
      for (const [n, { agent }] of message.requests.entries()) {
        const claim = message.claims[n];
        if (claim === undefined) continue;
        claims?.answered(agent, claim);
        engine.takeClaim(agent, claim);
      }
      loop.wake();
      break;
    case 'event':
    case 'end_event':
      shardEvents.change(message);
      loop.wake();
      break;
    case 'copied_password':
      shardEvents.passwords.received(message.agent, message.password);
      break;
    case 'files_stored':
      listening?.stored(message);
      break;
    case 'polls_over':
      pollsOver();
      break;
    case 'trace_shown':
      trace?.shown();
      break;
    case 'exchanges_stored': // Only pollers exchange certificates.
      break;
    default:
      message satisfies never;
  }
}

type EngineContext = ShardContext & {
  readonly recorder: Recorder;
  readonly profileRecorder: ProfileRecorder;
  readonly listening: Listening | undefined;
  readonly trace: EnginePorts['trace'];
  readonly shardEvents: ShardEvents;
  readonly transports: ShardTransports;
  readonly hosts: Hosts;
  readonly claims: Claims | undefined;
  readonly journal: PasswordJournal | undefined;
  readonly traces: ReadonlyMap<string, LargeFile>;
};

function buildEngine(
  task: ShardTask,
  { send, listening, shardEvents, transports, hosts, claims, journal, traces, ...measuring }: EngineContext,
): Engine {
  const { fleet, phases, target } = task.scenario;
  const { payloads, reloaded, checkIntervalMs } = hosts;
  // The passwords of one turn are one message and one commit.
  const sendCredential = batchPerTurn<ShardCredential>((credentials) => send({ kind: 'credentials', credentials }));
  const keep = (agent: number, password: string): void => {
    const credential = { agent, uuid: engine.uuid(agent), password };
    journal?.append(credential);
    sendCredential(credential);
  };
  const engine: Engine = createEngine(
    { seed: fleet.seed, agents: fleet.agents, shard: task.shard, phases, timeoutMs: target.timeoutMs },
    {
      ...measuring,
      payloads,
      durations: durationsOf(fleet.seed),
      openTrace: (path) => openTrace(traces.get(path) as LargeFile),
      openTransport: transports.open,
      mayRegister: claims && ((agent, isRefused) => claims.mayRegister(agent, engine.uuid(agent), isRefused)),
      storeCredential: (agent, password) => {
        claims?.registered(agent);
        if (task.durableCredentials) keep(agent, password);
        else shardEvents.credentialStored(agent);
      },
      forgetCredential: (agent) => {
        // The next run of a scenario starts healthy; a kept fleet restarts in its last state.
        if (task.durableCredentials && !Number.isFinite(timelineEndMs(phases))) keep(agent, '');
      },
      reloaded,
      clockFactor: clockFactor(task.scenario.hostClock),
      events: shardEvents.ports(measuring.startedMs),
      attacks: transports.openAttacks(measuring.clock, measuring.recorder.attacks),
      ...(listening && { listening: { ...listening, checkIntervalMs } }),
    },
  );
  engine.restore(task.passwords);
  warmUp(task, hosts);
  return engine;
}

/** The group of each agent of the shard, as an index into those of the fleet; computed once. */
function groupsIn({ scenario, shard }: ShardTask): (agent: number) => number {
  const groups = hostGroups(scenario.fleet);
  const agents = shareOf(shard, scenario.fleet.agents);
  const groupOf = groups.list.length > 256 ? new Uint16Array(agents) : new Uint8Array(agents);
  for (let agent = 0; agent < agents; agent++) groupOf[agent] = groups.of(fleetIndex(shard, agent));
  return (agent) => groupOf[agent] ?? 0;
}
