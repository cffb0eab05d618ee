import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from '../ground/kernel/errors.ts';
import { counted } from '../ground/kernel/units.ts';
import { VERSION } from '../ground/kernel/version.ts';
import { monotonicClock } from '../ground/runtime/event-loop.ts';
import { buildHash } from '../ground/storage/build-hash.ts';
import { machineLimits } from '../ground/system/limits.ts';
import type { Bucket, Bus } from './bus.ts';
import { COORDINATOR_GONE, type PartOfRun, startPart } from './machine.ts';
import {
  type JoinedMachine,
  joinedKey,
  MACHINES_BUCKET,
  type MachineClocks,
  machineSubject,
  STALE_MS,
  type TakenPart,
  type ToMachine,
  type Work,
} from './messages.ts';

type JoinOrder = {
  readonly name: string;
  /** `undefined`: as many as fit this machine. */
  readonly workers: number | undefined;
  /** Whether it leaves after one run. */
  readonly once: boolean;
};

/** This machine as a member of a cluster. */
export type Joined = {
  /** Stops its work: abandons operations in flight and notifies the coordinator. */
  readonly leave: () => Promise<void>;
  /** Resolves when it has left. */
  readonly left: Promise<void>;
};

/** Its parts, by number; `undefined` until they are started. */
type CurrentRun = { readonly run: string; readonly parts: Map<number, PartOfRun | undefined> };

const HEARTBEAT_MS = 1000;
const GOODBYE_MS = 2000;

/** Joins the cluster and works for one run at a time. `say` receives one sentence per event. */
export async function joinCluster(bus: Bus, order: JoinOrder, say: (text: string) => void): Promise<Joined> {
  const id = randomUUID();
  const { name } = order;
  // Outdated heartbeats are worthless, so one replica suffices.
  const machines = await bus.bucket(MACHINES_BUCKET, { replicas: 1, ttlMs: STALE_MS });
  const left = Promise.withResolvers<void>();
  let current: CurrentRun | undefined;
  let isLeaving = false;
  let isGone = false;
  const parts = (): readonly PartOfRun[] => [...(current?.parts.values() ?? [])].filter((part) => part !== undefined);
  /** All parts of the run, or only one of them. */
  const partsOf = (run: string, only: number | undefined): readonly PartOfRun[] => {
    if (current?.run !== run) return [];
    return only === undefined ? parts() : [current.parts.get(only)].filter((part) => part !== undefined);
  };

  const present = (): JoinedMachine => ({
    ...{ id, name, version: VERSION, build: buildHash(), cores: availableParallelism(), run: current?.run },
    fileDescriptors: machineLimits().fileDescriptors,
  });
  const key = joinedKey({ name, id });
  const beat = async (): Promise<void> => {
    if (isGone) return;
    const sentMs = monotonicClock();
    const wasThere = await isExtended(machines, key, present());
    for (const part of parts()) part.renewLease(wasThere ? sentMs : undefined);
    if (!wasThere) await machines.put(key, present());
  };
  const heartbeat = createHeartbeat(() => beat().catch(unlessLeaving));

  async function take(work: Work): Promise<TakenPart> {
    if (isLeaving) throw new UserError('it leaves');
    if (current !== undefined && (current.run !== work.run || current.parts.has(work.part)))
      throw new UserError(`it is working on run ${current.run}`);
    const beside = parts();
    const own: CurrentRun = current ?? { run: work.run, parts: new Map() };
    own.parts.set(work.part, undefined);
    current = own;
    try {
      const part = await startPart(bus, work, { workersWanted: order.workers, beside });
      own.parts.set(work.part, part);
      say(`run ${work.run}: ${partText(work, part)}, with ${counted(part.workers, 'worker')}`);
      void part.ended.then((how) => finish(own, work.part, how));
      return { workers: part.workers };
    } catch (error) {
      remove(own, work.part);
      throw error;
    } finally {
      void heartbeat.send();
    }
  }

  function remove(own: CurrentRun, part: number): void {
    own.parts.delete(part);
    if (own.parts.size === 0 && current === own) current = undefined;
  }

  function finish(own: CurrentRun, part: number, how: string): void {
    remove(own, part);
    say(own.parts.size === 0 ? `run ${own.run}: ${how}` : `run ${own.run}: part ${part + 1} is over`);
    if (order.once && how !== 'released' && how !== COORDINATOR_GONE && current === undefined) void leave();
    else void heartbeat.send();
  }

  function answer(message: ToMachine): unknown {
    switch (message.kind) {
      case 'clocks':
        return { monotonicMs: monotonicClock(), unixMs: Date.now() } satisfies MachineClocks;
      case 'take':
        return take(message.work);
      case 'release':
        for (const part of partsOf(message.run, message.part)) part.release();
        return undefined;
      case 'query': {
        const [part] = partsOf(message.run, message.part);
        if (part === undefined) throw new Error('it is working on another run');
        return part.ask(message.query);
      }
    }
  }

  let isAway = false;
  const looking = setInterval(() => {
    if ((bus.connectedMs() === undefined) === isAway) return;
    isAway = !isAway;
    say(isAway ? 'NATS is unreachable: waiting until it is back' : 'NATS is reachable again');
  }, HEARTBEAT_MS);
  const silence = bus.serve(machineSubject(id), (message) => answer(message as ToMachine));
  await heartbeat.begin();

  async function leave(): Promise<void> {
    if (isLeaving) return left.promise;
    isLeaving = true;
    await Promise.all(
      parts().map((part) => {
        part.leave(`${name} was told to leave`);
        return part.ended;
      }),
    );
    isGone = true;
    silence();
    clearInterval(looking);
    heartbeat.stop();
    await Promise.race([goodbye(), sleep(GOODBYE_MS, undefined, { ref: false })]);
    left.resolve();
  }

  /** Optional, because the entry would expire. Waits until NATS is reachable. */
  async function goodbye(): Promise<void> {
    await heartbeat.sent();
    await machines.delete(key).catch(unlessLeaving);
  }

  /** Errors of pending writes are expected when the connection closes. */
  function unlessLeaving(error: unknown): void {
    if (!isGone) throw error;
  }

  return { leave, left: left.promise };
}

function partText({ part, shard }: Work, { agents }: PartOfRun): string {
  return shard.only === undefined
    ? `part ${part + 1} of ${shard.count}`
    : `part ${part + 1}, ${counted(agents.size, 'agent')}`;
}

/** Extends the machine's entry. Returns false if it has expired, after which the coordinator may give its agents to another machine. */
export async function isExtended(machines: Bucket, key: string, present: JoinedMachine): Promise<boolean> {
  for (;;) {
    const held = await machines.get(key);
    if (held === undefined) return false;
    // A repeated write finds its own revision.
    if (await machines.update(key, present, held.revision)) return true;
  }
}

/** Sends one heartbeat after the other. */
function createHeartbeat(put: () => Promise<unknown>) {
  let sending: Promise<unknown> = Promise.resolve();
  let isSent = true;
  let timer: NodeJS.Timeout | undefined;
  const send = (): Promise<unknown> => {
    sending = sending.then(put);
    return sending;
  };
  const beat = (): void => {
    // One at a time, because they would pile up while NATS is unreachable.
    if (!isSent) return;
    isSent = false;
    void send().finally(() => {
      isSent = true;
    });
  };
  return {
    send,
    begin: async (): Promise<void> => {
      await send();
      timer = setInterval(beat, HEARTBEAT_MS);
    },
    sent: () => sending,
    stop: (): void => clearInterval(timer),
  };
}
