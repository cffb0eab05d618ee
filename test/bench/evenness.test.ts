import { describe, expect, it } from 'vitest';
import { evennessOf } from '../../bench/harness/evenness.ts';

const even = Array.from({ length: 995 }, (_, at) => 5000 + at);

describe('the evenness of arrivals', () => {
  it('has no delay and no dispersion for an even schedule at the rate, in any order', () => {
    expect(evennessOf(even.toReversed(), 1000)).toEqual({ behindP99Ms: 0, dispersion: 0 });
  });

  it('measures how far a stall of the sender delays arrivals', () => {
    const stalled = even.map((atMs) => (atMs >= 5400 && atMs < 5500 ? 5500 : atMs));
    const { behindP99Ms, dispersion } = evennessOf(stalled, 1000);
    expect(behindP99Ms).toBe(91);
    expect(dispersion).toBeGreaterThan(5);
  });

  it('is relative to the most punctual arrival, which may not be the first', () => {
    const lateAtFirst = even.map((atMs) => Math.max(atMs, 5100));
    expect(evennessOf(lateAtFirst, 1000).behindP99Ms).toBe(91);
  });

  it('counts a rate that is not reached as delay', () => {
    expect(evennessOf(even, 2000).behindP99Ms).toBeGreaterThan(490);
  });
});
