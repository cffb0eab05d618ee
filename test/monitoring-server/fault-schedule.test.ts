import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createFaultSchedule } from '../../src/monitoring-server/faults/fault-schedule.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const DAY_MS = 86_400_000;

it('a fault that is further away than a timer can hold begins and ends at its time', () => {
  const heard: string[] = [];
  const schedule = createFaultSchedule({
    begun: ({ fault }) => heard.push(`${fault.kind} begins`),
    changed: (holding) => heard.push(`${holding.length} hold`),
  });
  schedule.set([{ kind: 'freeze', afterMs: 30 * DAY_MS, forMs: 30 * DAY_MS }]);
  vi.advanceTimersByTime(30 * DAY_MS - 1);
  expect(heard).toEqual(['0 hold']);
  vi.advanceTimersByTime(1);
  expect(heard).toEqual(['0 hold', '1 hold', 'freeze begins']);
  vi.advanceTimersByTime(30 * DAY_MS - 1);
  expect(heard).toHaveLength(3);
  vi.advanceTimersByTime(1);
  expect(heard.at(-1)).toBe('0 hold');
});
