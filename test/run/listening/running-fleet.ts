import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import type { Address } from '../../../src/base/kernel/address.ts';
import type { Action } from '../../../src/load/events/event.ts';
import { timelineEndMs } from '../../../src/load/timeline.ts';
import type { TimelineFrame } from '../../../src/metrics/merging/timeline.ts';
import { NO_LISTENER_COUNTS, sumListeners } from '../../../src/metrics/recording/listener-counts.ts';
import type { ListenerCounts } from '../../../src/metrics/recording/schema.ts';
import type { Summary } from '../../../src/metrics/summary/summary-schema.ts';
import { ALONE, type RunOutcome, startRun } from '../../../src/run/run.ts';
import { addressOfAgent, formatListenRange } from '../../../src/scenario/listen-range.ts';
import type { Scenario } from '../../../src/scenario/scenario.ts';
import { scenarioOf } from '../../scenario/read-scenario.ts';

/** A run of listening agents in this process. */
export type RunningFleet = {
  readonly scenario: Scenario;
  /** In Unix ms. */
  readonly startedAt: () => number;
  readonly at: (agent: number) => Address;
  /** Number of successes of this operation in all complete seconds. */
  readonly succeeded: (operation: string) => number;
  /** The newest complete second of the timeline. */
  readonly latest: () => TimelineFrame | undefined;
  /** Counts of clients in all complete seconds. */
  readonly listeners: () => ListenerCounts;
  /** Starts an event on one agent, without an end; resolves once all shards know it. */
  readonly happens: (action: Action, agent: number) => Promise<void>;
  readonly isOver: (kind: Action['kind']) => Promise<void>;
  /** Completes operations in flight and resolves to the outcome of the run. */
  readonly stop: () => Promise<RunOutcome>;
  readonly outcome: Promise<RunOutcome>;
  /** Ends the run if it is still in progress. */
  readonly close: () => Promise<void>;
};

let ranges = 0;

/** A range of loopback addresses for 62 agents that no other fleet, test process or outgoing connection uses. */
export function freeRange(): string {
  const { pid } = process;
  const port = 3000 + (((pid >> 5) * 8 + (threadId % 8)) % 29_000);
  const block = ranges++;
  const network = ((127 * 256 + 2 + (pid & 31)) * 256 + (block >> 2)) * 256 + (block & 3) * 64;
  return formatListenRange({ kind: 'addresses', network, prefixBits: 26, port });
}

/** Starts a run and resolves when its clock is set. Replaces `LISTEN` in the text with the addresses of the agents. */
export async function startFleet(text: string, { listen = freeRange(), workers = 1 } = {}): Promise<RunningFleet> {
  const scenario = scenarioOf(text.replaceAll('LISTEN', `"${listen}"`));
  const started = Promise.withResolvers<void>();
  let startMs = Number.NaN;
  let latest: TimelineFrame | undefined;
  let listeners = NO_LISTENER_COUNTS;
  const succeeded = new Map<string, number>();
  const run = startRun({ ...ALONE, scenario, workers, resultsFolder: undefined }, (event) => {
    if (event.kind === 'started') {
      startMs = event.startedAt.getTime();
      started.resolve();
    }
    if (event.kind !== 'seconds') return;
    latest = event.seconds.at(-1) ?? latest;
    for (const second of event.seconds) listeners = sumListeners(listeners, second.listeners);
    for (const { operation, outcomes } of event.seconds.flatMap(({ series }) => series))
      succeeded.set(operation, (succeeded.get(operation) ?? 0) + (outcomes.ok ?? 0));
  });
  const ended = run.outcome.then(
    () => {},
    () => {},
  );
  await Promise.race([started.promise, run.outcome]);
  return {
    scenario,
    startedAt: () => startMs,
    at: (agent) => {
      if (scenario.webServer === undefined) throw new Error('nobody listens');
      return addressOfAgent(scenario.webServer.listen, agent);
    },
    succeeded: (operation) => succeeded.get(operation) ?? 0,
    latest: () => latest,
    listeners: () => listeners,
    happens: async (action, agent) => {
      const cohort = { kind: 'agents', first: agent, last: agent } as const;
      const times = { fromMs: 0, toMs: timelineEndMs(scenario.phases), overMs: 0 };
      await run.addEvent({ event: { name: action.kind, cohort, ...times, action }, withAgents: false });
    },
    isOver: async (kind) => void (await run.endEvent(kind)),
    stop: () => {
      run.send('stop');
      return run.outcome;
    },
    close: () => {
      run.send('cancel');
      return ended;
    },
    outcome: run.outcome,
  };
}

export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'muster-listening-'));
}

/** Sums of an operation over all phases. */
export function sums({ phases }: Summary, operation: string) {
  const rows = phases.flatMap(({ operations }) => operations).filter((row) => row.operation === operation);
  const sum = (figure: 'planned' | 'started' | 'dropped' | 'succeeded' | 'failed') =>
    rows.reduce((total, row) => total + row[figure], 0);
  return {
    planned: sum('planned'),
    started: sum('started'),
    dropped: sum('dropped'),
    succeeded: sum('succeeded'),
    failed: sum('failed'),
  };
}
