import type { Bus } from './bus.ts';
import type { Work } from './messages.ts';
import type { PartLease } from './part-lease.ts';
import type { PartReports } from './part-reports.ts';
import type { PartShards } from './part-shards.ts';
import type { RunStore } from './run-store.ts';

export type LocalPart = {
  readonly bus: Bus;
  readonly store: RunStore;
  readonly work: Work;
  /** Indices in the fleet of the agents that have not left. */
  readonly agents: Set<number>;
  /** Whether the fleet is kept up without an end. */
  readonly isEndless: boolean;
  /** Why the part ends if the machine is told to leave. */
  readonly leavingText: string;
  readonly reports: PartReports;
  readonly lease: PartLease;
  /** Settles with the reason why the part is over. */
  readonly end: PromiseWithResolvers<string>;
  state: State;
  isStarted: boolean;
  built: PartShards | undefined;
};

/** What the machine does with the part: the columns of `LOCAL_PART_LIFE`. */
export const LOCAL_PART_STATES = {
  building: 0,
  ready: 1,
  running: 2,
  handingOver: 3,
  leaving: 4,
  lost: 5,
  over: 6,
} as const;

type State = (typeof LOCAL_PART_STATES)[keyof typeof LOCAL_PART_STATES];
type Step<Detail extends readonly unknown[], Result> = (part: LocalPart, ...detail: Detail) => Result;
type Row<Detail extends readonly unknown[] = [], Result = void> = Readonly<Record<State, Step<Detail, Result>>>;
type StartTime = { readonly atMs: number; readonly epochMs: number };

/**
 * The state machine of a part, as its machine sees it: each row is an event, each column a state (docs/developers/mechanisms.md explains
 * them), each cell the reaction. `PART_LIFE` is that of the coordinator.
 *
 * Use a row as `LOCAL_PART_LIFE.lost[part.state](part)`. A new event is a new row.
 */
// biome-ignore format: a table is read by its columns
export const LOCAL_PART_LIFE: {
  readonly started: Row<[time: StartTime], Promise<void> | void>;
  readonly interrupted: Row;
  readonly alone: Row;
  readonly lost: Row;
  readonly ended: Row<[], Promise<void> | void>;
} = {
  //             building  ready     running   handing over  leaving  lost          over
  started:     [ ignore,   start,    start,    start,        ignore,  ignore,       ignore ],
  interrupted: [ leave,    leave,    handOver, ignore,       ignore,  leave,        ignore ],
  alone:       [ ignore,   ignore,   ignore,   leave,        ignore,  ignore,       ignore ],
  lost:        [ lose,     lose,     lose,     lose,         lose,    ignore,       ignore ],
  ended:       [ ignore,   conclude, conclude, conclude,     ignore,  concludeLost, ignore ],
};

/** → running, or unchanged if agents have moved: shards without agents then end. */
async function start(part: LocalPart, { atMs, epochMs }: StartTime): Promise<void> {
  const { built, work, isStarted } = part;
  part.isStarted = true;
  if (part.state === LOCAL_PART_STATES.ready) part.state = LOCAL_PART_STATES.running;
  // While its shards were built, agents may still have registered where they were before.
  const isMoved = !isStarted && work.generation === 0 && work.elapsedS > 0;
  if (isMoved && built?.claims !== undefined) built.shards.restore(await built.claims.known());
  built?.shards.start(atMs, epochMs);
}

/** Longer than other machines need to take agents over. */
const HANDED_OVER_MS = 60_000;

/** → handing over if others can take the agents of a fleet, else → leaving. */
function handOver(part: LocalPart): void {
  if (!part.isEndless) {
    leave(part);
    return;
  }
  part.state = LOCAL_PART_STATES.handingOver;
  void Promise.race([part.end.promise, after(HANDED_OVER_MS)]).then(() => LOCAL_PART_LIFE.alone[part.state](part));
}

/**
 * → leaving, after which it is over. It reports that only after the workers have ended, so that everything that they sent is counted before
 * the part is given away. Requests in flight may end in order, because the password of a registration that is cut off would be lost.
 */
function leave(part: LocalPart): void {
  part.state = LOCAL_PART_STATES.leaving;
  void endInOrder(part)
    .catch(() => {})
    .finally(() => part.end.resolve(part.leavingText));
}

const LEAVING_MS = 5000;

async function endInOrder({ built, isStarted, end, reports }: LocalPart): Promise<void> {
  const workersEnded = reports.workersEnded.then(() => true);
  const endedInTime = () => Promise.race([workersEnded, end.promise, after(isStarted ? LEAVING_MS : 0)]);
  built?.shards.send({ kind: 'stop' });
  if ((await endedInTime()) === true) await built?.claims?.releaseAll();
  built?.shards.send({ kind: 'cancel' });
  await endedInTime();
  reports.send({ kind: 'leaves' });
  await reports.flushed();
}

const LOST = 'its lease ended, and its agents were given away';
/** Time for the workers to end, and for their last frames to reach NATS. */
const LOST_MS = 40_000;

/** → lost, after which it is over. What it sent until now still counts, so its last frames are sent, too. */
function lose(part: LocalPart): void {
  part.state = LOCAL_PART_STATES.lost;
  // Passwords that the server is issuing would be lost.
  part.built?.shards.send({ kind: 'stop' });
  void after(part.isStarted ? LOST_MS : 0).then(() => part.end.resolve(LOST));
}

async function conclude(part: LocalPart): Promise<void> {
  const { reports, end, state } = part;
  reports.conclude();
  await Promise.race([reports.flushed(), end.promise]);
  end.resolve(state === LOCAL_PART_STATES.handingOver ? 'others have taken its agents over' : 'done');
}

async function concludeLost({ built, reports, end }: LocalPart): Promise<void> {
  // The machine that has the agents now may register those that got no password.
  await built?.claims?.releaseAll();
  await Promise.race([reports.flushed(), end.promise]);
  end.resolve(LOST);
}

function ignore(): void {}

/** Resolves after this time, which does not keep the process alive. */
export function after(delayMs: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, delayMs).unref());
}
