import { recordOf } from '../../base/kernel/records.ts';
import {
  type ByteRange,
  isObjectAt,
  jsonInput,
  memberNames,
  PHP_JSON,
  readMembers,
  skipValue,
} from '../../base/protocol/json.ts';
import { OPERATIONS, type Operation } from '../../base/protocol/operations.ts';
import type { PushRequest } from '../dialects/dialect.ts';
import { type CheckData, readField, textOf } from '../json/envelope.ts';
import { COLUMN_LENGTHS } from '../registrations.ts';
import type { MonitoringServerSettings } from '../settings.ts';
import type { ShapeFault, ShapeFaults } from './shape-deviations.ts';

/** Upper bounds, in seconds, of the buckets for the age of documents on arrival. */
export const AGE_BOUNDS_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300] as const;

/** Age from which the shipped server considers a host's data stale (docs/reference/wire.md, "submit_checkdata.json"). */
const STALE_MS = 120_000;
/** Clocks of two machines differ by less than this. */
const CLOCK_TOLERANCE_MS = 1000;

/** What arrived for one operation. A document has the date of its check run or package collection. */
export type OperationCounts = ReturnType<typeof emptyOperationCounts>;

export function emptyOperationCounts() {
  return {
    /** Complete requests that named their agent. */
    received: 0,
    /** Success answers sent completely. */
    acknowledged: 0,
    /** Documents with the same date as the agent's previous one. */
    repeated: 0,
    /** Documents with an earlier date than the previous one. */
    backward: 0,
    /** Documents older than two minutes on arrival. */
    stale: 0,
    /** Documents dated more than a second ahead of this machine's clock. */
    ahead: 0,
    undated: 0,
    /** Documents by age: one bucket for each of `AGE_BOUNDS_SECONDS`, and one for older documents. */
    ageCounts: Array.from({ length: AGE_BOUNDS_SECONDS.length + 1 }, () => 0),
    ageSumMs: 0,
    ageMaxMs: 0,
  };
}

/** Observations about the pushes received, regardless of their answers; plain data. */
export type Observations = {
  readonly operations: Readonly<Record<Operation, Readonly<OperationCounts>>>;
  /** Requests to an endpoint that name no agent, or an agent beyond the limit. */
  readonly unattributed: number;
  /** Deviations of documents from the agent's shapes, most frequent first; empty unless `verify` is set. */
  readonly shapeFaults: readonly ShapeFault[];
};

/**
 * What arrived from each agent, by operation, for comparison with what a fleet sent. Plain data that crosses threads:
 * the entry of agent `a` and operation `o` (by `OPERATIONS`) has index `a * operations.length + o`.
 */
export type ArrivalCounts = {
  readonly operations: typeof OPERATIONS;
  readonly uuids: readonly string[];
  /** Complete requests, whatever their answer. */
  readonly received: Uint32Array;
  /** Success answers handed to the network in full; the agent may still not have received them. */
  readonly acknowledged: Uint32Array;
  /** All arrivals are numbered from 1; these are the numbers of an entry's first and last arrival, or 0. */
  readonly firstArrival: Uint32Array;
  readonly lastArrival: Uint32Array;
};

export type PushArrival = {
  readonly operation: Operation;
  /** Empty if the push names no agent. */
  readonly uuid: string;
  /** Number of requests for the operation from the agent, or without an agent, including this one. */
  readonly attempt: number;
  /** Its entry in the arrival counts, or -1. */
  readonly entry: Entry;
};

/** The clock of hosts that do not run in real time. */
export type HostClockReading = {
  /** A time in Unix ms, and what the clock shows at that time. */
  readonly realMs: number;
  readonly hostMs: number;
  /** Speed of the clock relative to real time. */
  readonly factor: number;
};

const REAL_TIME: HostClockReading = { realMs: 0, hostMs: 0, factor: 1 };

/** In UTF-16 units. Agents with a longer uuid cannot register. */
const MAX_UUID_CHARACTERS = 2 * COLUMN_LENGTHS.uuid;

/** Date of a check run: `2026-01-31 15:04:05.123456789 +0100 …`. Offsets are whole minutes, so the fraction applies in UTC, too. */
const FRACTION = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,9})? /;
/** The last millisecond of the year 9999. */
const LATEST_MS = 253_402_300_799_999;

/** Observes arrivals without affecting their answers. */
export type Observer = ReturnType<typeof createObserver>;

/** @param shapeFaults collects deviations from the agent's shapes; `undefined` if documents are not verified. */
export function createObserver(
  { limits }: Pick<MonitoringServerSettings, 'limits'>,
  shapeFaults: ShapeFaults | undefined,
) {
  const arrivals: Arrivals = { agents: new Map(), columns: emptyColumns(INITIAL_AGENTS), count: 0 };
  const operations = recordOf(OPERATIONS, emptyOperationCounts);
  let unattributed = 0;
  let clock = REAL_TIME;
  return {
    /** Records a complete request; `undefined` if it is not a push. */
    arrived: (request: PushRequest): PushArrival | undefined => {
      const operation = operationOf(request);
      if (operation === undefined) return undefined;
      const uuid = textOf(request.envelope?.agentuuid);
      const entry =
        uuid === '' || uuid.length > MAX_UUID_CHARACTERS ? -1 : entryOf(arrivals, limits.agents, { uuid, operation });
      if (entry < 0) {
        unattributed++;
        return { operation, uuid: '', attempt: unattributed, entry };
      }
      const counts = operations[operation];
      counts.received++;
      const dates = arrivals.columns.instantMs;
      if (request.endpoint !== 'register_agent') addDocument(counts, instantOf(request), { dates, entry, clock });
      return { operation, uuid, attempt: receive(arrivals, entry), entry };
    },
    /** Records that a success answer to the request was handed to the network in full. */
    acknowledged: ({ entry, operation }: PushArrival) => {
      if (entry < 0) return;
      const { acknowledged } = arrivals.columns;
      acknowledged[entry] = (acknowledged[entry] ?? 0) + 1;
      operations[operation].acknowledged++;
    },
    /** From now on, documents have times of this clock; before the first call, of real time. */
    setHostClock: (shown: HostClockReading) => {
      clock = shown;
    },
    observations: (): Observations =>
      structuredClone({ operations, unattributed, shapeFaults: shapeFaults?.list() ?? [] }),
    arrivals: (): ArrivalCounts => copyOf(arrivals),
  };
}

/** `undefined` if the request is not a push. An empty password distinguishes enrollment from authorization. */
function operationOf({ method, endpoint, envelope }: PushRequest): Operation | undefined {
  if (method !== 'POST') return undefined;
  switch (endpoint) {
    case undefined:
      return undefined;
    case 'register_agent':
      return textOf(envelope?.password) === '' ? 'register' : 'authorize';
    case 'submit_checkdata':
      return 'checkdata';
    case 'submit_package_info':
      return 'packages';
  }
}

type Dating = {
  /** Dates of the agents' previous documents by entry; 0 for none. */
  readonly dates: Float64Array;
  readonly entry: Entry;
  readonly clock: HostClockReading;
};

function addDocument(counts: OperationCounts, instantMs: number | undefined, { dates, entry, clock }: Dating): void {
  if (instantMs === undefined) {
    counts.undated++;
    return;
  }
  const previousMs = dates[entry] ?? 0;
  dates[entry] = instantMs;
  if (instantMs === previousMs) counts.repeated++;
  if (instantMs < previousMs) counts.backward++;
  // In real time.
  const ageMs = Date.now() - clock.realMs - (instantMs - clock.hostMs) / clock.factor;
  if (ageMs > STALE_MS) counts.stale++;
  if (ageMs < -CLOCK_TOLERANCE_MS) counts.ahead++;
  let bucket = 0;
  while (ageMs > (AGE_BOUNDS_SECONDS[bucket] ?? Number.POSITIVE_INFINITY) * 1000) bucket++;
  counts.ageCounts[bucket] = (counts.ageCounts[bucket] ?? 0) + 1;
  counts.ageSumMs += Math.max(0, ageMs);
  counts.ageMaxMs = Math.max(counts.ageMaxMs, ageMs);
}

/** Unix ms of the check run or the collection that a document describes; `undefined` if unknown. */
function instantOf({ endpoint, envelope, body }: PushRequest): number | undefined {
  const { checkdata } = envelope ?? {};
  if (checkdata === undefined) return undefined;
  const instantMs =
    endpoint === 'submit_checkdata' ? checkdataInstantMs(body, checkdata) : packagesInstantMs(body, checkdata);
  // Ignores numbers that are not dates: a single one would distort sums and averages permanently.
  return instantMs !== undefined && instantMs >= 0 && instantMs <= LATEST_MS ? instantMs : undefined;
}

const DATES = memberNames(['last_updated', 'last_updated_timestamp']);

/** With fractions: when the check run started. */
function checkdataInstantMs(bytes: Buffer, { member }: CheckData): number | undefined {
  const agent = member('agent');
  if (agent === undefined || !isObjectAt(bytes, agent.start)) return undefined;
  const text = jsonInput(bytes, PHP_JSON);
  const dates: (ByteRange | undefined)[] = [undefined, undefined];
  readMembers(text, agent.start, {
    names: DATES,
    read: (index, start) => {
      const end = skipValue(text, start, 0);
      if (index >= 0) dates[index] = { start, end };
      // The two come first, so the rest of the check need not be read.
      return dates[0] !== undefined && dates[1] !== undefined ? -1 : end;
    },
  });
  const written = dates[0] && readField(bytes, dates[0]);
  const stamp = dates[1] && readField(bytes, dates[1]);
  if (typeof stamp !== 'number') return undefined;
  const fraction = typeof written === 'string' ? FRACTION.exec(written)?.[1] : undefined;
  return (stamp + Number(fraction ?? 0)) * 1000;
}

function packagesInstantMs(body: Buffer, { member }: CheckData): number | undefined {
  const collected = member('LastUpdate');
  const seconds = collected === undefined ? undefined : readField(body, collected);
  return typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : undefined;
}

// ---- Counts by agent ----

/** Index of an entry, or -1 if there is none. */
type Entry = number;

type Columns = ReturnType<typeof emptyColumns>;

const INITIAL_AGENTS = 256;

type Arrivals = { readonly agents: Map<string, number>; columns: Columns; count: number };

/** The entry of the agent's operation, or -1 if there is no room for more agents. */
function entryOf(
  arrivals: Arrivals,
  mostAgents: number,
  { uuid, operation }: { readonly uuid: string; readonly operation: Operation },
): Entry {
  const { agents, columns } = arrivals;
  const known = agents.get(uuid);
  if (known === undefined && agents.size >= mostAgents) return -1;
  const agent = known ?? agents.size;
  if (known === undefined) {
    agents.set(uuid, agent);
    arrivals.columns = withRoomFor(agents.size, columns);
  }
  return agent * OPERATIONS.length + OPERATIONS.indexOf(operation);
}

/** Returns the number of arrivals of the entry, including this one. */
function receive(arrivals: Arrivals, entry: Entry): number {
  const { received, firstArrival, lastArrival } = arrivals.columns;
  const number = ++arrivals.count;
  if (firstArrival[entry] === 0) firstArrival[entry] = number;
  lastArrival[entry] = number;
  const count = (received[entry] ?? 0) + 1;
  received[entry] = count;
  return count;
}

function copyOf({ agents, columns: { received, acknowledged, firstArrival, lastArrival } }: Arrivals): ArrivalCounts {
  const used = (column: Uint32Array) => column.slice(0, agents.size * OPERATIONS.length);
  return {
    operations: OPERATIONS,
    uuids: [...agents.keys()],
    received: used(received),
    acknowledged: used(acknowledged),
    firstArrival: used(firstArrival),
    lastArrival: used(lastArrival),
  };
}

function emptyColumns(agents: number) {
  const counts = () => new Uint32Array(agents * OPERATIONS.length);
  return {
    received: counts(),
    acknowledged: counts(),
    firstArrival: counts(),
    lastArrival: counts(),
    instantMs: new Float64Array(agents * OPERATIONS.length),
  };
}

function withRoomFor(agents: number, columns: Columns): Columns {
  const room = columns.received.length / OPERATIONS.length;
  if (agents <= room) return columns;
  const larger = emptyColumns(2 * room);
  for (const name of Object.keys(larger) as (keyof Columns)[]) larger[name].set(columns[name]);
  return larger;
}
