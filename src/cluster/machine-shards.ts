import { UserError } from '../ground/kernel/errors.ts';
import { formatDuration } from '../ground/kernel/units.ts';
import { monotonicClock } from '../ground/runtime/event-loop.ts';
import type { FleetEvent } from '../load/events/event.ts';
import { shareOf } from '../load/shard.ts';
import { timelineEndMs } from '../load/timeline.ts';
import { busiestMachine, type MachineLoad } from '../metrics/judging/validity.ts';
import type { RaisingMachine } from '../metrics/summary/summary-schema.ts';
import { preparationMs } from '../run/preparation.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { AnswerTo, FoundAgents, ShardQuery } from '../workers/messages.ts';
import type { ShardHandlers, Shards } from '../workers/open-shards.ts';
import { mergeFound } from '../workers/queries.ts';
import { type Bus, type RunStore, type Stored, StoreGone } from './bus.ts';
import { type Membership, offer, release } from './gathering.ts';
import { type FromMachine, machineSubject, type PartRecord, type ToMachines, type Work } from './messages.ts';

/** Machines, as shards of the control plane. */
export type MachineShards = Shards & {
  /** Resolves once all machines are ready to send; rejects with `UserError` if one cannot be. */
  readonly ready: () => Promise<void>;
  /** The machines of the run, with their times. */
  readonly machines: () => readonly RaisingMachine[];
  /** The machine with the busiest other processes; `undefined` if unknown. */
  readonly busiest: () => MachineLoad | undefined;
};

export type RunOfMachines = {
  readonly bus: Bus;
  readonly run: string;
  readonly store: RunStore;
  readonly scenario: Scenario;
  /** Id of this process. */
  readonly coordinator: string;
  readonly members: Membership;
  /** Whether another machine replaces a lost one. */
  readonly replace: boolean;
  /** As in `Work`, for machines that have their part from the start. */
  readonly raisedAt: Date | undefined;
  /** Another process started the run; this one reads the stream again from its beginning. */
  readonly isResumed: boolean;
  /** Reports one sentence to the user. */
  readonly say: (text: string) => void;
  /** Stores the current events of the run. */
  readonly keepEvents: (events: readonly FleetEvent[]) => void;
  /** Stores the start time before the machines learn it. */
  readonly keepStart: (epochMs: number) => Promise<void>;
};

/** Time for a message to reach all machines, possibly over a slow network. */
const NOTICE_MS = 1000;

/** A machine silent for this time is lost. Time without a connection to NATS does not count. */
const SILENCE_MS = 10_000;
const LOOKED_MS = 500;

/** How long to look for a replacement. The run's completed seconds are held back meanwhile. */
const REPLACED_WITHIN_MS = 30_000;

/** Additional time that a replacement machine needs compared with a thread, for the offer and for reading its part. */
const TAKING_OVER_MS = 1500;

const ASKED_MS = 5000;
/** Longer than for other queries, because agents are searched in small batches. */
const FOUND_MS = 60_000;

const NOTHING_SENT = {
  sent: new Uint32Array(),
  acknowledged: new Uint32Array(),
  refused: new Uint32Array(),
  assumed: [],
};

type Part = {
  record: PartRecord;
  /** The last one is the current owner. */
  readonly machines: RaisingMachine[];
  lastSeenMs: number;
  isReady: boolean;
  /** `lost`: messages of the machine no longer count, and another may replace it. */
  state: 'running' | 'lost' | 'over';
  lostMs: number;
  /** The last second that it reported. */
  second: number;
  /** Whether the part is being offered to a replacement. */
  isOffered: boolean;
};

/**
 * Communicates with the machines of a run. Decisions about machines are written to the stream, and take effect when they are read back.
 */
export function createMachineShards(
  around: RunOfMachines,
  records: readonly PartRecord[],
  handlers: ShardHandlers,
): MachineShards {
  const { bus, run, store, scenario, coordinator, members, isResumed } = around;
  const count = records.length;
  const timelineMs = timelineEndMs(scenario.phases);
  const parts = records.map((record, index) => partOf(record, index));
  const allReady = Promise.withResolvers<void>();
  allReady.promise.catch(() => {});
  /** Events that are being ended, and the parts that have not answered yet. */
  const ending = new Map<string, Map<number, (count: number) => void>>();
  const own = new Set<string>();
  const loads: MachineLoad[] = [];
  let isAway = false;
  let present = scenario.events;
  let startMs = Number.POSITIVE_INFINITY;
  let epoch = 0;
  let published = 0;
  let isClosed = false;
  let publishing: Promise<void> = Promise.resolve();
  let stopReading = (): void => {};

  function partOf(record: PartRecord, index: number): Part {
    return {
      ...{ record, machines: [machineOf(record, index, 0)], lastSeenMs: monotonicClock(), isReady: false },
      ...{ state: 'running', lostMs: 0, second: -1, isOffered: false },
    };
  }

  function machineOf(record: PartRecord, index: number, fromMs: number): RaisingMachine {
    const { machine, workers, clockOffsetMs, clockErrorMs } = record;
    return {
      ...{ name: machine.name, part: index + 1, agents: shareOf({ index, count }, scenario.fleet.agents), workers },
      ...{ clockOffsetMs: rounded(clockOffsetMs), clockErrorMs: rounded(clockErrorMs), fromMs },
    };
  }

  /** Stores messages in order, even if the servers are away. */
  function publish(message: ToMachines): void {
    const id = `${coordinator}-${published++}`;
    if (message.kind === 'stop' || message.kind === 'cancel') own.add(message.kind);
    publishing = publishing
      .then(() => store.publish('to', id, message))
      .catch((error: unknown) => {
        if (!isClosed && !(error instanceof StoreGone)) throw error;
      });
  }

  function read({ subject, message: stored }: Stored): void {
    if (subject === 'to') {
      takeOwn(stored as ToMachines);
      return;
    }
    const index = Number(subject.slice('from.'.length));
    const part = parts[index];
    const message = stored as FromMachine;
    if (part === undefined || part.state !== 'running' || message.generation !== part.record.generation) return;
    part.lastSeenMs = monotonicClock();
    receive(index, part, message);
  }

  function receive(index: number, part: Part, message: FromMachine): void {
    const { name } = part.record.machine;
    switch (message.kind) {
      case 'ready':
        part.isReady = true;
        if (parts.every(({ isReady }) => isReady)) allReady.resolve();
        break;
      case 'failed':
        allReady.reject(new UserError(`machine ${name} cannot start its part: ${message.text}`));
        lose(index, part, message.text);
        break;
      case 'frame':
        part.second = Math.max(part.second, message.frame.second);
        handlers.frame(message.frame);
        break;
      case 'event_ended':
        ending.get(message.name)?.get(index)?.(message.count);
        break;
      case 'copied_password':
        publish({ kind: 'copied_password', agent: message.agent, password: message.password });
        break;
      case 'worker_lost':
        handlers.incomplete(`worker ${message.worker} on machine ${name} was lost: ${message.text}`);
        break;
      case 'skipped':
        handlers.incomplete(
          `machine ${name} could not reach NATS, and ${message.seconds} s of its figures are missing`,
        );
        break;
      case 'account':
        loads.push(message.account.machine);
        handlers.accounted(index, { ...message.account, delivery: NOTHING_SENT });
        break;
      case 'finished':
        part.state = 'over';
        handlers.finished(index);
        break;
      default:
        message satisfies never;
    }
  }

  /** Handles messages of this coordinator or its predecessor. */
  function takeOwn(message: ToMachines): void {
    switch (message.kind) {
      case 'lost':
        takeLoss(message);
        break;
      case 'left':
        leave(message.part, 'it stopped responding, and no other machine took over');
        break;
      case 'replaced':
        takeReplacement(message);
        break;
      case 'stop':
      case 'cancel':
        if (!own.has(message.kind)) handlers.incomplete('the coordinator ended the run before it was killed');
        break;
    }
  }

  function lose(index: number, { record, state }: Part, why: string): void {
    if (state === 'running') publish({ kind: 'lost', part: index, generation: record.generation, why });
  }

  function takeLoss({ part: index, generation, why }: Extract<ToMachines, { kind: 'lost' }>): void {
    const part = parts[index];
    if (part === undefined || part.state !== 'running' || part.record.generation !== generation) return;
    Object.assign(part, { state: 'lost', lostMs: monotonicClock() });
    const last = part.machines.pop();
    if (last !== undefined) part.machines.push({ ...last, toMs: (part.second + 1) * 1000 });
    for (const answers of ending.values()) answers.get(index)?.(0);
    if (around.replace) around.say(`machine ${part.record.machine.name} was lost: ${why}`);
    else leave(index, why);
  }

  function leave(index: number, why: string): void {
    const part = parts[index];
    if (part === undefined || part.state === 'over') return;
    part.state = 'over';
    const atMs = (part.second + 1) * 1000;
    handlers.lost(index, new Error(`${why}; its agents stopped at ${formatDuration(atMs)}`));
  }

  function takeReplacement({ part: index, record, elapsedS }: Extract<ToMachines, { kind: 'replaced' }>): void {
    const part = parts[index];
    if (part === undefined || part.state === 'over') return;
    const before = part.record.machine.name;
    const goneMs = (part.second + 1) * 1000;
    Object.assign(part, { record, state: 'running', lastSeenMs: monotonicClock(), isOffered: false });
    part.machines.push(machineOf(record, index, elapsedS * 1000));
    const gap = `machine ${before} was lost at ${formatDuration(goneMs)}, and ${record.machine.name} took over its agents at ${formatDuration(elapsedS * 1000)}: a gap of ${formatDuration(Math.max(0, elapsedS * 1000 - goneMs))}`;
    around.say(gap);
    handlers.incomplete(gap);
    // The new machine may have missed an earlier command.
    for (const command of ['stop', 'cancel'] as const) if (own.has(command)) publish({ kind: command });
  }

  /** Detects lost machines. Silence does not count while NATS is unreachable. */
  function look(): void {
    const connectedMs = bus.connectedMs();
    if ((connectedMs === undefined) !== isAway) {
      isAway = !isAway;
      around.say(
        isAway ? 'NATS is unreachable: the machines continue and send their figures later' : 'NATS is reachable again',
      );
    }
    for (const [index, part] of parts.entries()) {
      if (part.state === 'lost') seekReplacement(index, part);
      else if (part.state === 'running' && connectedMs !== undefined) listenFor(index, part, connectedMs);
    }
  }

  function listenFor(index: number, part: Part, connectedMs: number): void {
    const nowMs = monotonicClock();
    const { machine } = part.record;
    const lastSeenMs = Math.max(part.lastSeenMs, members.lastSeenMs(machine.id) ?? 0, nowMs - connectedMs);
    if (nowMs - lastSeenMs <= SILENCE_MS) return;
    const silence = `it did not respond for ${SILENCE_MS / 1000} s`;
    if (!part.isReady)
      allReady.reject(new UserError(`machine ${machine.name} was lost: ${silence}; start the run again.`));
    lose(index, part, silence);
  }

  function seekReplacement(index: number, part: Part): void {
    if (part.isOffered) return;
    const [machine] = members.waiting();
    if (machine === undefined) {
      if (monotonicClock() - part.lostMs < REPLACED_WITHIN_MS) return;
      part.isOffered = true;
      publish({ kind: 'left', part: index });
      return;
    }
    part.isOffered = true;
    void offerPart(index, part).then((isTaken) => {
      part.isOffered = isTaken;
    });
  }

  async function offerPart(index: number, { record }: Part): Promise<boolean> {
    const [machine] = members.waiting();
    if (machine === undefined) return false;
    const leadMs = TAKING_OVER_MS + preparationMs(shareOf({ index, count }, scenario.fleet.agents));
    const elapsedS = Math.ceil((monotonicClock() - startMs + leadMs) / 1000);
    if (elapsedS * 1000 >= timelineMs) {
      publish({ kind: 'left', part: index });
      return true;
    }
    const work: Work = {
      ...{ run, coordinator, elapsedS, part: { index, count }, generation: record.generation + 1 },
      // The random draws of its agents continue.
      raisedAt: around.raisedAt ?? new Date(epoch),
      ...{ fromSequence: await store.lastSequence(), events: present },
    };
    const taker = await offer(bus, { machine, work }, members.refusals);
    if (taker === undefined) return false;
    const atMs = startMs + taker.monotonicOffsetMs;
    publish({ kind: 'replaced', part: index, record: taker, elapsedS, atMs, epochMs: epoch });
    return true;
  }

  const begin = (): void => {
    stopReading = store.read('>', read);
  };
  const looking = setInterval(look, LOOKED_MS);
  if (!isResumed) begin();

  async function ask<Query extends ShardQuery>(index: number, query: Query): Promise<AnswerTo<Query>> {
    const part = parts[index];
    if (part === undefined) throw new RangeError(`there is no machine ${index}`);
    const { name } = part.record.machine;
    if (part.state === 'lost')
      throw new UserError(
        `Machine ${name} was lost with its agents: try again when another machine has taken them over.`,
      );
    if (part.state === 'over') throw new UserError(`Machine ${name} has finished, so its agents are not available.`);
    const limitMs = query.kind === 'find_event' ? FOUND_MS : ASKED_MS;
    const reply = await bus.request(machineSubject(part.record.machine.id), { kind: 'query', run, query }, limitMs);
    if (reply.kind !== 'answer') throw new UserError(`Machine ${name} does not answer: try again in a moment.`);
    return reply.answer as AnswerTo<Query>;
  }

  return {
    ...{ count, noticeMs: NOTICE_MS, ask, moving: undefined },
    ready: () => (isResumed ? Promise.resolve() : allReady.promise),
    machines: () => parts.flatMap(({ machines }) => machines),
    busiest: () => busiestMachine(loads),
    nameOf: (index) => `machine ${parts[index]?.record.machine.name}`,
    start: (atMs, epochMs) => {
      startMs = atMs;
      epoch = epochMs;
      for (const part of parts) part.lastSeenMs = monotonicClock();
      if (isResumed) begin();
      else {
        publishing = publishing.then(() => around.keepStart(epochMs));
        publish({ kind: 'start', epochMs, atMs: parts.map(({ record }) => atMs + record.monotonicOffsetMs) });
      }
    },
    findEvent: async (event, withAgents) => {
      const query = { kind: 'find_event', event, withAgents } as const;
      return mergeFound(await Promise.all(parts.map((_, index) => ask(index, query).catch(() => NOBODY))), withAgents);
    },
    addEvent: (event, otherServers) => {
      present = [...present, event];
      around.keepEvents(present);
      publish({ kind: 'event', event, otherServers });
    },
    endEvent: async (name, atMs) => {
      present = present.map((event) => (event.name === name ? { ...event, untilMs: atMs } : event));
      around.keepEvents(present);
      const answers = new Map<number, (count: number) => void>();
      ending.set(name, answers);
      const counts = parts.map(
        ({ state }, index) =>
          new Promise<number>((answer) => {
            if (state === 'running') answers.set(index, answer);
            else answer(0);
          }),
      );
      publish({ kind: 'end_event', name, atMs });
      const sum = (await Promise.all(counts)).reduce((all, one) => all + one, 0);
      ending.delete(name);
      return sum;
    },
    sendPassword: (password) => publish({ kind: 'copied_password', ...password }),
    stop: () => publish({ kind: 'stop' }),
    cancel: () => publish({ kind: 'cancel' }),
    close: async () => {
      clearInterval(looking);
      const left = parts.filter(({ state }) => state === 'running');
      await release(
        bus,
        run,
        left.map(({ record }) => record),
      );
      isClosed = true;
      stopReading();
    },
  };
}

const NOBODY: FoundAgents = { count: 0, agents: undefined };

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
