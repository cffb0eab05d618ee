import { randomStream } from '../../../src/ground/kernel/random.ts';
import type { OperationSummary, Summary } from '../../../src/metrics/summary/summary-schema.ts';

/** How times vary between runs of one server: a random factor with median 1. */
export type Shape = (random: () => number) => number;

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

export const SHAPES: Readonly<Record<string, Shape>> = {
  'none at all': () => 1,
  'steps of 5 %': (random) => 1 + 0.05 * Math.round(normal(random)),
  'two percent': (random) => Math.exp(0.02 * normal(random)),
  'five percent': (random) => Math.exp(0.05 * normal(random)),
  'a factor of two': (random) => Math.exp(0.7 * normal(random)),
  'rare outliers of eight times': (random) => Math.exp(0.03 * normal(random)) * (random() < 0.15 ? 8 : 1),
  'tails without a variance': (random) => Math.exp(0.05 * Math.tan(Math.PI * (random() * 0.98 - 0.49))),
  'two states of the machine': (random) => (random() < 0.5 ? 1 : 1.5) * Math.exp(0.01 * normal(random)),
};

/** A server whose runs vary in this way: each call returns one more run, with times `slower` times as long. */
export function runsOf(sample: Summary, shape: Shape, seed: number): (slower?: number) => Summary {
  const random = randomStream(seed);
  return (slower = 1) => {
    const scattered = (entry: OperationSummary): OperationSummary => {
      const common = shape(random);
      const { response } = entry.latencyMs;
      if (response === undefined) return entry;
      const [p50, p95, p99] = [response.p50, response.p95, response.p99].map(
        (value) => value * slower * Math.sqrt(common * shape(random)),
      ) as [number, number, number];
      return {
        ...entry,
        succeededPerSecond: entry.succeededPerSecond / Math.sqrt(shape(random)),
        latencyMs: { ...entry.latencyMs, response: { ...response, p50, p95, p99 } },
      };
    };
    const phases = sample.phases.map((phase) => ({ ...phase, operations: phase.operations.map(scattered) }));
    return { ...sample, phases };
  };
}
