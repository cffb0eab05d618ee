import {
  type ByteRange,
  isObjectAt,
  jsonInput,
  memberNames,
  PHP_JSON,
  readMembers,
  skipValue,
} from '../../ground/protocol/json.ts';
import type { Operation } from '../../ground/protocol/operations.ts';
import type { PushRequest } from '../dialects/dialect.ts';
import { type CheckData, readField, textOf } from '../json/envelope.ts';
import { COLUMN_LENGTHS } from '../registrations.ts';
import type { MonitoringServerSettings } from '../settings.ts';
import { type ArrivalCounts, createArrivalCounter, type Entry } from './arrival-counts.ts';
import type { ShapeFault, ShapeFaults } from './shape-deviations.ts';

/** Upper bounds, in seconds, of the buckets for the age of documents on arrival. */
export const AGE_BOUNDS_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300] as const;

/** Age from which the shipped server considers a host's data stale (docs/reference/wire.md, "submit_checkdata.json"). */
const STALE_MS = 120_000;
/** Clocks of two machines differ by less than this. */
const CLOCK_TOLERANCE_MS = 1000;

/** What arrived for one operation. A document has the date of its check run or package collection. */
export type OperationCounts = {
  /** Complete requests that named their agent. */
  received: number;
  /** Success answers sent completely. */
  acknowledged: number;
  /** Documents with the same date as the agent's previous one. */
  repeated: number;
  /** Documents with an earlier date than the previous one. */
  backward: number;
  /** Documents older than two minutes on arrival. */
  stale: number;
  /** Documents dated more than a second ahead of this machine's clock. */
  ahead: number;
  undated: number;
  /** Documents by age: one bucket for each of `AGE_BOUNDS_SECONDS`, and one for older documents. */
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

/** Observations about the pushes received, regardless of their answers; plain data. */
export type Observations = {
  readonly operations: Readonly<Record<Operation, Readonly<OperationCounts>>>;
  /** Requests to an endpoint that name no agent, or an agent beyond the limit. */
  readonly unattributed: number;
  /** Deviations of documents from the agent's shapes, most frequent first; empty unless `verify` is set. */
  readonly shapeFaults: readonly ShapeFault[];
};

/** A complete push. */
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
export type ShownClock = {
  /** A time in Unix ms, and what the clock shows at that time. */
  readonly realMs: number;
  readonly shownMs: number;
  /** Speed of the clock relative to real time. */
  readonly factor: number;
};

const REAL_TIME: ShownClock = { realMs: 0, shownMs: 0, factor: 1 };

/** The age, in real time, of a document with this date. */
function ageOf(instantMs: number, { realMs, shownMs, factor }: ShownClock): number {
  return Date.now() - realMs - (instantMs - shownMs) / factor;
}

/** Observes arrivals without affecting their answers. */
export type Observer = {
  /** Records a complete request; `undefined` if it is not a push. */
  readonly arrived: (request: PushRequest) => PushArrival | undefined;
  /** Checks a document against the agent's shapes, if enabled; its agent has sent its password. */
  readonly verify: (request: PushRequest) => void;
  /** Records that a success answer to the request was handed to the network in full. */
  readonly acknowledged: (arrival: PushArrival) => void;
  /** From now on, documents have times of this clock; before the first call, of real time. */
  readonly setHostClock: (clock: ShownClock) => void;
  readonly observations: () => Observations;
  readonly arrivals: () => ArrivalCounts;
};

/** In UTF-16 units. Agents with a longer uuid cannot register. */
const LONGEST_UUID = 2 * COLUMN_LENGTHS.uuid;

/** Date of a check run: `2026-01-31 15:04:05.123456789 +0100 …`. Offsets are whole minutes, so the fraction applies in UTC, too. */
const FRACTION = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,9})? /;
/** The last millisecond of the year 9999. */
const LATEST_MS = 253_402_300_799_999;

/** @param shapeFaults collects deviations from the agent's shapes; `undefined` if documents are not verified. */
export function createObserver(
  { limits }: Pick<MonitoringServerSettings, 'limits'>,
  shapeFaults: ShapeFaults | undefined,
): Observer {
  const arrivals = createArrivalCounter(limits.agents);
  const operations = {
    register: emptyOperationCounts(),
    authorize: emptyOperationCounts(),
    checkdata: emptyOperationCounts(),
    packages: emptyOperationCounts(),
  } satisfies Record<Operation, OperationCounts>;
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
    verify: (request) => shapeFaults?.add(request),
    acknowledged: ({ operation, entry }) => {
      if (entry < 0) return;
      arrivals.acknowledge(entry);
      operations[operation].acknowledged++;
    },
    setHostClock: (shown) => {
      clock = shown;
    },
    observations: () => structuredClone({ operations, unattributed, shapeFaults: shapeFaults?.list() ?? [] }),
    arrivals: arrivals.copy,
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
  /** Stores the date of a document and returns the previous one, or 0. */
  readonly date: (instantMs: number) => number;
  readonly ageMs: (instantMs: number) => number;
};

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

/** Unix ms, with fractions, when the check run of this document started; `undefined` if unknown. */
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
      // The two come first, so the rest of the check need not be read.
      return dates[0] !== undefined && dates[1] !== undefined ? -1 : end;
    },
  });
  const [written, stamp] = dates.map((date) => date && readField(bytes, date));
  if (typeof stamp !== 'number') return undefined;
  const fraction = typeof written === 'string' ? FRACTION.exec(written)?.[1] : undefined;
  return plausible((stamp + Number(fraction ?? 0)) * 1000);
}

/** Unix ms of the package collection; `undefined` if unknown. */
function packagesInstantMs(body: Buffer, { member }: CheckData): number | undefined {
  const collected = member('LastUpdate');
  const seconds = collected === undefined ? undefined : readField(body, collected);
  return typeof seconds === 'number' && seconds > 0 ? plausible(seconds * 1000) : undefined;
}

/** Ignores numbers that are not dates: a single one would distort sums and averages permanently. */
function plausible(instantMs: number): number | undefined {
  return instantMs >= 0 && instantMs <= LATEST_MS ? instantMs : undefined;
}
