import type { Attacker } from '../../src/base/protocol/attacks.ts';
import {
  type AgentClient,
  type Ending,
  type ExchangeEvidence,
  NO_EVIDENCE,
  type Transport,
  type TransportSink,
} from '../../src/base/protocol/exchange.ts';
import type { Endpoint } from '../../src/base/protocol/push.ts';
import { createEngine, type Engine } from '../../src/engine/engine.ts';
import type { EventPorts } from '../../src/engine/engine-state.ts';
import type { NextOutage, Outage } from '../../src/hosts/host/boots.ts';
import type { FleetPayloads, PayloadWriter } from '../../src/hosts/payloads.ts';
import type { Segments } from '../../src/load/cohorts/segments.ts';
import { type Durations, durationsOf } from '../../src/load/durations.ts';
import type { FleetEvent } from '../../src/load/events/event.ts';
import type { Shard } from '../../src/load/shard.ts';
import { type Load, type Phase, timelineEndMs } from '../../src/load/timeline.ts';
import type { OpenTrace } from '../../src/load/traces/reader.ts';
import { phaseAt } from '../../src/metrics/merging/phases.ts';
import type { Frame, SeriesFrame } from '../../src/metrics/recording/frame.ts';
import { NO_LISTENER_COUNTS } from '../../src/metrics/recording/listener-counts.ts';
import { createProfileRecorder, createRecorder, type Recorder } from '../../src/metrics/recording/recorder.ts';
import type { Evidence } from '../../src/metrics/recording/schema.ts';
import type { Trace } from '../../src/metrics/recording/trace.ts';

/** Unix time of a virtual run's start, in milliseconds. */
export const RUN_EPOCH_MS = 1_700_000_000_000;

/** A request as the virtual server receives it. */
export type SeenRequest = {
  readonly atMs: number;
  /** Index in the fleet. */
  readonly agent: number;
  readonly endpoint: Endpoint;
  readonly body: Record<string, unknown>;
  /** The body as sent. */
  readonly text: string;
};

/** How the virtual server answers a request; `undefined` if it never answers. */
export type Serve = (request: SeenRequest) => { afterMs: number; ending: Ending } | undefined;

export type VirtualRun = {
  readonly requests: readonly SeenRequest[];
  /** Connections that agents closed without a request in flight. */
  readonly disconnected: readonly { readonly atMs: number; readonly agent: number }[];
  /** Cables that were unplugged, and plugged in again. */
  readonly unplugged: readonly { readonly atMs: number; readonly agent: number; readonly kind: 'out' | 'in' }[];
  /** Agents that were given their own API keys, each with the release of its client. */
  readonly apiKeys: readonly {
    readonly agent: number;
    readonly apiKey: string;
    readonly version: string | undefined;
  }[];
  /** Highest number of concurrent requests of one agent. */
  readonly mostPerAgent: number;
  /** Attacks of misbehaving agents, which never end on their own, and the times at which agents left theirs, by index in the fleet. */
  readonly attacks: readonly {
    readonly atMs: number;
    readonly agent: number;
    readonly how: string;
    readonly attacker: Attacker;
  }[];
  readonly left: readonly { readonly atMs: number; readonly agent: number }[];
  /** Outages of hosts of agents that listen. */
  readonly hosts: readonly { readonly atMs: number; readonly agent: number; readonly change: 'down' | 'up' }[];
  /** Agents that became other clients of the push API. */
  readonly clients: readonly {
    readonly atMs: number;
    readonly agent: number;
    readonly client: AgentClient | undefined;
  }[];
  /** Highest number of concurrent requests. */
  readonly mostAtOnce: number;
  readonly series: readonly SeriesFrame[];
  readonly evidence: readonly Evidence[];
  readonly engine: Engine;
  readonly endedMs: number;
};

export const answer = (status: number, body: unknown): Ending => ({
  kind: 'answer',
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

/** A server that admits every agent after `afterMs`. */
export function friendly(afterMs = 1): Serve {
  return ({ endpoint, body }) => {
    if (endpoint !== 'register_agent') return { afterMs, ending: answer(200, { received_checks: 3 }) };
    const known = body.password !== '';
    return { afterMs, ending: answer(known ? 200 : 201, { agentuuid: body.agentuuid, password: 'issued' }) };
  };
}

export function phase(loads: readonly Load[], durationMs: number, name = 'main', startMs = 0): Phase {
  return { name, startMs, durationMs, excluded: false, loads };
}

/** Documents that contain the request for them, with times in milliseconds since the run's start. */
const payloads: PayloadWriter = {
  checkdataRoomBytes: () => 128,
  packagesRoomBytes: () => 64,
  writeCheckdata: (out, offset, agent, instantMs, collectionMs) => {
    const collected = collectionMs === undefined ? 'own' : collectionMs - RUN_EPOCH_MS;
    const collection = Number.isFinite(collected) || collected === 'own' ? collected : 'none';
    return offset + out.write(JSON.stringify({ agent, at: instantMs - RUN_EPOCH_MS, collection }), offset);
  },
  writePackages: (out, offset, _agent, collectionMs) =>
    offset + out.write(JSON.stringify({ at: collectionMs - RUN_EPOCH_MS }), offset),
  writeServedPackages: (out, offset, _agent, _instantMs, collectionMs) =>
    offset + out.write(JSON.stringify({ at: (collectionMs ?? Number.NaN) - RUN_EPOCH_MS }), offset),
  buffer: (sizeBytes) => Buffer.alloc(sizeBytes),
  nextOutage: () => undefined,
  checkRunMs: () => 4000,
};

/** Check runs of the minimum duration, whose results are due on the grid. */
export const ON_THE_GRID: Durations = { ...durationsOf(1), lateMs: () => 0 };

export type VirtualSettings = {
  readonly agents: number;
  readonly phases: readonly Phase[];
  readonly serve: Serve;
  readonly segments?: Segments;
  readonly shard?: Shard;
  readonly timeoutMs?: number;
  /** Time in milliseconds until a password is durable. */
  readonly storeMs?: number;
  /** Do not keep requests, because there are too many. */
  readonly forgets?: boolean;
  /** Unix time of the run's start, for real machines. Default: `RUN_EPOCH_MS`. */
  readonly epochMs?: number;
  /** Negative if the fleet has started again. */
  readonly firstStartMs?: number;
  /** Factor by which the hosts' clocks are faster. */
  readonly clockFactor?: number;
  readonly prepare?: (engine: Engine) => void;
  /** Time at which the engine is created and prepared. Default: the run's start. */
  readonly requestedMs?: number;
  /** Actions on the engine, and their times. */
  readonly meanwhile?: readonly { readonly atMs: number; readonly act: (engine: Engine) => void }[];
  /** The agents have web servers, and this interval in their configuration. */
  readonly listening?: { readonly checkIntervalMs: number };
  readonly trace?: Trace;
  /** The trace of all loads that have one. Call `takes` with the time that a read takes. */
  readonly openTrace?: (takes: (ms: number) => void) => OpenTrace;
  /** Documents of real machines, instead of those that contain the request for them. */
  readonly machines?: Pick<FleetPayloads, 'payloads' | 'reloaded'> & Partial<Pick<EventPorts, 'hasService'>>;
  /** Default: check runs end on the grid. */
  readonly durations?: Durations;
  readonly events?: readonly FleetEvent[];
  /** Passwords known to the run, by index in the fleet. */
  readonly passwordOf?: (index: number) => string;
  /** Called with each second; the series of the run then contain only what came after the last one. */
  readonly onFrame?: (frame: Frame) => void;
  /** Whether another machine may run the agents at this time. */
  readonly isFencedAt?: (atMs: number) => boolean;
  readonly mayRegister?: (agent: number, isRefused: boolean) => boolean;
  /** By index in the fleet, in milliseconds from the start of the run. */
  readonly outages?: Readonly<Record<number, Outage | readonly Outage[]>>;
};

/** Returns outages as a machine does. */
function nextOutageOf(outages: VirtualSettings['outages']): NextOutage {
  return (agent, fromMs, untilMs) => {
    const inUnixTime = [outages?.[agent] ?? []].flat().map(({ downMs, agentStartMs }) => ({
      downMs: downMs + RUN_EPOCH_MS,
      agentStartMs: agentStartMs + RUN_EPOCH_MS,
    }));
    return inUnixTime.find(({ downMs, agentStartMs }) => agentStartMs > fromMs && downMs < untilMs);
  };
}

type Happening = { readonly atMs: number; readonly act: () => void };

/** Keeps them in the order of their times, and those of one time in the order of their insertion. */
function insert(happenings: Happening[], happening: Happening): void {
  let [from, to] = [0, happenings.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((happenings[middle]?.atMs ?? 0) <= happening.atMs) from = middle + 1;
    else to = middle;
  }
  happenings.splice(from, 0, happening);
}

/** Runs an engine against a virtual server in virtual time, until the end of its timeline and of all answers. */
export function runVirtually(settings: VirtualSettings): VirtualRun {
  const { clockFactor = 1 } = settings;
  let nowMs = settings.requestedMs ?? 0;
  const happenings: Happening[] = [];
  const later = (afterMs: number, act: () => void): void => insert(happenings, { atMs: nowMs + afterMs, act });
  const recorder = createRecorder(
    {
      clock: () => nowMs,
      phaseAt: (atMs) => phaseAt(settings.phases, atMs)?.name,
      lateMs: Number.POSITIVE_INFINITY,
    },
    [],
    settings.segments,
  );
  const clients: VirtualRun['clients'][number][] = [];
  const versionOf = (agent: number) => clients.findLast((one) => one.agent === agent)?.client?.version;
  const wire = virtualWire(settings, { now: () => nowMs, later, versionOf });
  const shard = settings.shard ?? { index: 0, count: 1 };
  const attacks: VirtualRun['attacks'][number][] = [];
  const left: VirtualRun['left'][number][] = [];
  const indexOf = (agent: number): number => shard.index + agent * shard.count;
  const { hosts, ports } = machinesAndHosts(settings, () => nowMs);
  const engine = createEngine(
    { seed: 1, agents: settings.agents, shard, phases: settings.phases, timeoutMs: settings.timeoutMs ?? 10_000 },
    {
      clock: () => nowMs,
      // The epoch is unknown before the run starts.
      clockFactor,
      epochMs: () => (settings.epochMs ?? RUN_EPOCH_MS) * Number(nowMs >= 0),
      openTransport: wire.open,
      isFenced: () => settings.isFencedAt?.(nowMs) ?? false,
      mayRegister: settings.mayRegister,
      ...ports,
      durations: settings.durations ?? ON_THE_GRID,
      trace: settings.trace,
      openTrace: () => {
        if (settings.openTrace === undefined) throw new Error('no trace');
        return settings.openTrace((ms) => {
          nowMs += ms;
        });
      },
      recorder,
      attacks: {
        attack: (how, attacker) => attacks.push({ atMs: nowMs, agent: indexOf(attacker.agent), how, attacker }),
        leave: (agent) => left.push({ atMs: nowMs, agent: indexOf(agent) }),
        close: () => {},
      },
      events: eventPortsOf(settings, (agent, client) => clients.push({ atMs: nowMs, agent, client })),
      profileRecorder: createProfileRecorder([{ profile: 'ubuntu-24.04' }], () => 0),
      forgetCredential: () => {},
      storeCredential: (agent) => later(settings.storeMs ?? 0, () => engine.credentialStored(agent)),
    },
  );
  settings.prepare?.(engine);
  nowMs = 0;
  const endMs = timelineEndMs(settings.phases);
  for (const { atMs, act } of happeningsOf(settings, recorder)) later(atMs, () => act(engine));
  for (;;) {
    const busy = engine.busyAgents();
    const wishMs = engine.advance();
    recorder.lateness.settle(nowMs, busy, wishMs > nowMs);
    if (nowMs >= endMs && wishMs > endMs && hasStopped(engine)) break;
    const nextHappeningMs = (): number => happenings[0]?.atMs ?? Number.POSITIVE_INFINITY;
    const nextMs = Math.min(wishMs, nextHappeningMs(), nowMs < endMs ? endMs : Number.POSITIVE_INFINITY);
    nowMs = Math.max(nowMs, nextMs);
    while (nextHappeningMs() <= nowMs) happenings.shift()?.act();
  }
  const frame = takeFrame(settings, { recorder, engine, second: Math.floor(nowMs / 1000) });
  return {
    ...wire.seen(),
    attacks,
    left,
    hosts,
    clients,
    series: frame.series,
    evidence: frame.evidence ?? [],
    engine,
    endedMs: nowMs,
  };
}

/** What happens meanwhile, and the ends of seconds. */
function happeningsOf(settings: VirtualSettings, recorder: Recorder): NonNullable<VirtualSettings['meanwhile']> {
  const seconds = settings.onFrame === undefined ? 0 : Math.floor(timelineEndMs(settings.phases) / 1000);
  const frames = Array.from({ length: seconds }, (_, second) => ({
    atMs: (second + 1) * 1000,
    act: (engine: Engine) => void takeFrame(settings, { recorder, engine, second }),
  }));
  return [...(settings.meanwhile ?? []), ...frames];
}

type Second = { readonly recorder: Recorder; readonly engine: Engine; readonly second: number };

function takeFrame({ onFrame }: VirtualSettings, { recorder, engine, second }: Second): Frame {
  const frame = recorder.takeFrame({
    shard: 0,
    second,
    agents: engine.agentStates(),
    inFlight: engine.busyAgents(),
    pace: engine.takePace(),
    listening: 0,
    down: 0,
    listeners: NO_LISTENER_COUNTS,
    loopUtilization: 0,
    cpuMs: 0,
    gcMs: 0,
    stalls: [],
  });
  onFrame?.(frame);
  return frame;
}

/** Ports of an engine without events, whose agents run nowhere else. */
export function quietPorts(documents: PayloadWriter) {
  return {
    isFenced: () => false,
    forgetCredential: () => {},
    reloaded: () => documents,
    attacks: { attack: () => {}, leave: () => {}, close: () => {} },
    events: eventPortsOf({}, () => {}),
  };
}

export function eventPortsOf(
  {
    events = [],
    passwordOf = () => '',
    shard = { index: 0, count: 1 },
    machines,
    firstStartMs = 0,
  }: Partial<VirtualSettings>,
  become: EventPorts['become'],
): EventPorts {
  const facts = {
    profile: () => 'ubuntu-24.04',
    role: () => '',
    group: () => '',
    host: (agent: number) => `web-${agent}`,
    uuid: () => '',
  };
  return {
    events,
    passwordOf,
    facts: { seed: 1, ...facts },
    drawnFrom: () => 0,
    firstStartMs: () => firstStartMs,
    hasService: machines?.hasService ?? (() => true),
    passwordIssuedTo: () => '',
    become: (agent, client) => become(shard.index + agent * shard.count, client),
  };
}

/** Stops new arrivals, and returns whether all pending operations have ended. */
function hasStopped(engine: Engine): boolean {
  engine.stop();
  return engine.busyAgents() === 0;
}

/** The documents of a run, and the outages of its hosts. */
function machinesAndHosts({ machines, listening, outages }: VirtualSettings, now: () => number) {
  const hosts: VirtualRun['hosts'][number][] = [];
  const own = { ...payloads, nextOutage: nextOutageOf(outages) };
  const { payloads: documents, reloaded } = machines ?? { payloads: own, reloaded: () => own };
  if (listening === undefined) return { hosts, ports: { payloads: documents, reloaded } };
  const hostDown = (agent: number) => hosts.push({ atMs: now(), agent, change: 'down' });
  const hostUp = (agent: number) => hosts.push({ atMs: now(), agent, change: 'up' });
  return { hosts, ports: { payloads: documents, reloaded, listening: { ...listening, hostDown, hostUp } } };
}

function evidenceOf(ending: Ending): ExchangeEvidence {
  if (ending.kind === 'failure') return { ...NO_EVIDENCE, reason: `the wire says ${ending.failure}` };
  return { reason: '', head: `HTTP/1.1 ${ending.status} X`, body: ending.body ?? '' };
}

type Surroundings = {
  now: () => number;
  later: (afterMs: number, act: () => void) => void;
  /** The release that an agent's client has now; `undefined`: the fleet's. */
  versionOf: (agent: number) => string | undefined;
};

function virtualWire(settings: VirtualSettings, { now, later, versionOf }: Surroundings) {
  const shard = settings.shard ?? { index: 0, count: 1 };
  const requests: SeenRequest[] = [];
  const disconnected: { readonly atMs: number; readonly agent: number }[] = [];
  const unplugged: VirtualRun['unplugged'][number][] = [];
  const apiKeys: VirtualRun['apiKeys'][number][] = [];
  const open = new Map<number, number>();
  const sentBytes = new Map<number, number>();
  let scratch = Buffer.of();
  let seen = NO_EVIDENCE;
  let exchanges = 0;
  let mostAtOnce = 0;
  let mostPerAgent = 0;
  const openTransport = (sink: TransportSink): Transport => ({
    send: (agent, endpoint) => {
      if (open.has(agent)) mostPerAgent = 2;
      const exchange = ++exchanges;
      open.set(agent, exchange);
      mostPerAgent = Math.max(mostPerAgent, 1);
      mostAtOnce = Math.max(mostAtOnce, open.size);
      sink.started(agent);
      const { roomBytes, write } = sink.openBody(agent);
      if (roomBytes > scratch.length) scratch = Buffer.alloc(2 * roomBytes);
      const end = write(scratch, 0);
      sentBytes.set(agent, end);
      sink.wire?.request(agent, scratch.subarray(0, end));
      const text = scratch.toString('utf8', 0, end);
      let body: Record<string, unknown> | undefined;
      const request = {
        atMs: now(),
        agent: shard.index + agent * shard.count,
        endpoint,
        text,
        get body() {
          body ??= JSON.parse(text) as Record<string, unknown>;
          return body;
        },
      };
      if (settings.forgets !== true) requests.push(request);
      const reply = settings.serve(request);
      if (reply === undefined) return;
      later(reply.afterMs, () => {
        if (open.get(agent) !== exchange) return;
        open.delete(agent);
        seen = evidenceOf(reply.ending);
        sink.ended(agent, reply.ending, { sentBytes: end, receivedBytes: 10 });
      });
    },
    abort: (agent) => {
      open.delete(agent);
      seen = { ...NO_EVIDENCE, reason: 'never answered' };
      return { sentBytes: sentBytes.get(agent) ?? 0, receivedBytes: 0 };
    },
    lastEvidence: () => seen,
    reconfigure: (agent, { apiKey }) => apiKeys.push({ agent, apiKey, version: versionOf(agent) }),
    unplug: (agent) => {
      unplugged.push({ atMs: now(), agent: shard.index + agent * shard.count, kind: 'out' });
      return true;
    },
    plug: (agent) => unplugged.push({ atMs: now(), agent: shard.index + agent * shard.count, kind: 'in' }),
    disconnect: (agent) => disconnected.push({ atMs: now(), agent: shard.index + agent * shard.count }),
    close: () => Promise.resolve(),
  });
  return {
    open: openTransport,
    seen: () => ({ requests, disconnected, unplugged, apiKeys, mostAtOnce, mostPerAgent }),
  };
}

export function total(record: Readonly<Partial<Record<string, number>>>): number {
  return Object.values(record).reduce<number>((sum, count) => sum + (count ?? 0), 0);
}
