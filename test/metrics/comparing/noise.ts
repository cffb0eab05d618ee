import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { OperationSummary, Summary } from '../../../src/metrics/summary/summary-schema.ts';

type Random = () => number;

/** Factors by which the response times of a run differ from those of its server. */
type Times = Readonly<Record<'p50' | 'p95' | 'p99', number>>;

/** The noise of a pair of runs, for each operation. */
type NoisePair = (random: Random, pair: number) => readonly [Times, Times];

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Without a variance, up to its 99th percentile. */
function cauchy(random: Random): number {
  return Math.tan(Math.PI * (random() * 0.98 - 0.49));
}

type Logarithm = (random: Random, pair: number) => number;

const none: Logarithm = () => 0;

/** Noise of each figure of each run, of all figures of a run, and of both runs of a pair. */
function noiseOf(figure: Logarithm, run: Logarithm = none, both: Logarithm = none): NoisePair {
  return (random, pair) => {
    const shared = both(random, pair);
    const times = (): Times => {
      const common = shared + run(random, pair);
      const time = () => Math.exp(common + figure(random, pair));
      return { p50: time(), p95: time(), p99: time() };
    };
    return [times(), times()];
  };
}

/** Logarithm with this standard deviation, half of its variance in common to all figures of a run. */
function percent(sigma: number): NoisePair {
  const half: Logarithm = (random) => sigma * Math.SQRT1_2 * normal(random);
  return noiseOf(half, half);
}

/**
 * Pairs of runs of one server, taken in turns beside up to seven builds on two cores on 2026-11-28: 100 agents, 150 requests per second for
 * 3 to 5 s. Each line has p50, p95 and p99 of one run and then of the other, in ms.
 */
const REAL = readFileSync(resolve(import.meta.dirname, 'real-pairs.tsv'), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split('\t').map(Number));

/** One of the real pairs, its runs in either order. */
const real: NoisePair = (random) => {
  const [a = 1, b = 1, c = 1, d = 1, e = 1, f = 1] = REAL[Math.floor(random() * REAL.length)] ?? [];
  const [one, other]: [Times, Times] = [
    { p50: a, p95: b, p99: c },
    { p50: d, p95: e, p99: f },
  ];
  return random() < 0.5 ? [one, other] : [other, one];
};

/** How times vary between runs of one server. */
export const NOISES: Readonly<Record<string, NoisePair>> = {
  'none at all': noiseOf(none),
  'two percent': percent(0.02),
  'five percent': percent(0.05),
  'a factor of two': percent(0.7),
  'steps of 5 %': noiseOf((random) => Math.log(Math.max(0.5, 1 + 0.05 * Math.round(normal(random))))),
  'one-sided, exponential': noiseOf((random) => -0.05 * Math.log(1 - random())),
  'one figure in seven eight times': noiseOf((random) => 0.03 * normal(random) + (random() < 1 / 7 ? Math.log(8) : 0)),
  'tails without a variance': noiseOf((random) => 0.05 * cauchy(random)),
  'two states of the machine': noiseOf(
    (random) => 0.01 * normal(random),
    (random) => (random() < 0.5 ? 0 : 0.4),
  ),
  'load of the machine, by pair': noiseOf(
    (random) => 0.02 * normal(random),
    (random) => 0.02 * normal(random),
    (random) => Math.abs(cauchy(random)),
  ),
  'drift of 10 % per pair': noiseOf(
    (random) => 0.03 * normal(random),
    none,
    (_, pair) => 0.1 * pair,
  ),
  'real runs': real,
};

/** A change of the server: factors of its times, and its error rates before and after. */
export type Change = { readonly times?: Partial<Times>; readonly errors?: readonly [number, number] };

/** A minute apart. */
const STARTS = Array.from({ length: 200 }, (_, minute) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString());

/** Pairs of runs in turns, of a server before and after a change. */
export function noisyPairs(
  sample: Summary,
  noise: NoisePair,
  { pairs, change, random }: { readonly pairs: number; readonly change: Change; readonly random: Random },
): readonly [Summary[], Summary[]] {
  const all = Array.from({ length: pairs }, (_, pair) => {
    const sides: [Summary, Summary] = [sample, sample];
    const operations = sample.phases.map((phase) => phase.operations.map(() => noise(random, pair)));
    return sides.map((run, side) => {
      const phases = run.phases.map((phase, p) => ({
        ...phase,
        operations: phase.operations.map((entry, index) => {
          const factors = operations[p]?.[index]?.[side] ?? { p50: 1, p95: 1, p99: 1 };
          const changed = side === 0 ? {} : (change.times ?? {});
          return withErrors(withTimes(entry, factors, changed), change.errors?.[side], random);
        }),
      }));
      // The side that runs first changes from pair to pair. Only what a comparison reads: copying all of a summary takes longer than comparing.
      const startedAt = STARTS[2 * pair + ((pair + side) % 2)];
      return { verdict: run.verdict, phases, startedAt } as unknown as Summary;
    });
  });
  return [all.flatMap(([base]) => base ?? []), all.flatMap(([, candidate]) => candidate ?? [])];
}

function withTimes(
  entry: OperationSummary,
  noise: Times,
  { p50 = 1, p95 = 1, p99 = 1 }: Partial<Times>,
): OperationSummary {
  const { response } = entry.latencyMs;
  if (response === undefined) return entry;
  const times = {
    p50: response.p50 * noise.p50 * p50,
    p95: response.p95 * noise.p95 * p95,
    p99: response.p99 * noise.p99 * p99,
  };
  return { ...entry, latencyMs: { ...entry.latencyMs, response: { ...response, ...times } } };
}

/** Each operation fails with this probability. */
function withErrors(entry: OperationSummary, rate: number | undefined, random: Random): OperationSummary {
  if (rate === undefined) return entry;
  const failed = poisson(rate * entry.started, random);
  return { ...entry, failed, succeeded: entry.started - failed };
}

function poisson(mean: number, random: Random): number {
  let [count, left] = [0, -Math.log(1 - random())];
  while (left < mean) {
    count++;
    left -= Math.log(1 - random());
  }
  return count;
}
