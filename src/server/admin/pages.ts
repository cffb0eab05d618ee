import { oncePerObject } from '../../base/kernel/memoize.ts';
import { OPERATIONS } from '../../base/protocol/operations.ts';
import { oncePerTurn } from '../../base/runtime/event-loop.ts';
import type { Family, Sample, Spread } from '../../outputs/exposition/families.ts';
import { type HttpAnswer, jsonAnswer } from '../../wire/http/answer.ts';
import { AGE_BOUNDS_SECONDS, type Observations, type OperationCounts } from '../observations/observer.ts';
import type { ServerCounts } from '../serve-request.ts';

export type PageSources = {
  readonly counts: () => ServerCounts;
  /** What the server observed about the pushes it received. */
  readonly observations: () => Observations;
  /** Additional metric families. */
  readonly families: () => readonly Family[];
};

/** The server's own page at this path; `undefined` if there is none. Pages need no key, because they contain no secrets. */
export function pageAt(
  path: string,
  accept: string | undefined,
  sources: PageSources,
): Promise<HttpAnswer> | undefined {
  switch (path) {
    case '/healthz':
      return Promise.resolve(jsonAnswer(200, { status: 'ok' }));
    case '/metrics':
      return metricsOf(sources)(accept ?? '');
    default:
      return undefined;
  }
}

/** Cached for a turn of the event loop: one packet may contain a thousand requests, and a page takes a millisecond. */
const metricsOf = oncePerObject((sources: PageSources) =>
  oncePerTurn((accept: string) => metricsPage(sources, accept)),
);

/** Imports the exposition on demand, because most servers are never scraped. */
async function metricsPage({ counts, observations, families }: PageSources, accept: string): Promise<HttpAnswer> {
  const figures = [...serverFamilies(counts(), observations()), ...families()];
  const { expositionAnswer } = await import('../../outputs/exposition/families.ts');
  return expositionAnswer(figures, accept);
}

const PREFIX = 'muster_server_';
const ANOMALIES = ['repeated', 'backward', 'stale', 'ahead', 'undated'] as const;
const DOCUMENTS = ['checkdata', 'packages'] as const;

export function serverFamilies(counts: ServerCounts, observations: Observations): Family[] {
  return [...trafficFamilies(counts), ...observationFamilies(observations)];
}

function trafficFamilies(counts: ServerCounts): Family[] {
  const answers = Object.entries(counts.answers).flatMap(([endpoint, byStatus]) =>
    Object.entries(byStatus).map(([status, value]) => ({ labels: { endpoint, status }, value })),
  );
  return [
    gauge('registrations', 'Agents registered at the server.', counts.registrations),
    gauge('open_connections', 'Open connections.', counts.openConnections),
    gauge('requests_in_flight', 'Requests not answered yet.', counts.requestsInFlight),
    counter('answers', 'Answers by endpoint and status.', answers),
    counter('received_bytes', 'Complete bodies received.', only(counts.receivedBytes)),
    counter('withheld_answers', 'Answers held back by faults.', only(counts.withheld)),
    counter('aborted_requests', 'Incomplete requests.', only(counts.aborted)),
    counter('internal_errors', 'Requests that failed inside the server.', only(counts.internalErrors)),
  ];
}

function observationFamilies({ operations, unattributed, shapeFaults }: Observations): Family[] {
  const perOperation = (figure: 'received' | 'acknowledged'): Sample[] =>
    OPERATIONS.map((operation) => ({ labels: { operation }, value: operations[operation][figure] }));
  const faults = shapeFaults.reduce((sum, { documents }) => sum + documents, 0);
  return [
    counter('arrivals', 'Complete requests that name an agent.', perOperation('received')),
    counter('acknowledgements', 'Success answers sent completely.', perOperation('acknowledged')),
    counter('unattributed_arrivals', 'Requests that name no agent, or one beyond the limit.', only(unattributed)),
    counter('document_anomalies', 'Documents with a suspicious date.', anomalySamples(operations)),
    counter('shape_faults', 'Deviations from the schema of the agent.', only(faults)),
    {
      name: `${PREFIX}document_age_seconds`,
      type: 'histogram',
      help: 'Age of documents on arrival.',
      samples: DOCUMENTS.map((operation) => ageSample(operation, operations[operation])),
    },
  ];
}

function anomalySamples(operations: Observations['operations']): Sample[] {
  return DOCUMENTS.flatMap((operation) =>
    ANOMALIES.map((anomaly) => ({ labels: { operation, anomaly }, value: operations[operation][anomaly] })),
  );
}

function ageSample(operation: string, { ageCounts, ageSumMs }: Readonly<OperationCounts>): Sample<Spread> {
  const value = { kind: 'counted', bounds: AGE_BOUNDS_SECONDS, counts: ageCounts, sum: ageSumMs / 1000 } as const;
  return { labels: { operation }, value };
}

function only(value: number): Sample[] {
  return [{ labels: {}, value }];
}

function gauge(name: string, help: string, value: number): Family {
  return { name: `${PREFIX}${name}`, type: 'gauge', help, samples: only(value) };
}

function counter(name: string, help: string, samples: readonly Sample[]): Family {
  return { name: `${PREFIX}${name}`, type: 'counter', help, samples };
}
