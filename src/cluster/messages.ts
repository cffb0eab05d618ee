import { z } from 'zod';
import { MEASURED_OPERATIONS } from '../base/protocol/operations.ts';
import type { Shard } from '../load/shard.ts';
import type { MachineLoad } from '../metrics/merging/cluster-machine.ts';
import type { Frame } from '../metrics/recording/frame.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { BaseTarget, ShardAccount } from '../workers/messages.ts';
import { eventForm, shardQueryForm } from '../workers/shard-query.ts';

/*
 * Messages between machines and the coordinator. A machine is to the coordinator what a thread is to the control plane.
 * Most messages therefore correspond to ToShard and FromShard of `workers`.
 *
 * Each run has one stream. The coordinator writes to `to`; the machine with part m writes its frames to `frame.m`, and all else to `from.m`.
 * A reader that starts at the first message, after the compacted seconds, knows everything that the coordinator knows, which is how a run is
 * resumed.
 */

/** Bucket of joined machines, by `joinedKey`. Machines renew their entries every second. */
export const MACHINES_BUCKET = 'muster-machines';
/** Age at which entries of silent machines expire. */
export const STALE_MS = 10_000;

/**
 * A machine silent for this time is lost, and another may run its agents. It renews its lease on them every second, by extending its entry
 * before that expires, or by an answer of its coordinator. It starts nothing once half the time has passed without either. Long enough for
 * NATS to elect a leader, short enough for a gap that a fleet survives.
 */
export const LEASE_MS = 10_000;

/** Bucket of runs (`RunRecord`), by name, and of leases (a coordinator's id), by `coordinator.RUN` and `fleet.FLEET`. */
export const RUNS_BUCKET = 'muster-runs';

/** Bucket of the passwords of a fleet, by uuid. */
export function identitiesBucket(fleet: string): string {
  return `muster-identities-${fleet}`;
}

/** Bucket of the files of its listening agents, by host and name. */
export function filesBucket(fleet: string): string {
  return `muster-files-${fleet}`;
}

/** Object of a run that all machines read: a `WorkOrder`. */
export const ORDER_OBJECT = 'order';

/*
 * Without a cluster key, any program that reaches NATS can write what is described here: entries, requests and messages of another form are
 * refused or skipped before they are used.
 */

const count = z.int().nonnegative();
const counts = z.record(z.string(), count);
const time = z.number();
const text = z.string();
/** A token of a NATS subject. */
const name = z.string().regex(/^[^\s.*>]+$/);

export const isSubjectToken = isOf(name);

/** Checks only what a reader relies on. */
function formOf<T>(form: z.ZodType): z.ZodType<T> {
  return form as z.ZodType<T>;
}

function isOf<T>(form: z.ZodType<T>) {
  return (message: unknown): message is T => form.safeParse(message).success;
}

const joinedMachine = z.object({
  /** Unique per process, even if processes have the same name. */
  id: name,
  name: text,
  version: text,
  /** `buildHash`. Builds of one version may send different bytes. */
  build: text,
  /** The run it works for; `undefined` if it is waiting. */
  run: name.optional(),
});

export type JoinedMachine = Readonly<z.infer<typeof joinedMachine>>;

export const isJoinedMachine = isOf(joinedMachine);

export function joinedKey({ name, id }: Pick<JoinedMachine, 'name' | 'id'>): string {
  return `${name}.${id}`;
}

/** Subjects where a machine answers `ToMachine`, and where a coordinator confirms that it is alive. */
export function machineSubject(id: string): string {
  return `muster.machine.${id}`;
}

export function coordinatorSubject(id: string): string {
  return `muster.coordinator.${id}`;
}

/** Subject where the coordinator of a run answers a `LeaseRequest` with a `LeaseAnswer`. */
export function leaseSubject(run: string): string {
  return `muster.lease.${run}`;
}

const leaseRequest = z.object({
  part: count,
  generation: count,
  /** Whether other machines should take the agents over. */
  isLeaving: z.boolean(),
  /** The last round trip between the machine and NATS. */
  natsMs: time.nonnegative().optional(),
  /** Why NATS does not store what the machine sends; `undefined` if it does. */
  problem: text.optional(),
});

export type LeaseRequest = Readonly<z.infer<typeof leaseRequest>>;

/** `unknown`: the coordinator has not read as far, or is about to give the part away. `alone`: the machine leaves, and no other can take over. */
export type LeaseAnswer = 'held' | 'lost' | 'unknown' | 'alone';

const scenario = z.object({
  target: z.object({ url: text, furtherUrls: z.array(text), tls: z.object({}) }),
  fleet: z.object({ agents: count, seed: time, identities: z.object({ kind: text }) }),
  phases: z.array(z.object({})),
  events: z.array(eventForm),
  thresholds: z.array(z.object({})),
});

const workOrder = z.object({
  scenario: formOf<Scenario>(scenario),
  ca: text.optional(),
  /** Identifies kept passwords; `undefined` if there are none. */
  fleet: text.optional(),
  replicas: count,
});

export type WorkOrder = Readonly<z.infer<typeof workOrder>>;

export const isWorkOrder = isOf(workOrder);

/** A part of a run for one machine. */
const work = z.object({
  run: name,
  coordinator: name,
  /** Parts are numbered from 0. A fleet gets further ones when its agents move. */
  part: count,
  shard: formOf<Shard>(
    z.object({ index: count, count: z.int().positive(), only: z.instanceof(Uint32Array).optional() }),
  ),
  /** Instead of the order that is stored, if the scenario was edited. */
  order: workOrder.optional(),
  /** Number of machines that had the part before. */
  generation: count,
  /** Elapsed time of the run when the machine starts, in whole seconds. */
  elapsedS: count,
  /** When the fleet was first started; `undefined`: now. */
  firstStartedAt: z.date().optional(),
  /** The current events of the run; `undefined`: those of the scenario. */
  events: z.array(eventForm).readonly().optional(),
  /** Messages of the stream up to this one are already taken into account. */
  fromSequence: count,
});

export type Work = Readonly<z.infer<typeof work>>;

/** Requests to one machine; not stored. */
const toMachine = z.discriminatedUnion('kind', [
  /** Answered with `MachineClocks`. */
  z.object({ kind: z.literal('clocks') }),
  /** Answered with `AcceptedPart`, or refused with a reason: the machine works for another run, or cannot run this part. */
  z.object({ kind: z.literal('take'), work }),
  /** The part, or each part of the run if there is none, is no longer needed. */
  z.object({ kind: z.literal('release'), run: name, part: count.optional() }),
  /** Answered like a shard's queries; agents are numbered within the part. */
  z.object({ kind: z.literal('query'), run: name, part: count, query: shardQueryForm }),
]);

export type ToMachine = z.infer<typeof toMachine>;

export const isToMachine = isOf(toMachine);

const machineClocks = z.object({ monotonicMs: time, unixMs: time });

export type MachineClocks = Readonly<z.infer<typeof machineClocks>>;

export const isMachineClocks = isOf(machineClocks);

/** Number of threads that will run the part. */
const acceptedPart = z.object({ workers: count });

export type AcceptedPart = Readonly<z.infer<typeof acceptedPart>>;

export const isAcceptedPart = isOf(acceptedPart);

const partRecord = z.object({
  machine: z.object({ id: name, name: text }),
  workers: count,
  generation: count,
  /** How far its wall clock and its monotonic clock are ahead of the coordinator's. */
  clockOffsetMs: time,
  monotonicOffsetMs: time,
  clockErrorMs: time,
});

/** The machine that runs a part of the fleet. */
export type PartRecord = Readonly<z.infer<typeof partRecord>>;

/** Completed seconds of a run that are stored as sums. */
const compactedSeconds = z.object({
  objects: count,
  /** The objects contain the frames up to this second and this message of the stream. */
  second: z.int().min(-1),
  sequence: count,
});

export type CompactedSeconds = Readonly<z.infer<typeof compactedSeconds>>;

/** The state of a run, for a coordinator that resumes it. */
const runRecord = z.object({
  /** The first machine of each part; replacements are in the stream. */
  parts: z.array(partRecord).readonly(),
  /** Unix ms; `undefined` if the run has not started. */
  startedAtMs: time.optional(),
  /** Seconds whose frames are no longer in the stream; `undefined`: none. */
  compacted: compactedSeconds.optional(),
  /** Includes added events and their ends; `undefined`: those of the scenario. */
  events: z.array(eventForm).readonly().optional(),
  /** For a kept fleet, as in `WorkOrder`; `undefined` for a run with an end. */
  fleet: text.optional(),
});

export type RunRecord = Readonly<z.infer<typeof runRecord>>;

export const isRunRecord = isOf(runRecord);

/* Messages in the stream of a run. */

const series = z.object({
  phase: text,
  operation: z.enum(MEASURED_OPERATIONS),
  dropped: counts,
  outcomes: counts,
  planned: count,
  started: count,
  succeededWithin: count,
  sentBytes: count,
  receivedBytes: count,
  histograms: z.record(text, z.instanceof(Uint8Array)),
});
const worker = z.object({
  shard: count,
  loopUtilization: time,
  cpuMs: time,
  gcMs: time,
  listening: count,
  stalls: z.array(z.object({ fromMs: time, toMs: time })),
});
const frame = formOf<Frame>(
  z.object({
    shard: count,
    second: count,
    series: z.array(series),
    agents: counts,
    inFlight: count,
    listening: count,
    down: count,
    listeners: z.object({ refused: counts }),
    loopUtilization: time,
    cpuMs: time,
    gcMs: time,
    workers: z.array(worker).optional(),
  }),
);
/** What all workers of a machine report at the end, and the load of the machine. */
export type MachineAccount = Omit<ShardAccount, 'delivery'> & { readonly machine: MachineLoad };

const account = formOf<MachineAccount>(
  z.object({ responses: z.array(z.unknown()), down: z.array(count), machine: z.object({}) }),
);
const copiedPassword = z.object({ kind: z.literal('copied_password'), agent: count, password: text });

const heldBackAgent = z.object({
  /** Index in the fleet. */
  agent: count,
  /** The machine that did, and with which its password was lost; `undefined`: not known yet. */
  lostWith: text.optional(),
});

export type HeldBackAgent = Readonly<z.infer<typeof heldBackAgent>>;

const toMachines = z.discriminatedUnion('kind', [
  /**
   * `atMs`, by part, is on the machine's own monotonic clock; `epochMs` is the same time on the coordinator's wall clock. Repeated when
   * agents have moved; a part that is left without agents then ends.
   */
  z.object({ kind: z.literal('start'), atMs: z.array(time), epochMs: time }),
  z.object({
    kind: z.literal('event'),
    event: eventForm,
    otherServers: formOf<readonly BaseTarget[]>(z.array(z.object({}))),
  }),
  z.object({ kind: z.literal('end_event'), name: text, atMs: time }),
  copiedPassword,
  z.object({ kind: z.literal('stop') }),
  z.object({ kind: z.literal('cancel') }),
  /** Later messages of this machine for this part do not count; a living one gives it up. `second`: the last one that it reported. */
  z.object({ kind: z.literal('lost'), part: count, generation: count, why: text, second: z.int().min(-1) }),
  /** No machine replaced the lost one. */
  z.object({ kind: z.literal('left'), part: count }),
  /** Another machine takes over, `elapsedS` after the start of the run, which was at `atMs` on its own clock. */
  z.object({
    kind: z.literal('replaced'),
    part: count,
    record: partRecord,
    elapsedS: count,
    atMs: time,
    epochMs: time,
  }),
]);

export type ToMachines = z.infer<typeof toMachines>;

const ofPart = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready') }),
  /** The reason why it cannot continue, in one sentence. */
  z.object({ kind: z.literal('failed'), text }),
  /** The machine was told to leave, and its agents have stopped. */
  z.object({ kind: z.literal('leaves') }),
  /** A frame of all its workers; the shard is the part. */
  z.object({ kind: z.literal('frame'), frame }),
  copiedPassword,
  /** All agents that do not register, because a lost machine may have registered them. */
  z.object({ kind: z.literal('held_back'), agents: z.array(heldBackAgent).readonly() }),
  z.object({ kind: z.literal('worker_lost'), worker: count, text }),
  /** Second-to-last message of a machine that ran to the end. */
  z.object({ kind: z.literal('account'), account }),
  z.object({ kind: z.literal('finished') }),
]);

export type PartMessage = z.infer<typeof ofPart>;

const fromMachine = z.intersection(z.object({ generation: count }), ofPart);

export type FromMachine = z.infer<typeof fromMachine>;

/** Frames have a subject of their own, so that they can be deleted when their seconds are stored as sums. */
export function subjectOf(part: number, { kind }: PartMessage): string {
  return `${kind === 'frame' ? 'frame' : 'from'}.${part}`;
}

export const isLeaseRequest = isOf(leaseRequest);
export const isFromMachine = isOf(fromMachine);
export const isToMachines = isOf(toMachines);
