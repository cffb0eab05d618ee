import { plainTally, type Totals } from '../metrics/merging/totals.ts';
import type { ClockName } from '../metrics/recording/frame.ts';
import { countOf, type Histogram } from '../metrics/recording/histogram.ts';
import { histogramSamples, type Labels, type Sample } from './family.ts';
import { latencyClasses } from './latency.ts';
import type { Metric } from './metric.ts';

type Latency = Omit<Metric<Totals>, 'type' | 'samples'> & { readonly clock: ClockName };

const COUNTERS: readonly Metric<Totals>[] = [
  {
    name: 'muster_operations_planned',
    type: 'counter',
    help: 'Operations that fell due.',
    samples: ({ planned }, labels) => [{ labels, value: planned }],
  },
  {
    name: 'muster_operations_started',
    type: 'counter',
    help: 'Operations that went out.',
    samples: ({ started }, labels) => [{ labels, value: started }],
  },
  {
    name: 'muster_operations_dropped',
    type: 'counter',
    help: 'Operations that were never started.',
    samples: ({ dropped }, labels) => tallySamples(plainTally(dropped), (reason) => ({ ...labels, reason })),
  },
  {
    name: 'muster_operations_finished',
    type: 'counter',
    help: 'Operations that ended; the outcomes ok and waiting are successes.',
    samples: ({ outcomes }, labels) => tallySamples(plainTally(outcomes), (outcome) => ({ ...labels, outcome })),
  },
  {
    name: 'muster_sent_bytes',
    type: 'counter',
    help: 'Bytes of requests, heads included.',
    samples: ({ sentBytes }, labels) => [{ labels, value: sentBytes }],
  },
  {
    name: 'muster_received_bytes',
    type: 'counter',
    help: 'Bytes of answers, heads included.',
    samples: ({ receivedBytes }, labels) => [{ labels, value: receivedBytes }],
  },
];

const LATENCIES: readonly Latency[] = [
  {
    name: 'muster_response_seconds',
    clock: 'response',
    help: 'From the instant an operation was due to the answer, failed ones included.',
  },
  {
    name: 'muster_service_seconds',
    clock: 'service',
    help: 'From the instant a request went out to the answer, failed ones included.',
  },
  {
    name: 'muster_lag_seconds',
    clock: 'lag',
    help: 'From the instant an operation was due to the instant the request went out.',
  },
  {
    name: 'muster_scheduling_delay_seconds',
    clock: 'delay',
    help: "From the instant an arrival was due to its pick-up: the generator's own part of the lag.",
  },
];

/** What is said of an operation in a phase. */
export const SERIES_METRICS: readonly Metric<Totals>[] = [
  ...COUNTERS,
  ...LATENCIES.map(({ clock, ...metric }) => ({
    ...metric,
    type: 'histogram' as const,
    samples: ({ histograms }: Totals, labels: Labels) => latencySamples(histograms[clock], labels),
  })),
];

/** Nothing without values: what agents are asked for has no lag. */
function latencySamples(histogram: Histogram, labels: Labels): Sample[] {
  return countOf(histogram) === 0 ? [] : histogramSamples(labels, latencyClasses(histogram));
}

function tallySamples(tally: Readonly<Record<string, number>>, labelsOf: (key: string) => Labels): Sample[] {
  return Object.entries(tally).map(([key, value]) => ({ labels: labelsOf(key), value }));
}
