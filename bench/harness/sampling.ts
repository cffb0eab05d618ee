import { messageOf } from '../../src/base/kernel/errors.ts';
import type { Benchmark, Case, Context, Figures } from './benchmark.ts';
import { median, type Spread, spreadOf } from './statistics.ts';

/** One figure of one variant in one case. */
export type Measurement = Spread & {
  readonly name: string;
  readonly variant: string;
  readonly figure: string;
  readonly samples: readonly number[];
  /** Ratio of the medians to the variant that is the basis of comparison. */
  readonly ratio?: number;
};

type Sampled = { readonly variant: string; readonly figures: readonly Figures[] };

const ROUNDS = { quick: 1, full: 5 };

/** Receives progress. */
export type Listener = {
  /** A failed variant is skipped in the rest of its case. */
  readonly failed: (text: string) => void;
  readonly took: (name: string, seconds: number) => void;
};

/** Measures all cases, one after another. */
export async function measure(
  benchmark: Benchmark,
  context: Context,
  listener: Listener,
): Promise<readonly Measurement[]> {
  const measurements: Measurement[] = [];
  for await (const one of benchmark.cases(context)) {
    const startMs = performance.now();
    const sampled = await sampleInTurn(one, ROUNDS[context.quick ? 'quick' : 'full'], listener.failed);
    measurements.push(...measurementsOf(benchmark, one.name, sampled));
    listener.took(one.name, (performance.now() - startMs) / 1000);
  }
  return measurements;
}

/** Variants take turns, so that a busy period of the machine affects all of them. */
async function sampleInTurn(
  { name, variants }: Case,
  rounds: number,
  failed: (text: string) => void,
): Promise<readonly Sampled[]> {
  const sampled = variants.map((variant) => ({ variant, figures: [] as Figures[], isOut: false }));
  for (let round = 0; round < rounds; round++) {
    for (const one of sampled.filter(({ isOut }) => !isOut)) {
      try {
        one.figures.push(await one.variant.sample());
      } catch (error) {
        one.isOut = true;
        failed(`${name}, ${one.variant.name}: ${messageOf(error)}`);
      }
    }
  }
  return sampled.filter(({ isOut }) => !isOut).map(({ variant, figures }) => ({ variant: variant.name, figures }));
}

function measurementsOf({ figures, ratio }: Benchmark, name: string, all: readonly Sampled[]): readonly Measurement[] {
  const base = all.find(({ variant }) => variant === ratio?.to);
  const baseline = ratio && base ? median(samplesOf(base, ratio.of)) : undefined;
  return all.flatMap((one) =>
    Object.keys(figures).flatMap((figure) => {
      const samples = samplesOf(one, figure);
      if (samples.length === 0) return [];
      const spread = spreadOf(samples);
      const compared = figure === ratio?.of && baseline !== undefined ? { ratio: spread.median / baseline } : {};
      return [{ name, variant: one.variant, figure, samples, ...spread, ...compared }];
    }),
  );
}

/** Some variants lack some figures. */
function samplesOf({ figures }: Sampled, figure: string): readonly number[] {
  return figures.flatMap((sample) => sample[figure] ?? []);
}
