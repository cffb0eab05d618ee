import type { FleetEvent } from '../events/event.ts';
import type { Shard } from '../load/shard.ts';
import type { MachineLoad } from '../metrics/judging/validity.ts';
import type { Frame } from '../metrics/recording/frame.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { BaseTarget, CopiedPassword, ShardAccount, ShardAnswers, ShardQuery } from '../workers/messages.ts';

/*
 * What machines and a coordinator say to each other. A machine is to the coordinator what a thread is to the control plane, so most
 * of it are the words of ToShard and FromShard of `workers`.
 *
 * Of each run there is one stream. The coordinator writes to `to`, the machine that raises part m to `from.m`. Who reads the stream
 * from its first message on knows all that the coordinator knows: that is how a run is taken up again.
 */

/** The bucket of those who have joined, by `joinedKey`; an entry is written anew each second, and goes when it is not. */
export const MACHINES_BUCKET = 'muster-machines';

/** The bucket of runs (`RunRecord`), by their names, and of leases, by `coordinator.RUN` and `fleet.FLEET`: a coordinator's id. */
export const RUNS_BUCKET = 'muster-runs';

/** The bucket of the passwords of a fleet, by uuid. */
export function identitiesBucket(fleet: string): string {
  return `muster-identities-${fleet}`;
}

/** The object of a run that all machines need: a `WorkOrder`. */
export const ORDER_OBJECT = 'order';

/** A machine that has joined. */
export type JoinedMachine = {
  /** Of this process; another one of the same name has another. */
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly cores: number;
  readonly fileDescriptors: number | undefined;
  /** What it works for at present; undefined: it waits. */
  readonly run: string | undefined;
};

export function joinedKey({ name, id }: Pick<JoinedMachine, 'name' | 'id'>): string {
  return `${name}.${id}`;
}

/** Where a machine answers `ToMachine`, and a coordinator that it is there. */
export function machineSubject(id: string): string {
  return `muster.machine.${id}`;
}

export function coordinatorSubject(id: string): string {
  return `muster.coordinator.${id}`;
}

/** What a machine is asked directly; nothing of it is stored. */
export type ToMachine =
  /** Answered by `MachineClocks`. */
  | { readonly kind: 'clocks' }
  /** Answered by `TakenPart`, or refused in one sentence: the machine works for another run, or cannot raise this part. */
  | { readonly kind: 'take'; readonly work: Work }
  /** What it was given is not wanted any more. */
  | { readonly kind: 'release'; readonly run: string }
  /** Answered as shards answer, with agents by their numbers in the machine's part. */
  | { readonly kind: 'ask'; readonly run: string; readonly query: ShardQuery };

export type MachineClocks = { readonly monotonicMs: number; readonly unixMs: number };

/** How many threads it will send with. */
export type TakenPart = { readonly workers: number };

/** A part of a run for one machine. */
export type Work = {
  readonly run: string;
  /** The id of who gives it. */
  readonly coordinator: string;
  readonly part: Shard;
  /** How many machines had the part before. */
  readonly generation: number;
  /** What of the run is over when it begins; whole seconds. */
  readonly elapsedS: number;
  /** When the fleet was first raised; undefined: now. */
  readonly raisedAt: Date | undefined;
  /** The events of the run as they are now; undefined: those of the scenario. */
  readonly events: readonly FleetEvent[] | undefined;
  /** It has processed the stream up to this message. */
  readonly fromSequence: number;
};

export type WorkOrder = {
  readonly scenario: Scenario;
  /** Certificates of the authority to trust, in PEM. */
  readonly ca: string | undefined;
  /** Identifies kept passwords; undefined: none. */
  readonly fleet: string | undefined;
  readonly replicas: number;
};

/** The state of a run, for a coordinator that resumes it. */
export type RunRecord = {
  /** Who had the parts first; who took over is in the stream. */
  readonly parts: readonly PartRecord[];
  /** Unix ms; undefined: it has not started. */
  readonly startedAtMs: number | undefined;
  /** With those that were added, and when they were ended; undefined: those of the scenario. */
  readonly events: readonly FleetEvent[] | undefined;
  /** Of a fleet that is kept up, as in `WorkOrder`; undefined: a run that has an end. */
  readonly fleet: string | undefined;
};

/** Who raises a part of the fleet. */
export type PartRecord = {
  readonly machine: Pick<JoinedMachine, 'id' | 'name'>;
  readonly workers: number;
  readonly generation: number;
  /** What its clock of the world shows more than the coordinator's, and its monotonic clock. */
  readonly clockOffsetMs: number;
  readonly monotonicOffsetMs: number;
  readonly clockErrorMs: number;
};

/** To all machines of a run, in the stream. */
export type ToMachines =
  /** By part; `atMs` is on that machine's own monotonic clock, `epochMs` the same instant on the coordinator's clock of the world. */
  | { readonly kind: 'start'; readonly atMs: readonly number[]; readonly epochMs: number }
  | { readonly kind: 'event'; readonly event: FleetEvent; readonly otherServers: readonly BaseTarget[] }
  /** Answered by `told` in the stream. */
  | { readonly kind: 'ask'; readonly id: string; readonly query: ShardQuery }
  | ({ readonly kind: 'copied_password' } & CopiedPassword)
  | { readonly kind: 'stop' }
  | { readonly kind: 'cancel' }
  /** Nothing that this machine of this part sends from here on counts; if it is there after all, it gives up. */
  | { readonly kind: 'lost'; readonly part: number; readonly generation: number; readonly why: string }
  /** No machine took over a lost part. */
  | { readonly kind: 'left'; readonly part: number }
  /** Another machine takes over, this many seconds after the start of the run, which was at `atMs` of its own clock. */
  | {
      readonly kind: 'replaced';
      readonly part: number;
      readonly record: PartRecord;
      readonly elapsedS: number;
      readonly atMs: number;
      readonly epochMs: number;
    };

/** From a machine, in the stream. */
export type FromMachine = { readonly generation: number } & (
  | { readonly kind: 'ready' }
  /** Why it cannot continue, in one sentence. */
  | { readonly kind: 'failed'; readonly text: string }
  /** Of all its workers; its shard is the part. */
  | { readonly kind: 'frame'; readonly frame: Frame }
  | { readonly kind: 'told'; readonly id: string; readonly answer: ShardAnswers[ShardQuery['kind']] }
  | ({ readonly kind: 'copied_password' } & CopiedPassword)
  /** One of its threads. */
  | { readonly kind: 'worker_lost'; readonly worker: number; readonly text: string }
  /** The servers were away for longer than it keeps what it has to say. */
  | { readonly kind: 'skipped'; readonly seconds: number }
  /** The last but one of a machine that ran to its end. */
  | { readonly kind: 'account'; readonly account: MachineAccount }
  | { readonly kind: 'finished' }
);

/** What all workers of a machine know at the end, and how busy the machine was. */
export type MachineAccount = Omit<ShardAccount, 'delivery'> & { readonly machine: MachineLoad };
