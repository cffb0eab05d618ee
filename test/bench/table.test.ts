import { describe, expect, it } from 'vitest';
import type { Benchmark } from '../../bench/harness/benchmark.ts';
import { measure } from '../../bench/harness/sampling.ts';
import { numberText, tableOf } from '../../bench/harness/table.ts';

const SAMPLES = { wrk: [20, 22, 21, 30, 20], muster: [41, 44, 42, 90, 40] };

/** A benchmark with samples from these lists, and the order in which they were taken. */
function listed(lists: Readonly<Record<string, readonly number[]>>) {
  const order: string[] = [];
  const variants = Object.entries(lists).map(([name, samples]) => {
    const left = [...samples];
    const sample = async () => {
      order.push(name);
      const cpuUs = left.shift();
      if (cpuUs === undefined) throw new Error('no more');
      return name === 'muster' ? { cpuUs, peakMb: 100 } : { cpuUs };
    };
    return { name, sample };
  });
  const benchmark: Benchmark = {
    name: 'listed',
    question: 'Which list?',
    needs: [],
    minutes: { quick: 1, full: 1 },
    figures: { cpuUs: 'CPU µs', peakMb: 'peak MB', never: 'never' },
    ratio: { of: 'cpuUs', to: 'wrk' },
    async *cases() {
      yield { name: '2 KB', variants };
    },
  };
  return { benchmark, order };
}

async function measured(benchmark: Benchmark, quick: boolean) {
  const failures: string[] = [];
  const context = { quick, sets: [], note: () => {} };
  const listener = { failed: (text: string) => void failures.push(text), took: () => {} };
  return { measurements: await measure(benchmark, context, listener), failures };
}

describe('a benchmark', () => {
  it('takes five samples of each variant in turn, and one in quick mode', async () => {
    const full = listed(SAMPLES);
    await measured(full.benchmark, false);
    expect(full.order.join()).toBe('wrk,muster,wrk,muster,wrk,muster,wrk,muster,wrk,muster');
    const quick = listed(SAMPLES);
    await measured(quick.benchmark, true);
    expect(quick.order.join()).toBe('wrk,muster');
  });

  it('omits a variant that fails, with the reason, and continues with the others', async () => {
    const { benchmark } = listed({ ...SAMPLES, wrk: [20] });
    const { measurements, failures } = await measured(benchmark, false);
    expect(failures).toEqual(['2 KB, wrk: no more']);
    expect(measurements.map(({ variant, median, ratio }) => [variant, median, ratio])).toEqual([
      ['muster', 42, undefined],
      ['muster', 100, undefined],
    ]);
  });

  it('prints medians with their spread and the ratio of medians, and no figure without samples', async () => {
    const { benchmark } = listed(SAMPLES);
    const { measurements } = await measured(benchmark, false);
    expect(`\n${tableOf(benchmark, measurements)}\n`).toBe(`
|      |        |     CPU µs |       peak MB | × wrk |
| ---- | ------ | ---------: | ------------: | ----: |
| 2 KB | wrk    | 21 (20–30) |               |  1.00 |
| 2 KB | muster | 42 (40–90) | 100 (100–100) |  2.00 |
`);
  });

  it('prints three significant digits, and all digits of whole numbers', () => {
    expect([0.01234, 1.006, 99.96, 123.4, 12345.6].map(numberText)).toEqual(['0.0123', '1.01', '100', '123', '12346']);
  });
});
