import {
  type ByteRange,
  isObjectAt,
  jsonInput,
  memberNames,
  PHP_JSON,
  readMembers,
  skipValue,
} from '../../protocol/json.ts';
import type { Operation } from '../../protocol/operations.ts';
import type { PushRequest } from '../dialects/dialect.ts';
import { type CheckData, readField, textOf } from '../json/envelope.ts';
import { COLUMN_LENGTHS } from '../registrations.ts';
import type { MonitoringServerSettings } from '../settings.ts';
import { type ArrivalCounts, createArrivalCounter, type Entry } from './arrival-counts.ts';
import { createShapeFaults, type ShapeFault } from './shape-deviations.ts';

/** Upper bounds, in seconds, of the classes that documents are counted in by their age on arrival. */
export const AGE_BOUNDS_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300] as const;

/** From this age on the shipped server calls a host's data stale (docs/reference/wire.md, "submit_checkdata.json"). */
const STALE_MS = 120_000;
/** Clocks of two machines differ by less. */
const CLOCK_TOLERANCE_MS = 1000;

/** What arrived of one operation. A document is dated by its check run or package collection. */
export type OperationCounts = {
  /** Requests that arrived whole and named their agent. */
  received: number;
  /** Success answers sent completely. */
  acknowledged: number;
  /** Documents with the date of the one that this agent sent before. */
  repeated: number;
  /** Documents with an earlier date than the one before. */
  backward: number;
  /** Documents older than two minutes on arrival. */
  stale: number;
  /** Documents dated more than a second ahead of this machine's clock. */
  ahead: number;
  undated: number;
  /** Documents by age: one class for each of `AGE_BOUNDS_SECONDS`, and one for what is older. */
  readonly ageCounts: number[];
  ageSumMs: number;
  ageMaxMs: number;
};

export function emptyOperationCounts(): OperationCounts {
  return {
    ...{ received: 0, acknowledged: 0, repeated: 0, backward: 0, stale: 0, ahead: 0, undated: 0 },
    ageCounts: Array.from({ length: AGE_BOUNDS_SECONDS.length + 1 }, () => 0),
    ageSumMs: 0,
    ageMaxMs: 0,
  };
}

/** What a server can say of the pushes it got, whatever it answered. Plain data. */
export type Observations = {
  readonly operations: Readonly<Record<Operation, Readonly<OperationCounts>>>;
  /** Requests to an endpoint that name no agent, or more agents than the server has room for. */
  readonly unattributed: number;
  /** Deviations of documents from the agent's shapes, the most frequent first; empty unless `verify` is set. */
  readonly shapeFaults: readonly ShapeFault[];
};

/** A push that has arrived whole. */
export type PushArrival = {
  readonly operation: Operation;
  /** Empty if it names no agent. */
  readonly uuid: string;
  /** Number of requests for the operation that arrived from the agent, or without one, including this one. */
  readonly attempt: number;
  /** Its place in the arrivals; -1: it has none. */
  readonly entry: Entry;
};

/** The clock of hosts that do not live in real time. */
export type ShownClock = {
  /** An instant in Unix ms, and what the clock shows then. */
  readonly realMs: number;
  readonly shownMs: number;
  /** So many times as fast as real time does it go. */
  readonly factor: number;
};

const REAL_TIME: ShownClock = { realMs: 0, shownMs: 0, factor: 1 };

/** How old a document is in real time that bears this time. */
function ageOf(instantMs: number, { realMs, shownMs, factor }: ShownClock): number {
  return Date.now() - realMs - (instantMs - shownMs) / factor;
}

/** Watches what arrives, without a part in how it is answered. */
export type Observer = {
  /** A request has arrived whole; undefined: it is no push. */
  readonly arrived: (request: PushRequest) => PushArrival | undefined;
  /** Holds a document of an agent that has shown its password against the agent's shapes, if the settings say so. */
  readonly verify: (request: PushRequest) => void;
  /** A success answer to that request has been handed to the network whole. */
  readonly acknowledged: (arrival: PushArrival) => void;
  /** Documents bear times of this clock from now on; before, of real time. */
  readonly setHostClock: (clock: ShownClock) => void;
  readonly observations: () => Observations;
  readonly arrivals: () => ArrivalCounts;
};

/** In UTF-16 units: no agent with a longer one can be registered. */
const LONGEST_UUID = 2 * COLUMN_LENGTHS.uuid;

/** A check run's date is `2026-01-31 15:04:05.123456789 +0100 …`: offsets are whole minutes, so the fraction is absolute. */
const FRACTION = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,9})? /;
/** The last instant of the year 9999. */
const LATEST_MS = 253_402_300_799_999;

export function createObserver({ limits, verify }: Pick<MonitoringServerSettings, 'limits' | 'verify'>): Observer {
  const arrivals = createArrivalCounter(limits.agents);
  const operations = {
    register: emptyOperationCounts(),
    authorize: emptyOperationCounts(),
    checkdata: emptyOperationCounts(),
    packages: emptyOperationCounts(),
  } satisfies Record<Operation, OperationCounts>;
  const shapeFaults = createShapeFaults();
  let unattributed = 0;
  let clock = REAL_TIME;
  const ageMs = (instantMs: number): number => ageOf(instantMs, clock);
  return {
    arrived: (request) => {
      const operation = operationOf(request);
      if (operation === undefined) return undefined;
      const uuid = textOf(request.envelope?.agentuuid);
      const entry = uuid === '' || uuid.length > LONGEST_UUID ? -1 : arrivals.entry(uuid, operation);
      if (entry < 0) {
        unattributed++;
        return { operation, uuid: '', attempt: unattributed, entry };
      }
      operations[operation].received++;
      addDocument(operations[operation], request, { date: (instantMs) => arrivals.date(entry, instantMs), ageMs });
      return { operation, uuid, attempt: arrivals.receive(entry), entry };
    },
    verify: (request) => {
      if (verify) shapeFaults.add(request);
    },
    acknowledged: ({ operation, entry }) => {
      if (entry < 0) return;
      arrivals.acknowledge(entry);
      operations[operation].acknowledged++;
    },
    setHostClock: (shown) => {
      clock = shown;
    },
    observations: () => structuredClone({ operations, unattributed, shapeFaults: shapeFaults.list() }),
    arrivals: arrivals.copy,
  };
}

/** Undefined: the request is no push at all. An empty password distinguishes enrollment from authorization. */
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
  /** Keeps the date of a document and returns the one before, 0 if there was none. */
  readonly date: (instantMs: number) => number;
  readonly ageMs: (instantMs: number) => number;
};

/** Counts a document by its date. */
function addDocument(counts: OperationCounts, request: PushRequest, dating: Dating): void {
  const { endpoint, envelope, body } = request;
  if (endpoint === undefined || endpoint === 'register_agent') return;
  const read = endpoint === 'submit_checkdata' ? checkdataInstantMs : packagesInstantMs;
  const instantMs = envelope?.checkdata === undefined ? undefined : read(body, envelope.checkdata);
  if (instantMs === undefined) {
    counts.undated++;
    return;
  }
  const previousMs = dating.date(instantMs);
  if (instantMs === previousMs) counts.repeated++;
  if (instantMs < previousMs) counts.backward++;
  const ageMs = dating.ageMs(instantMs);
  if (ageMs > STALE_MS) counts.stale++;
  if (ageMs < -CLOCK_TOLERANCE_MS) counts.ahead++;
  const bound = AGE_BOUNDS_SECONDS.findIndex((seconds) => ageMs <= seconds * 1000);
  const ageClass = bound < 0 ? AGE_BOUNDS_SECONDS.length : bound;
  counts.ageCounts[ageClass] = (counts.ageCounts[ageClass] ?? 0) + 1;
  counts.ageSumMs += Math.max(0, ageMs);
  counts.ageMaxMs = Math.max(counts.ageMaxMs, ageMs);
}

const DATES = memberNames(['last_updated', 'last_updated_timestamp']);

/** Unix ms, with fractions, at which the check run of this document began; undefined if it does not say. */
function checkdataInstantMs(bytes: Buffer, { member }: CheckData): number | undefined {
  const agent = member('agent');
  if (agent === undefined || !isObjectAt(bytes, agent.start)) return undefined;
  const text = jsonInput(bytes, PHP_JSON);
  const dates: (ByteRange | undefined)[] = [undefined, undefined];
  readMembers(text, agent.start, {
    names: DATES,
    read: (place, start) => {
      const end = skipValue(text, start, 0);
      if (place >= 0) dates[place] = { start, end };
      // The two stand first: the rest of the check need not be read.
      return dates[0] !== undefined && dates[1] !== undefined ? -1 : end;
    },
  });
  const [written, stamp] = dates.map((date) => date && readField(bytes, date));
  if (typeof stamp !== 'number') return undefined;
  const fraction = typeof written === 'string' ? FRACTION.exec(written)?.[1] : undefined;
  return plausible((stamp + Number(fraction ?? 0)) * 1000);
}

/** Unix ms of the package collection; undefined if the document does not say. */
function packagesInstantMs(body: Buffer, { member }: CheckData): number | undefined {
  const collected = member('LastUpdate');
  const seconds = collected === undefined ? undefined : readField(body, collected);
  return typeof seconds === 'number' && seconds > 0 ? plausible(seconds * 1000) : undefined;
}

/** A number that is not a date counts as none: a single one would spoil sums and averages permanently. */
function plausible(instantMs: number): number | undefined {
  return instantMs >= 0 && instantMs <= LATEST_MS ? instantMs : undefined;
}
