import { describe, expect, it } from 'vitest';
import { spectraOf, summarise } from '../../../src/metrics/summary/summary.ts';
import { FACTS, frameOf, recordingOf } from '../recordings.ts';

const recording = recordingOf([
  frameOf(
    4,
    Array.from({ length: 1000 }, (_, i) => ({ serviceMs: 1 + i / 10 })),
  ),
]);

describe('a percentile spectrum', () => {
  it('exists for each operation and clock that has values', () => {
    expect(spectraOf(recording).map(({ operation, clock }) => `${operation} ${clock}`)).toEqual([
      'checkdata response',
      'checkdata service',
      'checkdata lag',
    ]);
    expect(spectraOf(recordingOf([]))).toEqual([]);
  });

  it('rises from the lowest value to the maximum, at the inverse of one value among all', () => {
    const points = spectraOf(recording)[0]?.points ?? [];
    const latency = summarise(recording, FACTS).overall[0]?.latencyMs.response;
    expect(points[0]).toEqual([1, latency?.min]);
    expect(points.at(-1)).toEqual([1000, latency?.max]);
    expect(points.find(([inverse]) => inverse === 2)?.[1]).toBe(latency?.p50);
    expect(points).toEqual(points.toSorted(([a, x], [b, y]) => a - b || x - y));
  });

  it('does not ask for percentiles that no value stands behind', () => {
    const [few] = spectraOf(recordingOf([frameOf(4, [{ serviceMs: 1 }])]));
    expect(few?.points).toEqual([[1, 1]]);
  });
});
