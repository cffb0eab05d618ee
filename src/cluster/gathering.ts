import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UserError } from '../base/kernel/errors.ts';
import { once } from '../base/kernel/memoize.ts';
import { counted } from '../base/kernel/units.ts';
import { VERSION } from '../base/kernel/version.ts';
import { monotonicClock } from '../base/runtime/event-loop.ts';
import type { Bucket } from './bucket.ts';
import type { Bus } from './bus.ts';
import {
  isJoinedMachine,
  isMachineClocks,
  isTakenPart,
  type JoinedMachine,
  joinedKey,
  MACHINES_BUCKET,
  type MachineClocks,
  machineSubject,
  type PartRecord,
  type Work,
} from './messages.ts';

/** The known machines of a cluster. */
export type Membership = Awaited<ReturnType<typeof watchMembers>>;

/** Machines silent for longer are not offered a part. */
const FRESH_MS = 4000;
const NEWS_MS = 500;

export async function watchMembers(machines: Bucket) {
  const known = new Map<string, { readonly machine: JoinedMachine; readonly lastSeenMs: number }>();
  const refusals = new Map<string, string>();
  let changed = Promise.withResolvers<void>();
  const stop = await machines.watch((key, entry) => {
    const [id = key] = key.split('.').slice(-1);
    const refuse = (why: string) => refusals.set(key, `${key.slice(0, key.lastIndexOf('.'))}: ${why}`);
    if (entry === undefined) known.delete(id);
    else if (!isJoinedMachine(entry.value) || entry.value.id !== id) refuse('its entry in NATS is none of a machine');
    else known.set(id, { machine: entry.value, lastSeenMs: monotonicClock() });
    changed.resolve();
    changed = Promise.withResolvers();
  });
  return {
    /** Machines that recently reported that they are waiting for work. */
    waiting: (): readonly JoinedMachine[] =>
      [...known.values()].flatMap(({ machine, lastSeenMs }) =>
        machine.run === undefined && monotonicClock() - lastSeenMs < FRESH_MS ? [machine] : [],
      ),
    /** Machines that already work for a run. */
    atWork: (): readonly JoinedMachine[] =>
      [...known.values()].map(({ machine }) => machine).filter(({ run }) => run !== undefined),
    /** When a machine last sent a heartbeat, on the monotonic clock; `undefined`: never. */
    lastSeenMs: (id: string): number | undefined => known.get(id)?.lastSeenMs,
    /** Whether the machine's entry has not expired; false if NATS does not say. */
    isPresent: (machine: Pick<JoinedMachine, 'name' | 'id'>): Promise<boolean> =>
      Promise.race([
        machines.get(joinedKey(machine)).then((entry) => entry !== undefined),
        new Promise<false>((give) => setTimeout(give, ASKED_MS, false).unref()),
      ]),
    /** Resolves at the next change, or after a short time. */
    news: (): Promise<void> => Promise.race([changed.promise, new Promise<void>((next) => setTimeout(next, NEWS_MS))]),
    /** Why machines refused a part: `c: 900 connections need …`. */
    refusals,
    stop,
  };
}

const READINGS = 10;
const ASKED_MS = 2000;

/** Long enough for a machine to check guards and addresses before it accepts. */
const TAKEN_MS = 30_000;

/** With clocks further apart, machines would seem to be in different runs, and certificates not valid yet. */
const MAX_APART_MS = 60_000;

/** Offers a part to a machine; `undefined` if it refuses, with the reason in `refusals`. */
export async function offer(
  bus: Bus,
  { machine, work }: { readonly machine: JoinedMachine; readonly work: Work },
  refusals: Map<string, string>,
): Promise<PartRecord | undefined> {
  const { id, name } = machine;
  const refuse = (why: string): undefined => void refusals.set(id, `${name}: ${why}`);
  if (machine.version !== VERSION)
    return refuse(`it runs version ${machine.version}, but this machine runs ${VERSION}`);
  if (machine.build !== buildHash())
    return refuse(
      `it runs build ${machine.build} of version ${VERSION}, but this machine runs build ${buildHash()}; install the same package on both`,
    );
  const clocks = await clocksOf(bus, id);
  if (clocks === undefined) return refuse('it does not answer');
  if (Math.abs(clocks.unixMs) > MAX_APART_MS)
    return refuse(
      `its clock is ${Math.round(Math.abs(clocks.unixMs) / 1000)} s ${clocks.unixMs > 0 ? 'ahead' : 'behind'}; synchronize it with NTP`,
    );
  const reply = await bus.request(machineSubject(id), { kind: 'take', work }, TAKEN_MS);
  if (reply.kind === 'refusal') return refuse(reply.text);
  if (reply.kind !== 'answer' || !isTakenPart(reply.answer)) return refuse('it does not answer');
  const { workers } = reply.answer;
  return {
    machine: { id, name },
    workers,
    generation: work.generation,
    clockOffsetMs: clocks.unixMs,
    clockErrorMs: clocks.errorMs,
    monotonicOffsetMs: clocks.monotonicMs,
  };
}

async function clocksOf(bus: Bus, id: string): Promise<ClockOffset | undefined> {
  const readings: ClockReading[] = [];
  for (let n = 0; n < READINGS; n++) {
    const requestedMs = monotonicClock();
    const reply = await bus.request(machineSubject(id), { kind: 'clocks' }, ASKED_MS);
    if (reply.kind !== 'answer' || !isMachineClocks(reply.answer)) return undefined;
    const answeredMs = monotonicClock();
    readings.push({ requestedMs, answeredMs, unixMs: Date.now(), theirs: reply.answer });
  }
  return clockOffsetOf(readings);
}

type Gathering = {
  readonly count: number;
  readonly waitMs: number;
  readonly workFor: (part: number) => Work;
  /** Rejects if waiting is canceled. */
  readonly calledOff: Promise<never>;
  readonly say: (text: string) => void;
};

const SOUGHT_MS = 1000;
const STRANGERS_MS = 3000;

/**
 * Waits for news of machines. Meanwhile, tells the user of machines with another key, and them of this coordinator. Rejects with `UserError`
 * when the time is over, with the machines found until then.
 */
function createWaiting(
  bus: Bus,
  members: Membership,
  { count, waitMs, say }: Pick<Gathering, 'count' | 'waitMs' | 'say'>,
) {
  const limitMs = monotonicClock() + waitMs;
  let seekAtMs = 0;
  let lookAtMs = monotonicClock() + STRANGERS_MS;
  return async (found: readonly PartRecord['machine'][]): Promise<void> => {
    const nowMs = monotonicClock();
    if (nowMs > limitMs) throw await tooFew(bus, { count, waitMs }, found, members);
    if (nowMs >= seekAtMs) {
      bus.seek();
      seekAtMs = nowMs + SOUGHT_MS;
    }
    if (nowMs >= lookAtMs) {
      const strangers = await strangersText(bus);
      lookAtMs = strangers === '' ? nowMs + STRANGERS_MS : Number.POSITIVE_INFINITY;
      if (strangers !== '') say(`still waiting for machines: ${strangers}`);
    }
    await members.news();
  };
}

async function strangersText(bus: Bus): Promise<string> {
  const strangers = await bus.strangers(MACHINES_BUCKET).catch(() => 0);
  return strangers === 0 ? '' : `${counted(strangers, 'machine')} joined with another cluster key or an older version`;
}

/**
 * Assigns each part to a waiting machine, and waits for more machines if there are too few. On failure, releases the
 * machines that have accepted a part. Rejects with the error of `calledOff`, too.
 * @throws UserError if too few machines join in time.
 */
export async function gather(bus: Bus, members: Membership, gathering: Gathering): Promise<readonly PartRecord[]> {
  const taken = new Map<number, PartRecord>();
  try {
    await fill(bus, members, { ...gathering, taken });
  } catch (error) {
    await release(bus, gathering.workFor(0).run, [...taken.values()]);
    throw error;
  }
  return [...taken].sort(([a], [b]) => a - b).map(([, record]) => record);
}

/**
 * Resolves once enough machines wait for work; machines that work for runs in `left` are asked to stop.
 * @throws UserError if too few are available in time.
 */
export async function enough(
  bus: Bus,
  members: Membership,
  { left, ...waiting }: Omit<Gathering, 'workFor' | 'calledOff'> & { readonly left: ReadonlySet<string> },
): Promise<void> {
  const wait = createWaiting(bus, members, waiting);
  while (members.waiting().length < waiting.count) {
    for (const machine of members.atWork())
      if (machine.run !== undefined && left.has(machine.run)) await release(bus, machine.run, [{ machine }]);
    await wait(members.waiting());
  }
}

async function fill(
  bus: Bus,
  members: Membership,
  { workFor, calledOff, taken, ...waiting }: Gathering & { readonly taken: Map<number, PartRecord> },
): Promise<void> {
  const wait = createWaiting(bus, members, waiting);
  const asked = new Set<string>();
  while (taken.size < waiting.count) {
    const free = Array.from({ length: waiting.count }, (_, part) => part).filter((part) => !taken.has(part));
    const candidates = members.waiting().filter(({ id }) => !asked.has(id));
    const pairs = candidates.slice(0, free.length).map((machine, n) => ({ machine, part: free[n] ?? 0 }));
    for (const { machine } of pairs) asked.add(machine.id);
    await Promise.all(
      pairs.map(async ({ machine, part }) => {
        const record = await offer(bus, { machine, work: workFor(part) }, members.refusals);
        if (record !== undefined) taken.set(part, record);
      }),
    );
    const found = [...taken.values()].map(({ machine }) => machine);
    if (pairs.length === 0) await Promise.race([wait(found), calledOff]);
  }
}

/** Releases machines from their parts. */
export async function release(
  bus: Bus,
  run: string,
  taken: readonly { readonly machine: Pick<JoinedMachine, 'id'> }[],
): Promise<void> {
  await Promise.all(
    taken.map(({ machine }) => bus.request(machineSubject(machine.id), { kind: 'release', run }, ASKED_MS)),
  );
}

/** Limit for the refusals in a message, which are often alike. */
const MAX_NAMED = 4;

async function tooFew(
  bus: Bus,
  { count, waitMs }: Pick<Gathering, 'count' | 'waitMs'>,
  taken: readonly PartRecord['machine'][],
  { refusals, atWork }: Pick<Membership, 'refusals' | 'atWork'>,
): Promise<UserError> {
  const names = taken.map(({ name }) => name).join(', ');
  const first = [...refusals.values()].slice(0, MAX_NAMED).join('; ');
  const others = atWork()
    .filter(({ id }) => !taken.some((own) => own.id === id))
    .map(({ name, run }) => `${name} for ${run}`);
  const working = others.length === 0 ? '' : `; at work: ${others.slice(0, MAX_NAMED).join(', ')}`;
  const more = refusals.size > MAX_NAMED ? `; and ${refusals.size - MAX_NAMED} more` : '';
  const refused = refusals.size === 0 ? '' : `; refused: ${first}${more}`;
  const strangers = await strangersText(bus);
  const unseen = strangers === '' ? '' : `; ${strangers}`;
  return new UserError(
    `--machines: expected ${counted(count, 'joined machine')}, found ${taken.length}${names && ` (${names})`} within ${waitMs / 1000} s${working}${refused}${unseen}; start muster join on more machines, or lower --machines.`,
  );
}

/** A machine's answer with its clocks, and the times of the request; milliseconds. */
export type ClockReading = {
  /** On the requester's monotonic clock. */
  readonly requestedMs: number;
  readonly answeredMs: number;
  /** On the requester's wall clock, when the answer arrived. */
  readonly unixMs: number;
  /** On the machine's clocks. */
  readonly theirs: MachineClocks;
};

/** How far a machine's clocks are ahead of the requester's; milliseconds. */
type ClockOffset = {
  readonly monotonicMs: number;
  readonly unixMs: number;
  /** Maximum error of both: half the round trip of the measurement. */
  readonly errorMs: number;
};

/**
 * Uses the reading with the shortest round trip, which is the most precise. The machine read its clocks at most half a
 * round trip before or after its midpoint.
 * @throws RangeError without readings.
 */
export function clockOffsetOf(readings: readonly ClockReading[]): ClockOffset {
  const tripMs = ({ requestedMs, answeredMs }: ClockReading): number => answeredMs - requestedMs;
  const [best] = readings.toSorted((a, b) => tripMs(a) - tripMs(b));
  if (best === undefined) throw new RangeError('a clock was never read');
  const errorMs = tripMs(best) / 2;
  return {
    monotonicMs: best.theirs.monotonicMs - (best.requestedMs + errorMs),
    unixMs: best.theirs.unixMs - (best.unixMs - errorMs),
    errorMs,
  };
}

/** The folder of the program: its sources, or what is compiled from them. */
const PROGRAM = fileURLToPath(new URL('..', import.meta.url));

/** Identifies this build of the program by the content of its files: 12 hexadecimal digits, the same on all machines. */
export const buildHash = once((): string => {
  const hash = createHash('sha256');
  const files = readdirSync(PROGRAM, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort();
  for (const path of paths)
    hash
      .update(`${relative(PROGRAM, path)}\0`)
      .update(readFileSync(path))
      .update('\0');
  return hash.digest('hex').slice(0, 12);
});
