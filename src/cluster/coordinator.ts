import { createHash, randomUUID } from 'node:crypto';
import { UserError } from '../base/kernel/errors.ts';
import { counted, firstFew } from '../base/kernel/units.ts';
import { readCertificates } from '../base/storage/text-files.ts';
import { timelineEndMs } from '../load/timeline.ts';
import { assertEventsAllowed, baseAt } from '../run/base-target.ts';
import type { FleetEdit, PreparedEdit } from '../run/control.ts';
import { allowedEdit } from '../run/fleet-edit.ts';
import { assertShardsPossible, assertTargetAllowed } from '../run/guards.ts';
import { type Preparation, preparationMs } from '../run/preparation.ts';
import type { MachinesOfRun } from '../run/run.ts';
import { withEvents } from '../scenario/event-times.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { baseUrlsOf } from '../scenario/server-urls.ts';
import type { Bus } from './bus.ts';
import { type Compaction, createCompaction } from './compaction.ts';
import { awaitEnough, gather, release } from './gathering.ts';
import { createMachineShards, type MachineShards } from './machine-shards.ts';
import { listeningFilesObstacle, type RunOfMachines } from './machines-state.ts';
import {
  isRunRecord,
  isWorkOrder,
  ORDER_OBJECT,
  type PartRecord,
  type RunRecord,
  type Work,
  type WorkOrder,
} from './messages.ts';
import { PART_LEAD_MS } from './part-life.ts';
import type { RunStore } from './run-store.ts';
import { type ClusterSession, closedIfFailing, KEPT_MS, openSession } from './session.ts';

/** How a cluster runs a fleet. */
export type ClusterOrder = {
  readonly bus: Bus;
  readonly machines: number;
  /** Whether a waiting machine replaces a lost one. */
  readonly replace: boolean;
  readonly replicas: number;
  readonly waitMs: number;
  /** Name of the run; `undefined`: a new one. */
  readonly run?: string | undefined;
};

export function machinesOf(order: ClusterOrder): MachinesOfRun {
  const canceled = Promise.withResolvers<never>();
  canceled.promise.catch(() => {});
  const stopWaiting = (): void =>
    canceled.reject(new UserError('The run was stopped before its machines were ready: nothing was sent.'));
  return withPresent({ count: order.machines, stopWaiting }, async (requested, note) => {
    assertRunnableThere(requested.scenario, order.machines);
    const session = await openSession(order.bus, order.replicas);
    const start = { requested, note, canceled: canceled.promise };
    return closedIfFailing(session, () => storeRun(order, session, start));
  });
}

/** What is run, as far as its caller decides that. */
type Requested = Parameters<MachinesOfRun['prepare']>[0];

type Note = RunOfMachines['note'];

function withPresent(
  machines: Pick<MachinesOfRun, 'count' | 'stopWaiting'>,
  prepare: (requested: Requested, note: Note) => Promise<Preparation>,
): MachinesOfRun {
  let preparation: Preparation | undefined;
  return {
    ...machines,
    present: () => (preparation?.machines?.('recent') ?? []).filter(({ toMs }) => toMs === undefined),
    prepare: async (requested, onEvent) => {
      preparation = await prepare(requested, (text) => onEvent({ kind: 'note', text }));
      return preparation;
    },
  };
}

type RunStart = { readonly requested: Requested; readonly note: Note; readonly canceled: Promise<never> };

/** Stores what another coordinator needs to resume the run, before machines are asked. */
async function storeRun(
  order: ClusterOrder,
  session: ClusterSession,
  { requested, note, canceled }: RunStart,
): Promise<Preparation> {
  const { bus, replicas, replace } = order;
  const { scenario, startAt, firstStartedAt } = requested;
  const run = order.run ?? runName(scenario);
  await session.claim(`coordinator.${run}`, `Run ${run} already has a coordinator.`);
  const fleet = fleetOf(scenario);
  await claimFleet(session, fleet);
  const lastsMs = timelineEndMs(scenario.phases);
  const isEndless = lastsMs === Number.POSITIVE_INFINITY;
  // Machines that join a fleet later read what was stored at its start, so its state never expires. The next start deletes it.
  const store = await bus.createRun(run, { replicas, ttlMs: isEndless ? undefined : lastsMs + KEPT_MS });
  deleteAtClose(session, run, store);
  await store.putObject(ORDER_OBJECT, await workOrder(scenario, replicas));
  // Stored first, so that another coordinator finds the run even if this process is killed.
  const keep = recordKeeper(session, run, { ...NEW_RUN, fleet: isEndless ? fleet : undefined });
  await keep({});
  const { coordinator, members } = session;
  const workFor = (part: number): Work => ({
    ...NEW_WORK,
    run,
    coordinator,
    part,
    shard: { index: part, count: order.machines },
    firstStartedAt,
  });
  const open = async (): Promise<readonly PartRecord[]> => {
    const { machines: count, waitMs } = order;
    const parts = await gather(bus, members, { count, waitMs, workFor, canceled, note });
    await keep({ parts });
    note(runText(run, parts, order));
    return parts;
  };
  const led: RunOfMachines = {
    bus,
    run,
    store,
    scenario,
    coordinator,
    members,
    replace,
    firstStartedAt,
    isResumed: false,
    compacted: undefined,
    note,
    keep,
  };
  return preparationOf(led, { session, replicas, open, startAt, mayStartLate: firstStartedAt !== undefined, canceled });
}

const NEW_RUN: RunRecord = { parts: [], startedAtMs: undefined, compacted: undefined, events: undefined };

const NEW_WORK = { order: undefined, generation: 0, elapsedS: 0, events: undefined, fromSequence: 0 };

type ResumedRun = { readonly scenario: Scenario; readonly machines: MachinesOfRun };

/**
 * Resumes a run whose coordinator was killed.
 * @throws UserError if there is no such run, it had not started, or another coordinator leads it.
 */
export async function resumeRun(order: Omit<ClusterOrder, 'machines' | 'waitMs'>, run: string): Promise<ResumedRun> {
  const { bus, replace, replicas } = order;
  const session = await openSession(bus, replicas);
  return closedIfFailing(session, async () => {
    const { record, work, store, startAt } = await storedRun(bus, session, run);
    await session.claim(
      `coordinator.${run}`,
      `--resume: expected a run without a coordinator, found that ${run} still has one; let that one finish.`,
    );
    await claimFleet(session, work.fleet);
    deleteAtClose(session, run, store);
    const { coordinator, members } = session;
    const led = {
      bus,
      run,
      store,
      coordinator,
      members,
      replace,
      firstStartedAt: undefined,
      isResumed: true,
      compacted: record.compacted,
      keep: recordKeeper(session, run, record),
    };
    const open = async () => record.parts;
    const lead: Lead = { session, replicas, open, startAt, mayStartLate: true, canceled: new Promise(() => {}) };
    const machines = { count: record.parts.length, stopWaiting: () => {} };
    return {
      scenario: record.events === undefined ? work.scenario : withEvents(work.scenario, record.events),
      machines: withPresent(machines, ({ scenario }, note) => preparationOf({ ...led, scenario, note }, lead)),
    };
  });
}

/** @throws UserError if there is no such run, or it had not started. */
async function storedRun(bus: Bus, { runs }: ClusterSession, run: string) {
  const record = (await runs.get(run))?.value;
  const store = await bus.openRun(run);
  const work = await store?.getObject(ORDER_OBJECT);
  if (!isRunRecord(record) || store === undefined || !isWorkOrder(work))
    throw new UserError(`--resume: expected an unfinished run, found nothing of ${run} in NATS; check its name.`);
  if (record.fleet !== undefined)
    throw new UserError(`--resume: expected a run, found that ${run} is a fleet; start it again with muster fleet.`);
  if (record.startedAtMs === undefined)
    throw new UserError(`--resume: expected a run that started, found that ${run} did not; start a new run.`);
  return { record, work, store, startAt: new Date(record.startedAtMs) };
}

/**
 * Resumes the run with this name if it has started, or stops machines that still prepare it for a killed coordinator: it can be started.
 * @throws UserError if another coordinator leads it, or too few machines join in time.
 */
export async function resumeIfStarted(order: ClusterOrder, run: string, note: Note): Promise<ResumedRun | undefined> {
  const session = await openSession(order.bus, order.replicas);
  try {
    const record = (await session.runs.get(run))?.value;
    if (!isRunRecord(record)) return undefined;
    if (record.startedAtMs === undefined) {
      await session.claim(`coordinator.${run}`, `Run ${run} already has a coordinator.`);
      await deleteRun(order.bus, session, run);
      const { machines: count, waitMs } = order;
      await awaitEnough(order.bus, session.members, { count, waitMs, abandonedRuns: [run], note });
      return undefined;
    }
  } finally {
    await session.close();
  }
  return resumeRun(order, run);
}

/**
 * Waits for the machines of a fleet, so that its start time can be set. First releases machines that still work for a
 * killed coordinator of the same fleet.
 * @throws UserError if too few machines join in time.
 */
export async function awaitMachines(
  { bus, machines, replicas, waitMs }: ClusterOrder,
  scenario: Scenario,
  note: Note,
): Promise<void> {
  assertRunnableThere(scenario, machines);
  const session = await openSession(bus, replicas);
  try {
    const fleet = fleetOf(scenario);
    await claimFleet(session, fleet);
    const abandonedRuns = fleet === undefined ? [] : await deleteAbandoned(bus, session, fleet);
    await awaitEnough(bus, session.members, { count: machines, waitMs, abandonedRuns, note });
  } finally {
    await session.close();
  }
}

/** Deletes the state of the fleet's runs without a coordinator. Returns their names. */
async function deleteAbandoned(bus: Bus, session: ClusterSession, fleet: string): Promise<readonly string[]> {
  const abandoned = (await session.runs.entries()).flatMap(({ key: run, value }) =>
    // Leases are strings.
    isRunRecord(value) && value.fleet === fleet ? [run] : [],
  );
  for (const run of abandoned) await deleteRun(bus, session, run);
  return abandoned;
}

/** Releases the machines of a run first, because one that finds its run deleted takes that for a loss. */
async function deleteRun(bus: Bus, { runs, members }: ClusterSession, run: string): Promise<void> {
  const atWork = members.atWork().filter((machine) => machine.run === run);
  const ids = atWork.map(({ id }) => id);
  await release(bus, run, ids);
  await (await bus.openRun(run))?.destroy();
  await runs.delete(run);
}

async function claimFleet({ claim }: ClusterSession, fleet: string | undefined): Promise<void> {
  if (fleet === undefined) return;
  await claim(
    `fleet.${fleet}`,
    `Another run on this cluster uses the same agents (fleet ${fleet}): wait for its end, or set another seed.`,
  );
}

function deleteAtClose({ runs, cleanUpWith }: ClusterSession, run: string, store: RunStore): void {
  cleanUpWith(async () => {
    await store.destroy();
    await runs.delete(run);
  });
}

function recordKeeper({ runs, renewWith }: ClusterSession, run: string, first: RunRecord): RunOfMachines['keep'] {
  let record = first;
  const keep: RunOfMachines['keep'] = (change) => {
    record = { ...record, ...change };
    return runs.put(run, record);
  };
  renewWith(() => keep({}));
  return keep;
}

type Lead = {
  readonly session: ClusterSession;
  readonly replicas: number;
  readonly open: () => Promise<readonly PartRecord[]>;
  /** `undefined`: as soon as all are ready. */
  readonly startAt: Date | undefined;
  readonly mayStartLate: boolean;
  /** Rejects if waiting for machines is canceled. */
  readonly canceled: Promise<never>;
};

/** Refuses a target that is not allowed; the machines resolve it themselves. */
async function assertReachable({ target }: Scenario): Promise<void> {
  await Promise.all(baseUrlsOf(target).map((url) => baseAt(url, target)));
}

async function workOrder(scenario: Scenario, replicas: number): Promise<WorkOrder> {
  const { caFile } = scenario.target.tls;
  const ca = caFile === undefined ? undefined : await readCertificates(caFile);
  return { scenario, fleet: fleetOf(scenario), replicas, ca };
}

async function preparationOf(run: RunOfMachines, lead: Lead): Promise<Preparation> {
  const { scenario, store, compacted, keep } = run;
  const { session, open, startAt, mayStartLate, canceled } = lead;
  await assertReachable(scenario);
  const fleets = new Set([fleetOf(scenario)]);
  let opened: { readonly shards: MachineShards; readonly compaction: Compaction } | undefined;
  const machines: NonNullable<Preparation['machines']> = (span) => opened?.shards.machines(span) ?? [];
  return {
    startAt,
    mayStartLate,
    startFaults: () => {},
    observe: undefined,
    machines,
    machineLoad: () => opened?.shards.busiest(),
    edit: (edit) => preparedEdit({ ...lead, fleets }, opened?.shards, edit),
    openShards: async (handlers) => {
      const parts = await open();
      const compaction = createCompaction({
        store,
        before: compacted,
        restored: handlers.restored,
        incomplete: handlers.incomplete,
        isForgotten: timelineEndMs(scenario.phases) === Number.POSITIVE_INFINITY,
        keep: (seconds) => keep({ compacted: seconds }),
      });
      const shards = createMachineShards({ ...run, store: compaction.store }, parts, handlers);
      opened = { shards, compaction };
      await Promise.race([shards.ready(), canceled]).catch(async (error: unknown) => {
        await shards.close();
        throw error;
      });
      return shards;
    },
    workers: () => machines('whole').reduce((sum, { workers, fromMs }) => (fromMs === 0 ? sum + workers : sum), 0),
    // Each machine stores the data of its own agents.
    saveCredentials: () => {},
    storeFiles: async () => undefined,
    saveExchanges: () => {},
    completed: (seconds) => opened?.compaction.completed(seconds),
    close: async () => {
      await opened?.compaction.settled();
      await session.close();
    },
  };
}

/** @param fleets those whose passwords this process keeps. */
async function preparedEdit(
  { session, replicas, fleets }: Pick<Lead, 'session' | 'replicas'> & { readonly fleets: Set<string | undefined> },
  shards: MachineShards | undefined,
  order: FleetEdit,
): Promise<PreparedEdit | undefined> {
  const { joining, edit } = await allowedEdit(order);
  const { scenario } = edit;
  const obstacle = listeningFilesObstacle(scenario);
  if (joining.length > 0 && obstacle !== undefined)
    throw new UserError(`${obstacle}; stop the fleet to change agents.`);
  const machines = shards?.machines('whole').length ?? 0;
  assertRunnableThere(scenario, machines);
  await assertReachable(scenario);
  const work = await workOrder(scenario, replicas);
  if (order.keep === undefined || shards === undefined) return undefined;
  if (!fleets.has(work.fleet)) await claimFleet(session, work.fleet);
  fleets.add(work.fleet);
  order.keep();
  shards.edited(work);
  return {
    ...edit,
    joining: joining.length === 0 ? undefined : async (sinceMs) => shards.joining(joining, sinceMs),
    leadMs: PART_LEAD_MS + preparationMs(joining.length / Math.max(1, machines)),
  };
}

/** @throws UserError or `TargetNotAllowedError` if no machine could run the scenario, or it is not allowed. */
function assertRunnableThere(scenario: Scenario, machines: number): void {
  assertTargetAllowed(scenario.target);
  assertEventsAllowed(scenario.events, scenario.target);
  assertShardsPossible(scenario, { count: machines });
  if (scenario.target.url === 'embedded') assertShardsPossible(scenario, { count: 2 });
}

/** `2026-11-21T10-15-30Z-seed1-4f2a`: unique, and sorts by time. */
function runName({ fleet }: Scenario): string {
  const stamp = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
  return `${stamp}Z-seed${fleet.seed}-${randomUUID().slice(0, 4)}`;
}

/** Identifies kept passwords: the agents of one seed at one target. `undefined` if none are kept. */
function fleetOf({ fleet, target }: Scenario): string | undefined {
  if (fleet.identities.kind !== 'file') return undefined;
  const key = JSON.stringify([target.url.replace(/\/+$/, ''), fleet.seed]);
  return createHash('sha256').update(key).digest('hex').slice(0, 16);
}

/** Limit for the names in a message; the summary lists all machines. */
const NAMES_SHOWN = 10;

function runText(run: string, parts: readonly PartRecord[], { replicas }: ClusterOrder): string {
  const names = parts.map(({ machine }) => machine.name);
  const copies = replicas === 1 ? 'one copy' : `${replicas} copies`;
  return `run ${run} on ${counted(parts.length, 'machine')}: ${firstFew(names, NAMES_SHOWN)}; NATS keeps ${copies} of it`;
}
