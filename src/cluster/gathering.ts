import { UserError } from '../base/kernel/errors.ts';
import { counted } from '../base/kernel/units.ts';
import { VERSION } from '../base/kernel/version.ts';
import { monotonicClock } from '../base/runtime/event-loop.ts';
import { buildHash } from './build-hash.ts';
import type { Bus } from './bus.ts';
import { measureClockOffset } from './clock-offset.ts';
import type { Membership } from './membership.ts';
import {
  isAcceptedPart,
  type JoinedMachine,
  MACHINES_BUCKET,
  machineSubject,
  type PartRecord,
  type Work,
} from './messages.ts';

/** Long enough for a machine to check guards and addresses before it accepts. */
const ACCEPTED_MS = 30_000;
const RELEASED_MS = 2000;

/** With clocks further apart, machines would seem to be in different runs, and certificates not valid yet. */
const MAX_CLOCK_OFFSET_MS = 60_000;

/** Offers a part to a machine; `undefined` if it refuses, with the reason in `refusals`. */
export async function offer(
  bus: Bus,
  { machine, work }: { readonly machine: JoinedMachine; readonly work: Work },
  refusals: Map<string, string>,
): Promise<PartRecord | undefined> {
  const { id, name } = machine;
  const refuse = (why: string): undefined => void refusals.set(id, `${name}: ${why}`);
  const difference = buildDifference(machine);
  if (difference !== undefined) return refuse(difference);
  const clocks = await measureClockOffset(bus, id);
  if (clocks === undefined) return refuse('it does not answer');
  if (Math.abs(clocks.unixMs) > MAX_CLOCK_OFFSET_MS)
    return refuse(
      `its clock is ${Math.round(Math.abs(clocks.unixMs) / 1000)} s ${clocks.unixMs > 0 ? 'ahead' : 'behind'}; synchronize it with NTP`,
    );
  const reply = await bus.request(machineSubject(id), { kind: 'take', work }, ACCEPTED_MS);
  if (reply.kind === 'refusal') return refuse(reply.text);
  if (reply.kind !== 'answer' || !isAcceptedPart(reply.answer)) return refuse('it does not answer');
  return {
    machine: { id, name },
    workers: reply.answer.workers,
    generation: work.generation,
    clockOffsetMs: clocks.unixMs,
    clockErrorMs: clocks.errorMs,
    monotonicOffsetMs: clocks.monotonicMs,
  };
}

/** Why the program of a machine may send other bytes than this one; `undefined` if it is the same. */
function buildDifference({ version, build }: JoinedMachine): string | undefined {
  if (version !== VERSION) return `it runs version ${version}, but this machine runs ${VERSION}`;
  return build === buildHash()
    ? undefined
    : `it runs build ${build} of version ${VERSION}, but this machine runs build ${buildHash()}; install the same package on both`;
}

/** The machines that a run needs, and how long to wait for them. */
type MachinesNeeded = {
  readonly count: number;
  readonly waitMs: number;
  /** Reports one sentence to the user. */
  readonly note: (text: string) => void;
};

type Gathering = MachinesNeeded & {
  readonly workFor: (part: number) => Work;
  /** Rejects if waiting is canceled. */
  readonly canceled: Promise<never>;
};

/**
 * Assigns each part to a waiting machine, and waits for more machines if there are too few. On failure, releases the
 * machines that have accepted a part. Rejects with the error of `canceled`, too.
 * @throws UserError if too few machines join in time.
 */
export async function gather(bus: Bus, members: Membership, gathering: Gathering): Promise<readonly PartRecord[]> {
  const { count, workFor, canceled } = gathering;
  const wait = createWaiting(bus, members, gathering);
  const parts = Array.from({ length: count }, (_, part) => part);
  const accepted = new Map<number, PartRecord>();
  const offered = new Set<string>();
  const assign = async (machine: JoinedMachine, part: number): Promise<void> => {
    offered.add(machine.id);
    const record = await offer(bus, { machine, work: workFor(part) }, members.refusals);
    if (record !== undefined) accepted.set(part, record);
  };
  try {
    while (accepted.size < count) {
      const candidates = members.waiting().filter(({ id }) => !offered.has(id));
      const open = parts.filter((part) => !accepted.has(part)).slice(0, candidates.length);
      await Promise.all(open.map((part, index) => assign(candidates[index] as JoinedMachine, part)));
      const found = [...accepted.values()].map(({ machine }) => machine);
      if (open.length === 0) await Promise.race([wait(found), canceled]);
    }
  } catch (error) {
    const ids = [...accepted.values()].map(({ machine }) => machine.id);
    await release(bus, workFor(0).run, ids);
    throw error;
  }
  return parts.flatMap((part) => accepted.get(part) ?? []);
}

/**
 * Resolves once enough machines wait for work; machines that work for one of `abandonedRuns` are asked to stop.
 * @throws UserError if too few are available in time.
 */
export async function awaitEnough(
  bus: Bus,
  members: Membership,
  { abandonedRuns, ...needed }: MachinesNeeded & { readonly abandonedRuns: readonly string[] },
): Promise<void> {
  const wait = createWaiting(bus, members, needed);
  while (members.waiting().length < needed.count) {
    for (const { id, run } of members.atWork())
      if (run !== undefined && abandonedRuns.includes(run)) await release(bus, run, [id]);
    await wait(members.waiting());
  }
}

const ANNOUNCED_MS = 1000;
const OTHER_KEYS_MS = 3000;

/**
 * Waits for a change of the machines. Meanwhile, tells the user of machines with another key, and them of this coordinator. Rejects with
 * `UserError` when the time is over, with the machines found until then.
 */
function createWaiting(bus: Bus, members: Membership, needed: MachinesNeeded) {
  const limitMs = monotonicClock() + needed.waitMs;
  let announceAtMs = 0;
  let lookAtMs = monotonicClock() + OTHER_KEYS_MS;
  return async (found: readonly PartRecord['machine'][]): Promise<void> => {
    const nowMs = monotonicClock();
    if (nowMs > limitMs) throw await tooFew(bus, needed, found, members);
    if (nowMs >= announceAtMs) {
      bus.announceSearch();
      announceAtMs = nowMs + ANNOUNCED_MS;
    }
    if (nowMs >= lookAtMs) {
      const others = await otherKeysText(bus);
      lookAtMs = others === '' ? nowMs + OTHER_KEYS_MS : Number.POSITIVE_INFINITY;
      if (others !== '') needed.note(`still waiting for machines: ${others}`);
    }
    await members.changed();
  };
}

async function otherKeysText(bus: Bus): Promise<string> {
  const machines = await bus.entriesOfOtherKeys(MACHINES_BUCKET).catch(() => 0);
  return machines === 0 ? '' : `${counted(machines, 'machine')} joined with another cluster key or an older version`;
}

export async function release(bus: Bus, run: string, machineIds: readonly string[]): Promise<void> {
  await Promise.all(machineIds.map((id) => bus.request(machineSubject(id), { kind: 'release', run }, RELEASED_MS)));
}

/** Limit for the refusals in a message, which are often alike. */
const MAX_NAMED = 4;

async function tooFew(
  bus: Bus,
  { count, waitMs }: MachinesNeeded,
  found: readonly PartRecord['machine'][],
  { refusals, atWork }: Membership,
): Promise<UserError> {
  const names = found.map(({ name }) => name).join(', ');
  const first = [...refusals.values()].slice(0, MAX_NAMED).join('; ');
  const others = atWork()
    .filter(({ id }) => !found.some((own) => own.id === id))
    .map(({ name, run }) => `${name} for ${run}`);
  const working = others.length === 0 ? '' : `; at work: ${others.slice(0, MAX_NAMED).join(', ')}`;
  const more = refusals.size > MAX_NAMED ? `; and ${refusals.size - MAX_NAMED} more` : '';
  const refused = refusals.size === 0 ? '' : `; refused: ${first}${more}`;
  const otherKeys = await otherKeysText(bus);
  const unseen = otherKeys === '' ? '' : `; ${otherKeys}`;
  return new UserError(
    `--machines: expected ${counted(count, 'joined machine')}, found ${found.length}${names && ` (${names})`} within ${waitMs / 1000} s${working}${refused}${unseen}; start muster join on more machines, or lower --machines.`,
  );
}
