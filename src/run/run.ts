import { UserError } from '../base/kernel/errors.ts';
import { monotonicClock, realTimer } from '../base/runtime/event-loop.ts';
import { createMachineMeter, type MachineMeter } from '../base/system/machine-load.ts';
import type { FleetEvent } from '../load/events/event.ts';
import { WHOLE_FLEET } from '../load/shard.ts';
import type { ClusterMachine } from '../metrics/merging/cluster-machine.ts';
import type { Recording } from '../metrics/merging/measurement.ts';
import type { TimelineFrame } from '../metrics/merging/timeline.ts';
import type { TracedMessage } from '../metrics/recording/trace.ts';
import type { Summary } from '../metrics/summary/summary-schema.ts';
import { openResults, type Results } from '../results/write.ts';
import { withCountedEvents } from '../scenario/event-times.ts';
import { assertEventsAllowed, otherServers } from './base-target.ts';
import { deliveryOf, environmentOf, runEndOf } from './conclusion.ts';
import { type Control, createControl, type FleetEdit, type RunEnding } from './control.ts';
import { preparedEdit } from './fleet-edit.ts';
import { type ChangingAgents, createLiveAgents, type LiveAgents } from './live-agents.ts';
import { type PartOfFleet, type Preparation, prepareHere, workersFor } from './preparation.ts';
import type { AddedEvent, Addition } from './run-events.ts';

export type RunOrder = PartOfFleet & {
  /** Absolute path; each scenario has its own folder below it. `undefined`: no results are kept. */
  readonly resultsFolder: string | undefined;
  /** Ends the run if nothing has reached the target for this long from the start; `undefined`: agents try until the end. */
  readonly giveUpMs: number | undefined;
  /** Machines that run the whole fleet; `undefined`: only this one. */
  readonly machines: MachinesOfRun | undefined;
};

type OrderOfMachines = Pick<RunOrder, 'scenario' | 'startAt' | 'firstStartedAt'>;

export type MachinesOfRun = {
  readonly count: number;
  readonly stopWaiting: () => void;
  /** Those that have a part, with their figures of the last ten seconds. */
  readonly present: () => readonly ClusterMachine[];
  /** Throws like the start of a run. */
  readonly prepare: (order: OrderOfMachines, onEvent: (event: RunEvent) => void) => Promise<Preparation>;
};

/** A run of the whole fleet that starts as soon as it is ready, without a trace. */
export const ALONE = {
  shard: WHOLE_FLEET,
  startAt: undefined,
  firstStartedAt: undefined,
  giveUpMs: undefined,
  debug: undefined,
  machines: undefined,
} as const;

export type RunEvent =
  | { readonly kind: 'started'; readonly startedAt: Date; readonly resultsPath: string | undefined }
  /** Progress of generating the agents' keys before the start. */
  | { readonly kind: 'keys'; readonly made: number; readonly of: number }
  /** Call `shown` when the text is on screen. Only a limited number of messages may be pending; further ones are dropped. */
  | { readonly kind: 'traced'; readonly message: TracedMessage; readonly shown: () => void }
  /** One sentence about the preparation of the run. */
  | { readonly kind: 'note'; readonly text: string }
  /** One sentence about a possible problem, before the start. */
  | { readonly kind: 'warning'; readonly text: string }
  /** Complete seconds of the timeline, each once and in order. */
  | { readonly kind: 'seconds'; readonly seconds: readonly TimelineFrame[] }
  /** All events of the run, sent whenever one was added or ended. */
  | { readonly kind: 'events'; readonly events: readonly FleetEvent[] };

export type RunOutcome = {
  readonly summary: Summary;
  readonly recording: Recording;
  readonly resultsPath: string | undefined;
  /** Results and passwords that could not be written, and why; `undefined` if nothing is missing. */
  readonly resultsProblem: string | undefined;
};

/** Interface to a started run. */
export type Run = {
  send(command: RunEnding): void;
  /** Rejects with `UserError` if it is not possible, and with `TargetNotAllowedError` if it directs agents to a host that is not allowed. */
  addEvent(addition: Addition): Promise<AddedEvent>;
  /** Ends an event early. Rejects with `UserError` if there is no such event, or it has ended. */
  endEvent: Control['endEvent'];
  /**
   * Edits the fleet: agents leave and join, and events change; all other agents are not affected. No other edit or event is allowed
   * meanwhile. Rejects with `UserError` or `TargetNotAllowedError` without any effect if it is not possible; a later failure also makes the
   * run fail.
   */
  edit(edit: FleetEdit): Promise<void>;
  readonly agents: LiveAgents;
  /** Rejects with `UserError` or `TargetNotAllowedError` if the run could not start. */
  readonly outcome: Promise<RunOutcome>;
};

/** Starts the run of one scenario. The caller can follow and control it. */
export function startRun(order: RunOrder, onEvent: (event: RunEvent) => void): Run {
  const scenario = withCountedEvents(order.scenario);
  const { shard } = order;
  // Thresholds cannot be judged on a part of the fleet, so they do not end its run.
  const control = createControl(shard.count === 1 ? scenario : { ...scenario, thresholds: [] });
  const { agents } = scenario.fleet;
  const workers = order.machines?.count ?? workersFor(order);
  const live = createLiveAgents({ shard, agents, workers }, control.ask);
  const up = Promise.withResolvers<Preparation>();
  up.promise.catch(() => {});
  return {
    send: (command) => {
      order.machines?.stopWaiting();
      control.send(command);
    },
    addEvent: async (addition) => {
      assertEventsAllowed([addition.event], scenario.target);
      // A name that turns out to be another machine is never dialed.
      return control.addEvent(addition, await otherServers([addition.event], scenario.target).catch(() => []));
    },
    endEvent: control.endEvent,
    edit: async (edit) => {
      const prepared = await (await up.promise).edit(edit);
      if (prepared !== undefined) await control.edit(prepared);
    },
    agents: live,
    outcome: run({ ...order, scenario }, { control, live, up: up.resolve }, onEvent).finally(() =>
      up.reject(new UserError('the run has ended')),
    ),
  };
}

type Controlled = {
  readonly control: Control;
  readonly live: ChangingAgents;
  readonly up: (up: Preparation) => void;
};

async function preparedHere(order: RunOrder, onEvent: (event: RunEvent) => void): Promise<Preparation> {
  const { state, ...preparation } = await prepareHere(order, onEvent);
  return { ...preparation, edit: (edit) => preparedEdit(state, edit) };
}

async function run(
  order: RunOrder,
  { control, live, up }: Controlled,
  onEvent: (event: RunEvent) => void,
): Promise<RunOutcome> {
  const { scenario, shard, machines } = order;
  const preparation = await (machines === undefined ? preparedHere(order, onEvent) : machines.prepare(order, onEvent));
  const { startAt, mayStartLate, openShards, saveCredentials, storeFiles, saveExchanges } = preparation;
  try {
    let results: Results | undefined;
    let machineLoad: MachineMeter | undefined;
    const end = await control.run({
      startAt,
      mayStartLate,
      openShards,
      saveCredentials,
      storeFiles,
      saveExchanges,
      clock: monotonicClock,
      unixClock: Date.now,
      timer: realTimer,
      giveUpMs: order.giveUpMs,
      traced: (message) => new Promise((shown) => onEvent({ kind: 'traced', message, shown })),
      onStart: (startedAt) => {
        results = openResults({
          scenario,
          shard,
          startedAt,
          environment: environmentOf(preparation.workers()),
          outDir: order.resultsFolder,
        });
        preparation.startFaults(startedAt);
        machineLoad = createMachineMeter();
        up(preparation);
        onEvent({ kind: 'started', startedAt, resultsPath: results.path });
      },
      onSeconds: (seconds) => {
        results?.append(seconds);
        preparation.completed?.(seconds);
        onEvent({ kind: 'seconds', seconds });
      },
      onEdit: live.change,
      onEvents: (changed) => {
        results?.change(changed);
        onEvent({ kind: 'events', events: changed.events });
      },
    });
    if (results === undefined) throw new Error('a run ended that had not started');
    const machine = (preparation.machineLoad ?? machineLoad)?.();
    const { accounts, isChanged } = end;
    const sent = { seed: scenario.fleet.seed, shard, workers: preparation.workers(), accounts, isChanged };
    const delivery = await deliveryOf(sent, preparation);
    const known = { delivery, machine, machines: preparation.machines?.('whole') };
    const summary = await results.conclude(end.recording, runEndOf(scenario, end, known));
    return {
      summary,
      recording: end.recording,
      resultsPath: results.path,
      resultsProblem: end.problem ?? results.problem(),
    };
  } finally {
    await preparation.close();
  }
}
