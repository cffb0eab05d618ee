import { z } from 'zod';
import { MEASURED_OPERATIONS } from '../ground/protocol/operations.ts';
import type { FleetEvent } from '../load/events/event.ts';
import type { Shard } from '../load/shard.ts';
import type { MachineLoad } from '../metrics/merging/cluster-machine.ts';
import type { Frame } from '../metrics/recording/frame.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { BaseTarget, ShardAccount, ShardQuery } from '../workers/messages.ts';

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

export type JoinedMachine = {
  /** Unique per process, even if processes have the same name. */
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** `buildHash`. Builds of one version may send different bytes. */
  readonly build: string;
  /** The run it works for; `undefined` if it is waiting. */
  readonly run: string | undefined;
};

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

const count = z.int().nonnegative();
const counts = z.record(z.string(), count);
const time = z.number();
const text = z.string();

const leaseRequest = z.object({
  ...{ part: count, generation: count },
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

/** Requests to one machine; not stored. */
export type ToMachine =
  /** Answered with `MachineClocks`. */
  | { readonly kind: 'clocks' }
  /** Answered with `TakenPart`, or refused with a reason: the machine works for another run, or cannot run this part. */
  | { readonly kind: 'take'; readonly work: Work }
  /** The part, or each part of the run if there is none, is no longer needed. */
  | { readonly kind: 'release'; readonly run: string; readonly part?: number }
  /** Answered like a shard's queries; agents are numbered within the part. */
  | { readonly kind: 'query'; readonly run: string; readonly part: number; readonly query: ShardQuery };

export type MachineClocks = { readonly monotonicMs: number; readonly unixMs: number };

/** Number of threads that will run the part. */
export type TakenPart = { readonly workers: number };

/** A part of a run for one machine. */
export type Work = {
  readonly run: string;
  /** The id of the coordinator. */
  readonly coordinator: string;
  /** Parts are numbered from 0. A fleet gets further ones when its agents move. */
  readonly part: number;
  /** The agents of the part. */
  readonly shard: Shard;
  /** Instead of the order that is stored, if the scenario was edited. */
  readonly order: WorkOrder | undefined;
  /** Number of machines that had the part before. */
  readonly generation: number;
  /** Elapsed time of the run when the machine starts, in whole seconds. */
  readonly elapsedS: number;
  /** When the fleet was first started; `undefined`: now. */
  readonly firstStartedAt: Date | undefined;
  /** The current events of the run; `undefined`: those of the scenario. */
  readonly events: readonly FleetEvent[] | undefined;
  /** Messages of the stream up to this one are already taken into account. */
  readonly fromSequence: number;
};

export type WorkOrder = {
  readonly scenario: Scenario;
  /** Certificates of the trusted authority, in PEM. */
  readonly ca: string | undefined;
  /** Identifies kept passwords; `undefined` if there are none. */
  readonly fleet: string | undefined;
  readonly replicas: number;
};

/** The state of a run, for a coordinator that resumes it. */
export type RunRecord = {
  /** The first machine of each part; replacements are in the stream. */
  readonly parts: readonly PartRecord[];
  /** Unix ms; `undefined` if the run has not started. */
  readonly startedAtMs: number | undefined;
  /** Seconds whose frames are no longer in the stream; `undefined`: none. */
  readonly compacted: CompactedSeconds | undefined;
  /** Includes added events and their ends; `undefined`: those of the scenario. */
  readonly events: readonly FleetEvent[] | undefined;
  /** For a kept fleet, as in `WorkOrder`; `undefined` for a run with an end. */
  readonly fleet: string | undefined;
};

/** Completed seconds of a run that are stored as sums. */
export type CompactedSeconds = {
  /** Number of objects with sums. */
  readonly objects: number;
  /** The objects contain the frames up to this second and this message of the stream. */
  readonly second: number;
  readonly sequence: number;
};

const partRecord = z.object({
  machine: z.object({ id: text, name: text }),
  ...{ workers: count, generation: count },
  /** How far its wall clock and its monotonic clock are ahead of the coordinator's. */
  ...{ clockOffsetMs: time, monotonicOffsetMs: time, clockErrorMs: time },
});

/** The machine that runs a part of the fleet. */
export type PartRecord = Readonly<z.infer<typeof partRecord>>;

/*
 * Messages in the stream of a run. Without a cluster key, any program that reaches NATS can write to it: a message of another form is skipped
 * before it is used.
 */

/** Checks only what a reader of the message relies on. */
function formOf<T>(form: z.ZodType): z.ZodType<T> {
  return form as z.ZodType<T>;
}

const event = formOf<FleetEvent>(z.object({ name: text, fromMs: time, action: z.object({ kind: text }) }));
const series = z.object({
  ...{ phase: text, operation: z.enum(MEASURED_OPERATIONS), dropped: counts, outcomes: counts },
  ...{ planned: count, started: count, succeededWithin: count, sentBytes: count, receivedBytes: count },
  histograms: z.record(text, z.instanceof(Uint8Array)),
});
const worker = z.object({
  ...{ shard: count, loopUtilization: time, cpuMs: time, gcMs: time, listening: count },
  stalls: z.array(z.object({ fromMs: time, toMs: time })),
});
const frame = formOf<Frame>(
  z.object({
    ...{ shard: count, second: count, series: z.array(series), agents: counts, inFlight: count, listening: count },
    ...{ down: count, listeners: z.object({ refused: counts }), loopUtilization: time, cpuMs: time, gcMs: time },
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
  z.object({ kind: z.literal('event'), event, otherServers: formOf<readonly BaseTarget[]>(z.array(z.object({}))) }),
  /** Answered with `event_ended` in the stream. */
  z.object({ kind: z.literal('end_event'), name: text, atMs: time }),
  copiedPassword,
  z.object({ kind: z.literal('stop') }),
  z.object({ kind: z.literal('cancel') }),
  /**
   * Later messages of this machine for this part do not count. If the machine is still alive, it gives the part up. `second` is the last
   * one that it reported.
   */
  z.object({ kind: z.literal('lost'), part: count, generation: count, why: text, second: z.int().min(-1) }),
  /** No machine replaced the lost one. */
  z.object({ kind: z.literal('left'), part: count }),
  /** Another machine takes over, `elapsedS` after the start of the run, which was at `atMs` on its own clock. */
  z.object({
    kind: z.literal('replaced'),
    ...{ part: count, record: partRecord, elapsedS: count, atMs: time, epochMs: time },
  }),
]);

/** Messages to all machines of a run. */
export type ToMachines = z.infer<typeof toMachines>;

const ofPart = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready') }),
  /** The reason why it cannot continue, in one sentence. */
  z.object({ kind: z.literal('failed'), text }),
  /** The machine was told to leave, and its agents have stopped. */
  z.object({ kind: z.literal('leaves') }),
  /** A frame of all its workers; the shard is the part. */
  z.object({ kind: z.literal('frame'), frame }),
  /** `count` is the number of agents that the event affects. */
  z.object({ kind: z.literal('event_ended'), name: text, count }),
  copiedPassword,
  /** All agents that do not register, because a lost machine may have registered them. */
  z.object({ kind: z.literal('held_back'), agents: z.array(heldBackAgent) }),
  /** The machine lost one of its threads. */
  z.object({ kind: z.literal('worker_lost'), worker: count, text }),
  /** Second-to-last message of a machine that ran to the end. */
  z.object({ kind: z.literal('account'), account }),
  z.object({ kind: z.literal('finished') }),
]);

/** What a machine says of its part. */
export type PartMessage = z.infer<typeof ofPart>;

const fromMachine = z.intersection(z.object({ generation: count }), ofPart);

/** Messages from a machine. */
export type FromMachine = z.infer<typeof fromMachine>;

/** Frames have a subject of their own, so that they can be deleted when their seconds are stored as sums. */
export function subjectOf(part: number, { kind }: PartMessage): string {
  return `${kind === 'frame' ? 'frame' : 'from'}.${part}`;
}

export function isLeaseRequest(message: unknown): message is LeaseRequest {
  return leaseRequest.safeParse(message).success;
}

export function isFromMachine(message: unknown): message is FromMachine {
  return fromMachine.safeParse(message).success;
}

export function isToMachines(message: unknown): message is ToMachines {
  return toMachines.safeParse(message).success;
}
