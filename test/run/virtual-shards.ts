import type { Timer } from '../../src/base/kernel/clock.ts';
import { shardOf } from '../../src/load/shard.ts';
import type { DeliveryCounts } from '../../src/metrics/delivery/reconcile.ts';
import { NO_LISTENER_COUNTS } from '../../src/metrics/recording/listener-counts.ts';
import type { Outcome } from '../../src/metrics/recording/outcomes.ts';
import { createRecorder } from '../../src/metrics/recording/recorder.ts';
import { type Control, type ControlEnd, type ControlPorts, createControl } from '../../src/run/control.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import type { Joining, Relocation, ShardHandlers, Shards } from '../../src/workers/shards.ts';
import { scenarioOf } from '../scenario/read-scenario.ts';

/** Time that advances only on request. */
export type VirtualTime = { readonly now: () => number; readonly timer: Timer; pass(ms: number): Promise<void> };

function virtualTime(): VirtualTime {
  let nowMs = 0;
  let timers: { readonly dueMs: number; readonly act: () => void }[] = [];
  return {
    now: () => nowMs,
    timer: (delayMs, act) => {
      const entry = { dueMs: nowMs + delayMs, act };
      timers.push(entry);
      return () => {
        timers = timers.filter((other) => other !== entry);
      };
    },
    pass: async (ms) => {
      nowMs += ms;
      const due = timers.filter(({ dueMs }) => dueMs <= nowMs);
      timers = timers.filter(({ dueMs }) => dueMs > nowMs);
      for (const { act } of due) act();
      // Lets pending promises and callbacks of the current turn run.
      for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
    },
  };
}

export type VirtualRun = {
  readonly control: Control;
  readonly time: VirtualTime;
  /** What the control told the shards, in order. */
  readonly told: readonly string[];
  /** For each request to leave, the number of agents with operations in flight. */
  readonly still: number[];
  /** One agent joins. */
  readonly joining: Relocation['joining'];
  readonly events: ShardHandlers;
  /** Why shards have not reported, by number. */
  readonly unreported: Map<number, string>;
  readonly end: Promise<ControlEnd>;
  /** Makes a shard report a second with one registration of this outcome, and this many operations in flight. */
  frame(shard: number, second: number, outcome?: Outcome, inFlight?: number): void;
};

const AGENTS = { unregistered: 0, waiting: 0, refused: 0, registered: 1, authorized: 0 };
export const NO_COUNTS: DeliveryCounts = {
  sent: new Uint32Array(4),
  acknowledged: new Uint32Array(4),
  refused: new Uint32Array(4),
  assumed: [],
};

const SCENARIO = withTarget('target: { timeout: 5s }');

export function withTarget(target: string): Scenario {
  return scenarioOf(
    `${target}\nfleet: { agents: 2 }\nphases: [{ name: all, duration: 10s, register: { over: 1s } }]\n`,
  );
}

/** A run of two scripted shards; `early` sends commands before they are ready. */
export async function startVirtually(
  part: Partial<ControlPorts> = {},
  early: (control: Control) => void = () => {},
  scenario = SCENARIO,
  onClose = () => {},
): Promise<VirtualRun> {
  const control = createControl(scenario);
  early(control);
  const time = virtualTime();
  const told: string[] = [];
  const still: number[] = [];
  const ends = new Map<string, number>();
  const unreported = new Map<number, string>();
  let count = 2;
  let events: ShardHandlers | undefined;
  const joining = (sinceMs: number): Joining => ({
    shard: shardOf([1]),
    workers: 1,
    open: async () => {
      told.push(`1 more since ${sinceMs}`);
      count++;
    },
  });
  const end = control.run({
    openShards: async (heard): Promise<Shards> => {
      events = heard;
      return {
        get count() {
          return count;
        },
        noticeMs: 100,
        nameOf: (shard) => `worker ${shard}`,
        unreported: (shard) => unreported.get(shard),
        start: (atMs, epochMs) => told.push(`start at ${atMs} (${epochMs})`),
        leave: async (agents, how) => {
          told.push(`${agents.join()} leave ${how}`);
          return still.shift() ?? 0;
        },
        askAll: async (query, missing) => {
          // As a machine that learns of the end of an event before it is asked.
          await undefined;
          if (query.kind === 'affected_by' && query.atMs >= (ends.get(query.name) ?? Number.POSITIVE_INFINITY))
            return [missing];
          const found = 'withAgents' in query ? { count: 2, agents: query.withAgents ? [0, 1] : undefined } : 1;
          return [found as typeof missing];
        },
        send: (message) => {
          if (message.kind === 'end_event') {
            ends.set(message.name, message.atMs);
            told.push(`end of ${message.name} at ${message.atMs}`);
          } else if (message.kind !== 'event') told.push(message.kind);
          else told.push(`event ${message.event.name} from ${message.event.fromMs} to ${message.event.toMs}`);
        },
        ask: () => Promise.reject(new Error('nobody asks for anything here')),
        close: async () => {
          told.push('close');
          onClose();
        },
      };
    },
    clock: time.now,
    unixClock: () => 1_000_000 + time.now(),
    timer: time.timer,
    startAt: undefined,
    mayStartLate: false,
    giveUpMs: undefined,
    saveCredentials: () => {},
    storeFiles: async () => undefined,
    traced: async () => {},
    saveExchanges: () => {},
    onStart: () => {},
    onSeconds: () => {},
    onEvents: () => {},
    onEdit: () => {},
    ...part,
  });
  end.catch(() => {});
  await time.pass(0);
  if (events === undefined) throw new Error('the shards were not opened');
  const heard = events;
  const lists = { told, still, unreported };
  return { control, time, ...lists, joining, events: heard, end, frame: (...frame) => report(heard, ...frame) };
}

function report(events: ShardHandlers, shard: number, second: number, outcome: Outcome = 'ok', inFlight = 0): void {
  const recorder = createRecorder();
  const series = recorder.series('all', 'register');
  series.planned();
  series.started(0);
  series.finished(outcome, { responseMs: 1, serviceMs: 1, sentBytes: 1, receivedBytes: 1 });
  events.frame(
    recorder.takeFrame({
      shard,
      second,
      agents: AGENTS,
      inFlight,
      listening: 0,
      down: 0,
      listeners: NO_LISTENER_COUNTS,
      loopUtilization: 0,
      cpuMs: 0,
      gcMs: 0,
      stalls: [],
    }),
  );
}
