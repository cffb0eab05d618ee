import type { Operation } from '../../protocol/operations.ts';
import type { PushRequest } from '../dialects/dialect.ts';
import { textOf } from '../json/envelope.ts';
import { COLUMN_LENGTHS } from '../registrations/registrations.ts';
import type { MonitoringServerSettings } from '../settings.ts';
import { type ArrivalCounts, createArrivalCounter, type Entry } from './arrival-counts.ts';
import { checkdataInstantMs, packagesInstantMs } from './document-instant.ts';
import { countDocument, emptyOperationCounts, type OperationCounts } from './operation-counts.ts';
import { createShapeFaults, type ShapeFault } from './shape-deviations.ts';

/** What a server can say of the pushes it got, whatever it answered. Plain data. */
export type Observations = {
  readonly operations: Readonly<Record<Operation, Readonly<OperationCounts>>>;
  /** Requests to an endpoint that name no agent, or more agents than the server has room for. */
  readonly unattributed: number;
  /** Deviations of documents from the agent's shapes, the most frequent first; empty unless `verify` is set. */
  readonly shapeFaults: readonly ShapeFault[];
};

/** A push that has arrived whole. */
export type Arrival = {
  readonly operation: Operation;
  /** Empty if it names no agent. */
  readonly uuid: string;
  /** How many requests for the operation have arrived from the agent, or from nobody in particular, with this one. */
  readonly attempt: number;
  /** Its place in the arrivals; -1: it has none. */
  readonly entry: Entry;
};

/** Watches what arrives, without a part in how it is answered. */
export type Observer = {
  /** A request has arrived whole; undefined: it is no push. */
  readonly arrived: (request: PushRequest) => Arrival | undefined;
  /** Holds a document of an agent that has shown its password against the agent's shapes, if the settings say so. */
  readonly verify: (request: PushRequest) => void;
  /** A success answer to that request has been handed to the network whole. */
  readonly acknowledged: (arrival: Arrival) => void;
  readonly observations: () => Observations;
  readonly arrivals: () => ArrivalCounts;
};

/** In UTF-16 units: no agent with a longer one can be registered. */
const LONGEST_UUID = 2 * COLUMN_LENGTHS.uuid;

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
      addDocument(operations[operation], request, (instantMs) => arrivals.date(entry, instantMs));
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
    observations: () => structuredClone({ operations, unattributed, shapeFaults: shapeFaults.list() }),
    arrivals: arrivals.copy,
  };
}

/** Undefined: the request is no push at all. An empty password tells enrolment from authorization. */
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

function addDocument(counts: OperationCounts, request: PushRequest, date: (instantMs: number) => number): void {
  const { endpoint, envelope, body } = request;
  if (endpoint === undefined || endpoint === 'register_agent') return;
  const read = endpoint === 'submit_checkdata' ? checkdataInstantMs : packagesInstantMs;
  const instantMs = envelope?.checkdata === undefined ? undefined : read(body, envelope.checkdata);
  if (instantMs === undefined) counts.undated++;
  else countDocument(counts, { instantMs, previousMs: date(instantMs), arrivedMs: Date.now() });
}
