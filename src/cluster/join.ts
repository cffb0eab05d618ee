import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from '../base/kernel/errors.ts';
import { counted } from '../base/kernel/units.ts';
import { VERSION } from '../base/kernel/version.ts';
import { monotonicClock } from '../base/runtime/event-loop.ts';
import type { Bucket } from './bucket.ts';
import { buildHash } from './build-hash.ts';
import type { Bus } from './bus.ts';
import { COORDINATOR_GONE, type MachinePart, startPart } from './machine.ts';
import {
  type AcceptedPart,
  isToMachine,
  type JoinedMachine,
  joinedKey,
  MACHINES_BUCKET,
  type MachineClocks,
  machineSubject,
  STALE_MS,
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

/** Its parts, by number; `undefined` until they are started. */
type CurrentRun = { readonly run: string; readonly parts: Map<number, MachinePart | undefined> };

type Member = {
  readonly bus: Bus;
  readonly order: JoinOrder;
  readonly note: (text: string) => void;
  /** Leaves after its last run. */
  readonly leave: () => void;
  current: CurrentRun | undefined;
  /** Resolve it to send the next heartbeat now. */
  nextHeartbeat: PromiseWithResolvers<void>;
  isLeaving: boolean;
  isGone: boolean;
};

const GOODBYE_MS = 2000;

const OTHER_KEY =
  'a coordinator on this NATS waits for machines with another cluster key: if it should find this one, set the same MUSTER_CLUSTER_KEY on both';

/** Joins the cluster and works for one run at a time. `note` receives one sentence per event. */
export async function joinCluster(bus: Bus, order: JoinOrder, note: (text: string) => void) {
  const id = randomUUID();
  const { name } = order;
  // Outdated heartbeats are worthless, so one replica suffices.
  const machines = await bus.bucket(MACHINES_BUCKET, { replicas: 1, ttlMs: STALE_MS });
  const key = joinedKey({ name, id });
  const left = Promise.withResolvers<void>();
  const member: Member = {
    bus,
    order,
    note,
    current: undefined,
    nextHeartbeat: Promise.withResolvers(),
    isLeaving: false,
    isGone: false,
    leave: () => void leave(),
  };
  const watching = setInterval(watchNats(member), HEARTBEAT_MS);
  const stopServing = bus.serve(machineSubject(id), (message) => {
    if (!isToMachine(message)) throw new Error('expected a request to a machine, found something else');
    return answer(member, message);
  });
  const stopListening = bus.onOtherSearch(() => {
    if (member.current !== undefined) return;
    stopListening();
    note(OTHER_KEY);
  });
  await sendHeartbeat(member, machines, id);
  const heartbeats = sendHeartbeats(member, () => sendHeartbeat(member, machines, id));

  async function leave(): Promise<void> {
    if (member.isLeaving) return left.promise;
    member.isLeaving = true;
    await Promise.all(
      partsOf(member).map((part) => {
        part.leave();
        return part.ended;
      }),
    );
    member.isGone = true;
    member.nextHeartbeat.resolve();
    stopServing();
    stopListening();
    clearInterval(watching);
    // Waits until NATS is reachable, but not for long, because the entry would expire anyway.
    const goodbye = heartbeats.then(() => machines.delete(key)).catch(() => {});
    await Promise.race([goodbye, sleep(GOODBYE_MS, undefined, { ref: false })]);
    left.resolve();
  }

  return {
    /** Stops its work: abandons operations in flight and notifies the coordinator. */
    leave,
    left: left.promise,
  };
}

function partsOf({ current }: Member, run = current?.run, only?: number): readonly MachinePart[] {
  if (current === undefined || current.run !== run) return [];
  const parts = only === undefined ? [...current.parts.values()] : [current.parts.get(only)];
  return parts.filter((part) => part !== undefined);
}

function answer(member: Member, message: ToMachine): unknown {
  switch (message.kind) {
    case 'clocks':
      return { monotonicMs: monotonicClock(), unixMs: Date.now() } satisfies MachineClocks;
    case 'take':
      return take(member, message.work);
    case 'release':
      for (const part of partsOf(member, message.run, message.part)) part.release();
      return undefined;
    case 'query': {
      const [part] = partsOf(member, message.run, message.part);
      if (part === undefined) throw new Error('it is working on another run');
      return part.ask(message.query);
    }
  }
}

async function take(member: Member, work: Work): Promise<AcceptedPart> {
  const { bus, order, note, current, isLeaving } = member;
  if (isLeaving) throw new UserError('it leaves');
  if (current !== undefined && (current.run !== work.run || current.parts.has(work.part)))
    throw new UserError(`it is working on run ${current.run}`);
  const others = partsOf(member);
  const own: CurrentRun = current ?? { run: work.run, parts: new Map() };
  own.parts.set(work.part, undefined);
  member.current = own;
  try {
    const part = await startPart(bus, work, { name: order.name, workers: order.workers, others });
    own.parts.set(work.part, part);
    note(`run ${work.run}: ${partText(work, part)}, with ${counted(part.workers, 'worker')}`);
    void part.ended.then((how) => finish(member, own, { part: work.part, how }));
    return { workers: part.workers };
  } catch (error) {
    remove(member, own, work.part);
    throw error;
  } finally {
    member.nextHeartbeat.resolve();
  }
}

function remove(member: Member, own: CurrentRun, part: number): void {
  own.parts.delete(part);
  if (own.parts.size === 0 && member.current === own) member.current = undefined;
}

function finish(member: Member, own: CurrentRun, { part, how }: { readonly part: number; readonly how: string }): void {
  remove(member, own, part);
  member.note(own.parts.size === 0 ? `run ${own.run}: ${how}` : `run ${own.run}: part ${part + 1} is over`);
  const isDone = how !== 'released' && how !== COORDINATOR_GONE && member.current === undefined;
  if (member.order.once && isDone) member.leave();
  else member.nextHeartbeat.resolve();
}

function partText({ part, shard }: Work, { agents }: MachinePart): string {
  return shard.only === undefined
    ? `part ${part + 1} of ${shard.count}`
    : `part ${part + 1}, ${counted(agents.size, 'agent')}`;
}

/** One heartbeat after the other, because they would pile up while NATS is unreachable. */
async function sendHeartbeats(member: Member, send: () => Promise<void>): Promise<void> {
  for (;;) {
    await Promise.race([member.nextHeartbeat.promise, sleep(HEARTBEAT_MS, undefined, { ref: false })]);
    if (member.isGone) return;
    member.nextHeartbeat = Promise.withResolvers();
    await send().catch((error: unknown) => {
      // Errors of pending writes are expected when the connection closes.
      if (!member.isGone) throw error;
    });
  }
}

/** Announces the machine, and renews the leases of its parts. */
async function sendHeartbeat(member: Member, machines: Bucket, id: string): Promise<void> {
  const { name } = member.order;
  const present: JoinedMachine = { id, name, version: VERSION, build: buildHash(), run: member.current?.run };
  const key = joinedKey(present);
  const sentMs = monotonicClock();
  const isExtended = await extendEntry(machines, key, present);
  for (const part of partsOf(member)) part.renewLease(isExtended ? sentMs : undefined);
  if (!isExtended) await machines.put(key, present);
}

/** Extends the machine's entry. Returns false if it has expired, after which the coordinator may give its agents to another machine. */
export async function extendEntry(machines: Bucket, key: string, present: JoinedMachine): Promise<boolean> {
  for (;;) {
    const entry = await machines.get(key);
    if (entry === undefined) return false;
    // A repeated write finds its own revision.
    if (await machines.update(key, present, entry.revision)) return true;
  }
}

/** Looks whether NATS is reachable and has room, and says when that changes. */
function watchNats({ bus, note }: Member): () => void {
  let was: 'well' | 'away' | 'full' = 'well';
  return () => {
    const problem = bus.problem();
    const hasRoom = problem === undefined ? 'well' : 'full';
    const now = bus.connectedMs() === undefined ? 'away' : hasRoom;
    if (now === was) return;
    note(
      {
        away: 'NATS is unreachable: waiting until it is back',
        full: `NATS cannot store messages (${problem}): waiting until there is room`,
        well: was === 'away' ? 'NATS is reachable again' : 'NATS stores messages again',
      }[now],
    );
    was = now;
  };
}

const HEARTBEAT_MS = 1000;
