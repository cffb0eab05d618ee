import { expect, it } from 'vitest';
import { createRunTotals } from '../../../src/metrics/merging/run-totals.ts';
import { frameOf, PHASES } from '../recordings.ts';

it('the timeline holds back what a worker may still add to, and gives it out once all have ended', () => {
  const totals = createRunTotals(PHASES, [0, 1]);
  for (const second of [0, 1, 2]) totals.add(frameOf(second, [{}]));
  totals.end(0);
  expect(totals.takeTimeline()).toEqual([]);
  totals.end(1);
  expect(totals.takeTimeline().map(({ second }) => second)).toEqual([0, 1, 2]);
  expect(totals.takeTimeline()).toEqual([]);
});
