import { OPERATIONS } from '../../protocol/operations.ts';
import type { Observations } from '../observations/observer.ts';
import { AGE_BOUNDS_SECONDS, type OperationCounts } from '../observations/operation-counts.ts';
import type { ServerCounts } from './traffic.ts';

export const OPEN_METRICS_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

type Labels = Readonly<Record<string, string | number>>;
type Sample = { readonly suffix?: string; readonly labels?: Labels; readonly value: number };
type Family = {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly samples: readonly Sample[];
};

const ANOMALIES = ['repeated', 'backward', 'stale', 'ahead', 'undated'] as const;

/** The server's numbers in the OpenMetrics text format. */
export function openMetricsText(counts: ServerCounts, observations: Observations): string {
  const families = [...trafficFamilies(counts), ...observationFamilies(observations)];
  return `${families.map(familyText).join('')}# EOF\n`;
}

function trafficFamilies(counts: ServerCounts): Family[] {
  const answers = Object.entries(counts.answers).flatMap(([endpoint, byStatus]) =>
    Object.entries(byStatus).map(([status, value]) => total(value, { endpoint, status })),
  );
  return [
    gauge('registrations', 'Agents the server knows.', counts.registrations),
    gauge('open_connections', 'Connections that are open.', counts.openConnections),
    gauge('requests_under_way', 'Requests not answered yet.', counts.requestsUnderWay),
    counter('answers', 'Answers by endpoint and status.', answers),
    counter('received_bytes', 'Bodies that arrived whole.', [total(counts.receivedBytes)]),
    counter('withheld_answers', 'Answers that faults kept back.', [total(counts.withheld)]),
    counter('aborted_requests', 'Requests that never arrived whole.', [total(counts.aborted)]),
    counter('internal_errors', 'Requests that failed inside.', [total(counts.internalErrors)]),
  ];
}

function observationFamilies({ operations, unattributed, shapeFaults }: Observations): Family[] {
  const perOperation = (value: (counts: Readonly<OperationCounts>) => number) =>
    OPERATIONS.map((operation) => total(value(operations[operation]), { operation }));
  const documents = ['checkdata', 'packages'] as const;
  return [
    counter(
      'arrivals',
      'Requests that arrived whole and named an agent.',
      perOperation(({ received }) => received),
    ),
    counter(
      'acknowledgements',
      'Success answers handed to the network whole.',
      perOperation(({ acknowledged }) => acknowledged),
    ),
    counter('unattributed_arrivals', 'Requests that named no agent, or one too many.', [total(unattributed)]),
    counter(
      'document_anomalies',
      'Documents with a date that gives cause for doubt.',
      documents.flatMap((operation) =>
        ANOMALIES.map((anomaly) => total(operations[operation][anomaly], { operation, anomaly })),
      ),
    ),
    counter('shape_faults', "Deviations from the agent's shapes.", [
      total(shapeFaults.reduce((sum, fault) => sum + fault.documents, 0)),
    ]),
    {
      name: 'document_age_seconds',
      type: 'histogram',
      help: 'Age of documents on arrival.',
      samples: documents.flatMap((operation) => ageSamples(operations[operation], { operation })),
    },
  ];
}

function ageSamples({ ageCounts, ageSumMs }: Readonly<OperationCounts>, labels: Labels): Sample[] {
  let count = 0;
  const buckets = ageCounts.map((inClass, i) => {
    count += inClass;
    return { suffix: '_bucket', labels: { ...labels, le: bucketBound(AGE_BOUNDS_SECONDS[i]) }, value: count };
  });
  return [...buckets, { suffix: '_sum', labels, value: ageSumMs / 1000 }, { suffix: '_count', labels, value: count }];
}

/** Whole numbers as the format wants them: two scrapes must not disagree about a label. */
function bucketBound(seconds: number | undefined): string {
  if (seconds === undefined) return '+Inf';
  return Number.isInteger(seconds) ? `${seconds}.0` : `${seconds}`;
}

function total(value: number, labels?: Labels): Sample {
  return { suffix: '_total', value, ...(labels && { labels }) };
}

function gauge(name: string, help: string, value: number): Family {
  return { name, type: 'gauge', help, samples: [{ value }] };
}

function counter(name: string, help: string, samples: readonly Sample[]): Family {
  return { name, type: 'counter', help, samples };
}

function familyText({ name, type, help, samples }: Family): string {
  const full = `muster_server_${name}`;
  const unit = /_(bytes|seconds)$/.exec(name)?.[1];
  const head = [`# TYPE ${full} ${type}`, ...(unit ? [`# UNIT ${full} ${unit}`] : []), `# HELP ${full} ${help}`];
  const lines = samples.map(({ suffix = '', labels = {}, value }) => `${full}${suffix}${labelText(labels)} ${value}`);
  return `${[...head, ...lines].join('\n')}\n`;
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
