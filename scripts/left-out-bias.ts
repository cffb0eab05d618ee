/**
 * Simulates pairs of runs against the same server, with and without a stop of the generator, and prints by how much leaving out changes
 * percentiles, with the standard error, and how often a percentile is more than a fifth better than without: `node scripts/left-out-bias.ts [pairs] [seed]`. The table is in
 * docs/developers/decisions/late-spans.md.
 */
import { randomStream } from '../src/base/kernel/random.ts';
import { evaluateThresholds } from '../src/metrics/judging/threshold-results.ts';
import type { OperationThreshold } from '../src/metrics/judging/thresholds.ts';
import { createRunTotals } from '../src/metrics/merging/run-totals.ts';
import { phase } from '../test/metrics/recordings.ts';
import { type SimulatedRun, simulate } from '../test/metrics/stopped-generator.ts';

const [pairs = 1000, seed = 1] = process.argv.slice(2).map(Number);
const DURATION_MS = 60_000;
/** Of each pair, so that the rank of a percentile is rounded up and down. */
const ARRIVALS = { least: 1900, most: 2100 };
const PERCENTILES = [50, 95, 99] as const;

type ServerTimes = Pick<SimulatedRun, 'queues' | 'freezes'> & { readonly serviceMs: readonly number[] };

function usual(random: () => number): readonly number[] {
  const arrivals = ARRIVALS.least + Math.floor((ARRIVALS.most - ARRIVALS.least) * random());
  return Array.from({ length: arrivals }, () => 5 + 60 * random() ** 3);
}

/** Servers with one random stall, and servers that are slow in other ways. */
const SERVERS: Readonly<Record<string, (random: () => number) => ServerTimes>> = {
  'stalls once for 0.2 to 2 s': (random) => ({
    queues: false,
    serviceMs: usual(random),
    freezes: [{ atMs: random() * (DURATION_MS - 2000), forMs: 200 + 1800 * random() }],
  }),
  'stalls each 5 s for 0.3 s': (random) => {
    const firstMs = 5000 * random();
    return {
      queues: false,
      serviceMs: usual(random),
      freezes: Array.from({ length: 12 }, (_, n) => ({ atMs: firstMs + 5000 * n, forMs: 300 })),
    };
  },
  'is slow: 300 to 360 ms': (random) => ({ queues: false, serviceMs: usual(random).map((ms) => ms + 295) }),
  'works off a queue at 80%': (random) => ({
    queues: true,
    serviceMs: usual(random).map((ms) => (0.8 * 30 * ms) / 20),
  }),
};

function percentilesOf(run: SimulatedRun): readonly (number | undefined)[] {
  const phases = [phase('steady', { startMs: 0, durationMs: DURATION_MS, operation: 'checkdata' })];
  const thresholds = PERCENTILES.map(
    (percentile): OperationThreshold => ({
      kind: 'operation',
      operation: 'checkdata',
      phase: undefined,
      comparator: '<',
      bound: 1,
      text: '',
      statistic: { kind: 'percentile', percentile },
    }),
  );
  const totals = createRunTotals(phases, [0]);
  for (const frame of simulate(run)) totals.add(frame);
  const around = { delivery: { observed: false, reason: '' } as const, recoveries: [], leaveOutShare: 0.2 };
  const recording = { phases, elapsedMs: DURATION_MS, run: totals.read() };
  return evaluateThresholds(recording, around, thresholds).map(({ observed }) => observed);
}

for (const [index, [name, server]] of Object.entries(SERVERS).entries()) {
  const random = randomStream(seed * 1000 + index);
  const sums = { stopped: [0, 0, 0], calm: [0, 0, 0] };
  const squares = [0, 0, 0];
  const better = [0, 0, 0];
  for (let pair = 0; pair < pairs; pair++) {
    const { serviceMs, ...times } = server(random);
    const arrivalsMs = serviceMs.map(() => random() * DURATION_MS).sort((a, b) => a - b);
    const run = {
      ...times,
      durationMs: DURATION_MS,
      arrivalsMs,
      serviceMs: (n: number) => serviceMs[n] ?? 0,
      stops: [],
    };
    const stops = [{ atMs: random() * DURATION_MS, forMs: 150 + 500 * random() }];
    const calm = percentilesOf(run);
    for (const [at, observed = 0] of percentilesOf({ ...run, stops }).entries()) {
      const truth = calm[at] ?? 0;
      sums.stopped[at] = (sums.stopped[at] ?? 0) + observed;
      sums.calm[at] = (sums.calm[at] ?? 0) + truth;
      squares[at] = (squares[at] ?? 0) + (observed - truth) ** 2;
      if (observed < 0.8 * truth) better[at] = (better[at] ?? 0) + 1;
    }
  }
  const cells = PERCENTILES.map((percentile, at) => {
    const [stopped = 0, calm = 0, square = 0] = [sums.stopped[at], sums.calm[at], squares[at]];
    const errorShare = Math.sqrt(square) / calm;
    return `p${percentile} ${(100 * (stopped / calm - 1)).toFixed(2)}% ± ${(100 * errorShare).toFixed(2)}, ${better[at]} better`;
  });
  process.stdout.write(`${name}: ${cells.join('; ')}\n`);
}
