import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NICE_SECONDS, tickTexts } from '../../../src/report/page/figures.ts';
import { movedSpan, resolutionOf, spanOf } from '../../../src/staging/dashboard/time-range.ts';

const DAY = 86_400;
const YEAR = 366 * DAY;
const NOW = Date.parse('2026-03-01T00:05:00Z') / 1000;

describe('the axis of time', () => {
  it('has at least two labels for any span up to a year, even on a phone', () => {
    const [widthPx, spacePx] = [230, 90];
    fc.assert(
      fc.property(fc.integer({ min: 10, max: YEAR }), (seconds) => {
        const step = NICE_SECONDS.find((one) => (one / seconds) * widthPx >= spacePx);
        return step !== undefined && Math.floor(seconds / step) >= 1;
      }),
      { examples: [[441_601]] },
    );
  });

  it('shows days, or times with the day at the first and at each change', () => {
    expect(tickTexts([NOW - 600, NOW - 300, NOW], 300)).toEqual(['23:55\n2026-02-28', '00:00\n2026-03-01', '00:05']);
    expect(tickTexts([NOW, NOW + 1], 1)).toEqual(['00:05:00\n2026-03-01', '00:05:01']);
    expect(tickTexts([NOW, NOW + 7 * DAY], 7 * DAY)).toEqual(['2026-03-01', '2026-03-08']);
  });
});

describe('the time shown', () => {
  it('begins with the fleet at the earliest', () => {
    const week = { kind: 'last', seconds: 7 * DAY } as const;
    expect(spanOf(week, NOW, NOW - DAY)).toEqual({ fromSeconds: NOW - DAY, toSeconds: NOW });
    expect(spanOf(week, NOW, NOW - YEAR)).toEqual({ fromSeconds: NOW - 7 * DAY, toSeconds: NOW });
  });

  it('has a resolution that is still kept, and at most 4,400 points within the last week', () => {
    const ago = fc.integer({ min: 1, max: YEAR });
    fc.assert(
      fc.property(ago, ago, (a, b) => {
        const [length, ageSeconds] = [Math.min(a, b), Math.max(a, b)];
        const span = { fromSeconds: NOW - ageSeconds, toSeconds: NOW - ageSeconds + length };
        const { name, stepSeconds } = resolutionOf(span, NOW);
        const keptSeconds = { second: 3601, minute: 7 * DAY, hour: YEAR + 1 }[name];
        return ageSeconds <= keptSeconds && (name === 'hour' || length / stepSeconds <= 4400);
      }),
    );
  });

  it('never reaches into the future when it is moved', () => {
    const span = { fromSeconds: NOW - 600, toSeconds: NOW };
    expect(movedSpan(span, [0.5, 0.5], NOW)).toEqual(span);
    expect(movedSpan(span, [-0.5, -0.5], NOW)).toEqual({ fromSeconds: NOW - 900, toSeconds: NOW - 300 });
    expect(movedSpan(span, [0.25, -0.25], NOW)).toEqual({ fromSeconds: NOW - 450, toSeconds: NOW - 150 });
  });
});
