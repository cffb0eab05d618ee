import { randomUUID } from 'node:crypto';
import { addressText } from '../../base/kernel/address.ts';
import { messageOf } from '../../base/kernel/errors.ts';
import { isPullOperation, PULL_OPERATIONS, type PullOperation } from '../../base/protocol/operations.ts';
import { batchPerTurn, monotonicClock } from '../../base/runtime/event-loop.ts';
import { type ExchangeEntry, openPullState, type PullState } from '../../base/storage/pull-state.ts';
import { readTextFile } from '../../base/storage/text-files.ts';
import { addTotals, emptyTotals, type Totals } from '../../metrics/merging/totals.ts';
import { unpackSeries } from '../../metrics/recording/frame.ts';
import { createRecorder, type Recorder } from '../../metrics/recording/recorder.ts';
import type { PulledOperation } from '../../report/serve-text.ts';
import { makeAuthority, openSigner } from '../../wire/poller/authority.ts';
import { EXCHANGE_FAILURES } from '../../wire/poller/exchange.ts';
import type { PollerChange, PollerCounts, PollerPlan, PulledAgent } from '../../wire/poller/plan.ts';
import { createPoller, runPoller } from '../../wire/poller/poller.ts';
import { createPullClient } from '../../wire/transport/pull-client.ts';
import type { PullOrder } from './pull-file.ts';

/** The pull side of `muster serve`. */
export type Puller = {
  readonly run: (signal: AbortSignal) => Promise<void>;
  readonly counts: () => PollerCounts;
  /** Operations that ended since the last call. */
  readonly takeEnded: () => readonly PulledOperation[];
  readonly totals: () => readonly PulledOperation[];
  /** Releases the state if `run` is never called. */
  readonly close: () => void;
};

/**
 * Opens the state, creates the CA if there is none, and prepares the poller. `report` receives one line per change.
 * @throws UserError if the state or the configuration file is not usable
 */
export async function startPull(order: PullOrder, report: (line: string) => void): Promise<Puller> {
  const plan = await planOf(order);
  const state = order.autoTls && order.state !== undefined ? await openPullState(order.state) : undefined;
  const authority = state && (await authorityOf(state, report));
  const memory = state && createMemory(state, report);
  const startMs = monotonicClock();
  const clock = () => monotonicClock() - startMs;
  const agents = plan.agents.map((agent) => ({ ...agent, exchanged: state?.exchanged.has(nameOf(agent)) ?? false }));
  const recorder = createRecorder();
  const poller = createPoller(
    { ...plan, agents },
    {
      clock,
      client: createPullClient({ credentials: authority, timeoutMs: order.timeout }),
      signer: authority && (await openSigner(authority, Date.now)),
      recorder,
      remember: (number, record) => memory?.remember({ address: nameOf(agents[number]), record }) ?? Promise.resolve(),
      changed: (number, change) => report(`${nameOf(agents[number])}: ${changeText(change)}`),
    },
  );
  return {
    run: async (signal) => {
      await runPoller(poller, clock, signal);
      await memory?.settled();
      state?.close();
    },
    counts: poller.counts,
    ...figuresOf(recorder),
    close: () => state?.close(),
  };
}

function figuresOf(recorder: Recorder): Pick<Puller, 'takeEnded' | 'totals'> {
  type Sums = Map<PullOperation, Totals>;
  const totals: Sums = new Map();
  let ended: Sums = new Map();
  const collect = (): void => {
    for (const series of recorder.takeSeries()) {
      const { operation } = series;
      if (!isPullOperation(operation)) continue;
      const decoded = unpackSeries(series);
      for (const sums of [ended, totals]) {
        const sum = sums.get(operation) ?? emptyTotals();
        addTotals(sum, decoded);
        sums.set(operation, sum);
      }
    }
  };
  const listOf = (sums: Sums): PulledOperation[] =>
    PULL_OPERATIONS.flatMap((operation) => {
      const sum = sums.get(operation);
      return sum === undefined ? [] : [{ operation, totals: sum }];
    });
  return {
    takeEnded: () => {
      collect();
      const taken = ended;
      ended = new Map();
      return listOf(taken);
    },
    totals: () => {
      collect();
      return listOf(totals);
    },
  };
}

async function planOf(order: PullOrder): Promise<PollerPlan> {
  const configuration = order.config === undefined ? undefined : await readTextFile('configuration file', order.config);
  const { basicAuth } = order;
  return {
    agents: order.agents.map((address, index) => ({ address, index, basicAuth, exchanged: false })),
    phases: [{ name: 'serve', startMs: 0, durationMs: Number.POSITIVE_INFINITY }],
    security: securityOf(order),
    everyMs: order.every,
    packagesEveryMs: order.packages,
    concurrency: order.concurrency,
    configuration: configuration === undefined ? undefined : pushed(configuration),
  };
}

// An agent keeps custom checks and exporters in separate files; a push without them empties these files.
function pushed(configuration: string): PollerPlan['configuration'] {
  return { documents: { configuration, customChecks: '', exporters: '' }, fromMs: undefined };
}

function securityOf({ autoTls, https, exchangeAgain }: PullOrder): PollerPlan['security'] {
  if (autoTls) return { kind: 'auto-tls', exchangeAgain };
  return { kind: https ? 'https' : 'http' };
}

async function authorityOf(state: PullState, report: (line: string) => void) {
  if (state.authority !== undefined) return state.authority;
  report('Creating the CA of this server; its RSA key takes a few seconds.');
  const made = await makeAuthority({ systemId: randomUUID(), keyType: 'rsa-4096', nowMs: Date.now() });
  await state.keepAuthority(made);
  return made;
}

type Memory = {
  /** Resolves when the entry is on disk, or when a failed write is reported; a restart can recover from that. */
  readonly remember: (entry: ExchangeEntry) => Promise<void>;
  /** Resolves when all entries so far are handled. */
  readonly settled: () => Promise<void>;
};

/** Batches the writes of exchanges in one turn of the event loop. */
function createMemory(state: PullState, report: (line: string) => void): Memory {
  let last = Promise.resolve();
  const add = batchPerTurn<{ readonly entry: ExchangeEntry; readonly settle: () => void }>((batch) => {
    try {
      state.remember(batch.map(({ entry }) => entry));
    } catch (error) {
      for (const { entry } of batch)
        report(
          `${entry.address}: the certificate exchange was not saved, and a restart will forget it. ${messageOf(error)}`,
        );
    }
    for (const { settle } of batch) settle();
  });
  return {
    remember: (entry) => {
      last = new Promise((settle) => add({ entry, settle }));
      return last;
    },
    settled: () => last,
  };
}

function nameOf(agent: PulledAgent | undefined): string {
  return agent === undefined ? '' : addressText(agent.address);
}

/** Describes a change of an agent; callers put the agent's name before it. */
function changeText(change: PollerChange): string {
  switch (change.kind) {
    case 'exchanged':
      return 'certificates exchanged';
    case 'confirmed':
      return 'certificates confirmed';
    case 'not_exchanged': {
      const { code, text } = EXCHANGE_FAILURES[change.failure];
      return `exchange failed with code ${code}: ${text} (${change.outcome})`;
    }
    case 'lost':
      return 'gets new certificates at the next interval';
    case 'configured':
      return 'configuration pushed';
    case 'not_configured':
      return `configuration rejected (${change.outcome})`;
    case 'data':
      return 'check data';
    case 'no_data':
      return `no check data (${change.outcome})`;
  }
}
