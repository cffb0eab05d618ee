import type { FleetEvent } from '../events/event.ts';
import { UserError } from '../kernel/errors.ts';
import { type Shard, WHOLE_FLEET } from '../load/shard.ts';
import type { Recording } from '../metrics/merging/run-totals.ts';
import type { TimelineFrame } from '../metrics/merging/timeline.ts';
import type { TracedMessage, TraceScope } from '../metrics/recording/trace.ts';
import type { Summary } from '../metrics/summary/summary-schema.ts';
import { openResults, type Results } from '../results/write.ts';
import { monotonicClock, realTimer } from '../runtime/event-loop.ts';
import { withCountedEvents } from '../scenario/event-times.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { createMachineMeter, type MachineMeter } from '../system/machine-load.ts';
import { takesConnections } from '../transport/reachability.ts';
import { systemResolver } from '../transport/target-addresses.ts';
import type { BaseTarget } from '../workers/messages.ts';
import { changeRun, type RunChange } from './changing-run.ts';
import { deliveryOf, environmentOf, runEndOf } from './conclusion.ts';
import { type Control, createControl, type RunEnding } from './control.ts';
import { createLiveAgents, type LiveAgents } from './live-agents.ts';
import { assertEventsAllowed, otherServers } from './other-servers.ts';
import { type Raising, type RunUp, raiseHere, workersFor } from './raising.ts';
import type { AddedEvent, Addition } from './run-events.ts';

/** What is to be run. */
export type RunOrder = {
  readonly scenario: Scenario;
  /** The part of the fleet that is raised here. A target that all shards reach is not the embedded server. */
  readonly shard: Shard;
  /** Undefined: as soon as all is ready. */
  readonly startAt: Date | undefined;
  /**
   * Of a fleet that is raised again: its first start. It begins at `startAt`, also if it is ready only later: its times are reckoned
   * from there. Undefined: it is raised for the first time.
   */
  readonly raisedAt: Date | undefined;
  /** Worker threads; undefined: as many as fit the machine. Never more than agents, or than connections they share. */
  readonly workers: number | undefined;
  /** Absolute; the scenario has a folder of its own below it. Undefined: no results are kept. */
  readonly resultsFolder: string | undefined;
  /** Whose requests and answers are told as they go; undefined: nobody's. */
  readonly debug: TraceScope | undefined;
  /** Those that raise the whole fleet together; undefined: this one alone. */
  readonly machines: MachinesOfRun | undefined;
};

type OrderOfMachines = Pick<RunOrder, 'scenario' | 'startAt' | 'raisedAt'>;

/** Machines of a cluster that raise a fleet together. */
export type MachinesOfRun = {
  readonly count: number;
  /** Stops waiting for machines. */
  readonly callOff: () => void;
  /** Throws like the start of a run. */
  readonly raise: (order: OrderOfMachines, onEvent: (event: RunEvent) => void) => Promise<Raising>;
};

/** A run of the whole fleet that starts as soon as it is ready, without a trace. */
export const ALONE = {
  shard: WHOLE_FLEET,
  startAt: undefined,
  raisedAt: undefined,
  debug: undefined,
  machines: undefined,
} as const;

/** Events of a run. */
export type RunEvent =
  | { readonly kind: 'started'; readonly startedAt: Date; readonly resultsPath: string | undefined }
  /** Keys of the agents are being made before the start. */
  | { readonly kind: 'keys'; readonly made: number; readonly of: number }
  /** `shown` is called once the text is on screen: lines from before are dropped, apart from a few. */
  | { readonly kind: 'traced'; readonly message: TracedMessage; readonly shown: () => void }
  /** One sentence on what is done before the start. */
  | { readonly kind: 'note'; readonly text: string }
  /** One sentence on what may go wrong, before the start. */
  | { readonly kind: 'warning'; readonly text: string }
  /** Seconds of the timeline that are complete, each once and in order. */
  | { readonly kind: 'seconds'; readonly seconds: readonly TimelineFrame[] }
  /** All that happens in the run, each time that something was added to it or ended. */
  | { readonly kind: 'events'; readonly events: readonly FleetEvent[] };

export type RunOutcome = {
  readonly summary: Summary;
  readonly recording: Recording;
  readonly resultsPath: string | undefined;
  /** What the disk did not take of the results and of the agents' passwords, and why; undefined: nothing is missing. */
  readonly resultsProblem: string | undefined;
};

/** What can be asked of a run from the moment it is started. */
export type Run = {
  send(command: RunEnding): void;
  /**
   * Something else is to happen in the run, to hosts or to agents. Rejects with `UserError` if it cannot be, and with
   * `TargetNotAllowedError` for an event that would have agents load another host that is not allowed.
   */
  addEvent(addition: Addition): Promise<AddedEvent>;
  /** What happens under this name is over before its time. Rejects with `UserError` if there is nothing of it to end. */
  endEvent: Control['endEvent'];
  /**
   * Agents leave, others come, and other events happen; all other agents go on undisturbed. Nothing may be added, ended or changed
   * meanwhile. Rejects with `UserError` or `TargetNotAllowedError` if it cannot be, before anything is done; if it fails after that, so
   * does the run.
   */
  change(change: RunChange): Promise<void>;
  readonly agents: LiveAgents;
  /** Rejects with `UserError` or `TargetNotAllowedError` if the run could not start. */
  readonly outcome: Promise<RunOutcome>;
};

// How long a target may take to accept its first connection.
const FIRST_CONNECTION_MS = 4000;

/** Starts the run of one scenario, for a command line or for anything else that follows and commands it. */
export function startRun(order: RunOrder, onEvent: (event: RunEvent) => void): Run {
  const scenario = withCountedEvents(order.scenario);
  const { shard } = order;
  // Thresholds of a part of the fleet say nothing of the whole, and end nothing.
  const control = createControl(shard.count === 1 ? scenario : { ...scenario, thresholds: [] });
  const { agents } = scenario.fleet;
  const workers = order.machines?.count ?? workersFor(order);
  const live = createLiveAgents({ shard, agents, workers }, control.ask);
  const up = Promise.withResolvers<RunUp | undefined>();
  up.promise.catch(() => {});
  return {
    send: (command) => {
      order.machines?.callOff();
      control.send(command);
    },
    addEvent: async (addition) => control.addEvent(addition, await serversOf(addition.event, scenario.target)),
    endEvent: control.endEvent,
    change: async (change) => changeRun(await up.promise, change, { control, agents: live }),
    agents: live,
    outcome: run({ ...order, scenario }, { control, up: up.resolve }, onEvent).finally(() =>
      up.reject(new UserError('the run is over')),
    ),
  };
}

/** Where an event leads agents is looked into first. A name that turns out to be another machine is never dialed. */
async function serversOf(event: FleetEvent, target: Scenario['target']): Promise<readonly BaseTarget[]> {
  assertEventsAllowed([event], target);
  return otherServers([event], target).catch(() => []);
}

type Controlled = {
  readonly control: Control;
  /** Called when it has started. */
  readonly up: (up: RunUp | undefined) => void;
};

async function run(
  order: RunOrder,
  { control, up }: Controlled,
  onEvent: (event: RunEvent) => void,
): Promise<RunOutcome> {
  const { scenario, shard, machines } = order;
  const raising = await (machines === undefined ? raiseHere(order, onEvent) : machines.raise(order, onEvent));
  const { startAt, mayStartLate, bases, openShards, saveCredentials, storeFiles, saveExchanges } = raising;
  try {
    let results: Results | undefined;
    let machineLoad: MachineMeter | undefined;
    const end = await control.run({
      ...{ startAt, mayStartLate, openShards, saveCredentials, storeFiles, saveExchanges },
      ...{ clock: monotonicClock, unixClock: Date.now, timer: realTimer },
      takesConnections: () => takesAny(bases),
      traced: (message) => new Promise((shown) => onEvent({ kind: 'traced', message, shown })),
      onStart: (startedAt) => {
        results = openResults({
          scenario,
          shard,
          startedAt,
          environment: environmentOf(raising.workers()),
          outDir: order.resultsFolder,
        });
        raising.startFaults(startedAt);
        machineLoad = createMachineMeter();
        up(raising.up);
        onEvent({ kind: 'started', startedAt, resultsPath: results.path });
      },
      onSeconds: (seconds) => {
        results?.append(seconds);
        onEvent({ kind: 'seconds', seconds });
      },
      onEvents: (changed) => {
        results?.change(changed);
        onEvent({ kind: 'events', events: changed.events });
      },
    });
    if (results === undefined) throw new Error('a run ended that had not started');
    const machine = (raising.machineLoad ?? machineLoad)?.();
    const { accounts, isChanged } = end;
    const sent = { seed: scenario.fleet.seed, shard, workers: raising.workers(), accounts, isChanged };
    const delivery = await deliveryOf(sent, raising);
    const known = { delivery, machine, machines: raising.machines?.() };
    const summary = await results.conclude(end.recording, runEndOf(scenario, end, known));
    return {
      summary,
      recording: end.recording,
      resultsPath: results.path,
      resultsProblem: end.problem ?? results.problem(),
    };
  } finally {
    await raising.close();
  }
}

/** As soon as one of the base URLs takes a connection. */
async function takesAny(bases: readonly BaseTarget[]): Promise<boolean> {
  const tries = bases.map(async (base) => {
    if (!(await takesConnections({ ...base, resolver: systemResolver }, FIRST_CONNECTION_MS)))
      throw new Error(base.url);
  });
  return Promise.any(tries).then(
    () => true,
    () => false,
  );
}
