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
import { baseUrlsOf } from '../scenario/addresses.ts';
import { withEvents } from '../scenario/event-times.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { Bus } from './bus.ts';
import { type Compaction, createCompaction } from './compaction.ts';
import { enough, gather, release, watchMembers } from './gathering.ts';
import { claim, type Lease } from './lease.ts';
import { createMachineShards, type MachineShards } from './machine-shards.ts';
import {
  coordinatorSubject,
  isRunRecord,
  isWorkOrder,
  MACHINES_BUCKET,
  ORDER_OBJECT,
  type PartRecord,
  RUNS_BUCKET,
  type RunRecord,
  STALE_MS,
  type Work,
  type WorkOrder,
} from './messages.ts';
import { filesStay, GETTING_MS, type RunOfMachines } from './part-life.ts';
import type { RunStore } from './run-store.ts';

/** How a cluster runs a fleet. */
export type ClusterOrder = {
  readonly bus: Bus;
  readonly machines: number;
  /** Whether a waiting machine replaces a lost one. */
  readonly replace: boolean;
  /** Replicas of stored data. */
  readonly replicas: number;
  /** How long to wait for machines. */
  readonly waitMs: number;
  /** Name of the run; `undefined`: a new one. */
  readonly run?: string | undefined;
};

/** Age at which the entries of a coordinator expire, and the state of a run after its end. A living coordinator renews its entries. */
const KEPT_MS = 24 * 3_600_000;
const RENEWED_MS = KEPT_MS / 24;
const LOOKED_MS = 500;
/** How long to wait for NATS at the end. */
const CLEANED_MS = 10_000;

export function machinesOf(order: ClusterOrder): MachinesOfRun {
  const calledOff = Promise.withResolvers<never>();
  calledOff.promise.catch(() => {});
  const callOff = (): void =>
    calledOff.reject(new UserError('The run was stopped before its machines were ready: nothing was sent.'));
  return watched({ count: order.machines, callOff }, async (part, say) => {
    assertRunnableThere(part.scenario, order.machines);
    const session = await openSession(order.bus, order.replicas);
    return closedIfFailing(session, () => storeRun(order, session, { ...part, say, calledOff: calledOff.promise }));
  });
}

type Prepared = Parameters<MachinesOfRun['prepare']>[0];

type PartOfRun = Prepared & Pick<LedRun, 'say' | 'calledOff'>;

function watched(
  machines: Pick<MachinesOfRun, 'count' | 'callOff'>,
  prepare: (part: Prepared, say: (text: string) => void) => Promise<Preparation>,
): MachinesOfRun {
  let preparation: Preparation | undefined;
  return {
    ...machines,
    present: () => (preparation?.machines?.('recent') ?? []).filter(({ toMs }) => toMs === undefined),
    prepare: async (part, onEvent) => {
      preparation = await prepare(part, (text) => onEvent({ kind: 'note', text }));
      return preparation;
    },
  };
}

/** Stores what another coordinator needs to resume the run, before machines are asked. */
async function storeRun(
  order: ClusterOrder,
  session: ClusterSession,
  { scenario, startAt, firstStartedAt, say, calledOff }: PartOfRun,
): Promise<Preparation> {
  const run = order.run ?? runName(scenario);
  await session.claim(`coordinator.${run}`, `Run ${run} already has a coordinator.`);
  const fleet = fleetOf(scenario);
  await claimFleet(session, fleet);
  const lastsMs = timelineEndMs(scenario.phases);
  const isEndless = lastsMs === Number.POSITIVE_INFINITY;
  const { bus, replicas, replace } = order;
  // Machines that join a fleet later read what was stored at its start, so its state never expires. The next start deletes it.
  const store = await bus.createRun(run, { replicas, ttlMs: isEndless ? undefined : lastsMs + KEPT_MS });
  deleteAtClose(session, run, store);
  await store.putObject(ORDER_OBJECT, await workOrder(scenario, replicas));
  // Stored first, so that another coordinator finds the run even if this process is killed.
  const keptFleet = isEndless ? fleet : undefined;
  const keep = keeperOf(session, run, {
    parts: [],
    startedAtMs: undefined,
    compacted: undefined,
    events: undefined,
    fleet: keptFleet,
  });
  await keep({});
  const workFor = (index: number): Work => ({
    run,
    coordinator: session.coordinator,
    part: index,
    shard: { index, count: order.machines },
    order: undefined,
    generation: 0,
    elapsedS: 0,
    firstStartedAt,
    events: undefined,
    fromSequence: 0,
  });
  const open = async (): Promise<readonly PartRecord[]> => {
    const { machines: count, waitMs } = order;
    const parts = await gather(bus, session.members, { count, waitMs, workFor, calledOff, say });
    await keep({ parts });
    say(runText(run, parts, order));
    return parts;
  };
  const mayStartLate = firstStartedAt !== undefined;
  return preparationOf({
    bus,
    run,
    store,
    replace,
    replicas,
    session,
    scenario,
    startAt,
    mayStartLate,
    firstStartedAt,
    open,
    keep,
    say,
    calledOff,
    compacted: undefined,
    isResumed: false,
  });
}

type ResumedRun = { readonly scenario: Scenario; readonly machines: MachinesOfRun };

/**
 * Resumes a run whose coordinator was killed.
 * @throws UserError if there is no such run, it had not started, or another coordinator leads it.
 */
export async function resumeRun(order: Omit<ClusterOrder, 'machines' | 'waitMs'>, run: string): Promise<ResumedRun> {
  const session = await openSession(order.bus, order.replicas);
  return closedIfFailing(session, async () => {
    const record = (await session.runs.get(run))?.value;
    const store = await order.bus.openRun(run);
    const work = await store?.getObject(ORDER_OBJECT);
    if (!isRunRecord(record) || store === undefined || !isWorkOrder(work))
      throw new UserError(`--resume: expected an unfinished run, found nothing of ${run} in NATS; check its name.`);
    if (record.fleet !== undefined)
      throw new UserError(`--resume: expected a run, found that ${run} is a fleet; start it again with muster fleet.`);
    if (record.startedAtMs === undefined)
      throw new UserError(`--resume: expected a run that started, found that ${run} did not; start a new run.`);
    await session.claim(
      `coordinator.${run}`,
      `--resume: expected a run without a coordinator, found that ${run} still has one; let that one finish.`,
    );
    await claimFleet(session, work.fleet);
    deleteAtClose(session, run, store);
    const scenario = record.events === undefined ? work.scenario : withEvents(work.scenario, record.events);
    const led = {
      ...order,
      run,
      store,
      session,
      keep: keeperOf(session, run, record),
      compacted: record.compacted,
      open: async () => record.parts,
      startAt: new Date(record.startedAtMs),
      mayStartLate: true,
      firstStartedAt: undefined,
      isResumed: true,
      calledOff: new Promise<never>(() => {}),
    };
    const machines = watched({ count: record.parts.length, callOff: () => {} }, ({ scenario: whole }, say) =>
      preparationOf({ ...led, scenario: whole, say }),
    );
    return { scenario, machines };
  });
}

/**
 * Resumes the run with this name if it has started; `undefined` if it can be started. Stops machines that still prepare it for a killed
 * coordinator.
 * @throws UserError if another coordinator leads it, or too few machines join in time.
 */
export async function resumeIfStarted(
  order: ClusterOrder,
  run: string,
  say: (text: string) => void,
): Promise<ResumedRun | undefined> {
  const session = await openSession(order.bus, order.replicas);
  try {
    const record = (await session.runs.get(run))?.value;
    if (!isRunRecord(record)) return undefined;
    if (record.startedAtMs === undefined) {
      await session.claim(`coordinator.${run}`, `Run ${run} already has a coordinator.`);
      await deleteRun(order.bus, session, run);
      const { machines: count, waitMs } = order;
      await enough(order.bus, session.members, { count, waitMs, left: new Set([run]), say });
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
  say: (text: string) => void,
): Promise<void> {
  assertRunnableThere(scenario, machines);
  const session = await openSession(bus, replicas);
  try {
    const fleet = fleetOf(scenario);
    await claimFleet(session, fleet);
    const left = fleet === undefined ? [] : await leftOf(bus, session, fleet);
    await enough(bus, session.members, { count: machines, waitMs, left: new Set(left), say });
  } finally {
    await session.close();
  }
}

/** Returns the fleet's runs without a coordinator, after deleting their state. */
async function leftOf(bus: Bus, session: ClusterSession, fleet: string): Promise<readonly string[]> {
  const left = (await session.runs.entries()).flatMap(({ key: run, value }) =>
    // Leases are strings.
    isRunRecord(value) && value.fleet === fleet ? [run] : [],
  );
  for (const run of left) await deleteRun(bus, session, run);
  return left;
}

/** Releases the machines of a run first, because one that finds its run deleted takes that for a loss. */
async function deleteRun(bus: Bus, { runs, members }: ClusterSession, run: string): Promise<void> {
  const atWork = members.atWork().filter((machine) => machine.run === run);
  const taken = atWork.map((machine) => ({ machine }));
  await release(bus, run, taken);
  await (await bus.openRun(run))?.destroy();
  await runs.delete(run);
}

/** A coordinator's access to the cluster, for any run. */
type ClusterSession = Awaited<ReturnType<typeof openSession>>;

/** Opens a session whose entries are renewed until it is closed. */
export async function openSession(bus: Bus, replicas: number) {
  const coordinator = randomUUID();
  const silence = bus.serve(coordinatorSubject(coordinator), () => 'here');
  const runs = await bus.bucket(RUNS_BUCKET, { replicas, ttlMs: KEPT_MS });
  const members = await watchMembers(await bus.bucket(MACHINES_BUCKET, { replicas: 1, ttlMs: STALE_MS }));
  const leases: Lease[] = [];
  const closing: (() => Promise<void>)[] = [];
  const renewing: (() => Promise<void>)[] = [];
  let isClosed = false;
  const renewal = setInterval(() => {
    for (const renew of renewing) void renew().catch(() => {});
  }, RENEWED_MS).unref();
  return {
    coordinator,
    runs,
    members,
    /** @throws UserError with `refusal` if another coordinator holds the lease, or if NATS has no room for it. */
    claim: async (key: string, refusal: string): Promise<void> => {
      let looking: NodeJS.Timeout | undefined;
      const isFull = new Promise<never>((_, reject) => {
        looking = setInterval(() => {
          const problem = bus.problem();
          if (problem !== undefined) reject(new UserError(noRoomText(problem)));
        }, LOOKED_MS);
      });
      const claimed = claim({ bus, bucket: runs, coordinator }, key, refusal);
      // One that NATS stores only after it was full is released, too.
      void claimed.then((late) => (isClosed ? late.release() : void leases.push(late))).catch(() => {});
      const lease = await Promise.race([claimed, isFull]).finally(() => clearInterval(looking));
      renewing.push(lease.renew);
    },
    /** Registers what writes an entry again. */
    toRenew: (act: () => Promise<void>) => void renewing.push(act),
    /** Registers cleanup that runs before leases are released. */
    toClose: (act: () => Promise<void>) => void closing.push(act),
    close: async (): Promise<void> => {
      clearInterval(renewal);
      members.stop();
      const cleaning = (async () => {
        for (const act of closing) await act();
        isClosed = true;
        for (const lease of leases) await lease.release();
      })();
      cleaning.catch(() => {});
      // Without NATS, or without its store, it would never end; the entries expire anyway.
      await Promise.race([cleaning, new Promise((give) => setTimeout(give, CLEANED_MS).unref())]);
      silence();
    },
  };
}

function noRoomText(problem: string): string {
  return `--cluster: expected room in NATS to store a run, found an error (${problem}); free some, or raise max_file_store.`;
}

async function closedIfFailing<T>(session: ClusterSession, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await session.close();
    throw error;
  }
}

async function claimFleet({ claim }: ClusterSession, fleet: string | undefined): Promise<void> {
  if (fleet === undefined) return;
  const taken = `Another run on this cluster uses the same agents (fleet ${fleet}): wait for its end, or set another seed.`;
  await claim(`fleet.${fleet}`, taken);
}

function deleteAtClose({ runs, toClose }: ClusterSession, run: string, store: RunStore): void {
  toClose(async () => {
    await store.destroy();
    await runs.delete(run);
  });
}

/** Changes what is stored about a run. */
function keeperOf({ runs, toRenew }: ClusterSession, run: string, first: RunRecord): LedRun['keep'] {
  let record = first;
  const keep: LedRun['keep'] = (change) => {
    record = { ...record, ...change };
    return runs.put(run, record);
  };
  toRenew(() => keep({}));
  return keep;
}

/** A run that this process leads. */
type LedRun = Omit<RunOfMachines, 'coordinator' | 'members'> & {
  readonly session: ClusterSession;
  /** Returns the machines with their parts. */
  readonly open: () => Promise<readonly PartRecord[]>;
  /** `undefined`: as soon as all are ready. */
  readonly startAt: Date | undefined;
  readonly mayStartLate: boolean;
  /** Rejects if waiting for machines is canceled. */
  readonly calledOff: Promise<never>;
  readonly replicas: number;
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

async function preparationOf(led: LedRun): Promise<Preparation> {
  const { session, scenario, startAt, mayStartLate } = led;
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
    edit: (edit) => preparedEdit({ ...led, fleets }, opened?.shards, edit),
    openShards: async (events) => {
      const parts = await led.open();
      const { store, compacted: before, keep } = led;
      const isForgotten = timelineEndMs(scenario.phases) === Number.POSITIVE_INFINITY;
      const compaction = createCompaction({
        store,
        before,
        restored: events.restored,
        incomplete: events.incomplete,
        isForgotten,
        keep: (compacted) => keep({ compacted }),
      });
      const { coordinator, members } = session;
      const shards = createMachineShards({ ...led, store: compaction.store, coordinator, members }, parts, events);
      opened = { shards, compaction };
      await Promise.race([shards.ready(), led.calledOff]).catch(async (error: unknown) => {
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
  { session, replicas, fleets }: Pick<LedRun, 'session' | 'replicas'> & { readonly fleets: Set<string | undefined> },
  shards: MachineShards | undefined,
  order: FleetEdit,
): Promise<PreparedEdit | undefined> {
  const { joining, edit } = await allowedEdit(order);
  const { scenario } = edit;
  const staying = filesStay(scenario);
  if (joining.length > 0 && staying !== undefined) throw new UserError(`${staying}; stop the fleet to change agents.`);
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
    leadMs: GETTING_MS + preparationMs(joining.length / Math.max(1, machines)),
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
