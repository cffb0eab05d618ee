import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createFaultSchedule } from '../../../src/server/injection/injector.ts';
import { faultsOf } from '../faults/faults-of.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watchedSchedule() {
  const started: string[] = [];
  let holding: string[] = [];
  const schedule = createFaultSchedule({
    started: ({ fault }) => started.push(fault.do),
    changed: (placed) => {
      holding = placed.map(({ fault }) => fault.do);
    },
  });
  return { schedule, started, holding: () => holding };
}

it('faults are active from start to end, in the order in which they were set', () => {
  const { schedule, started, holding } = watchedSchedule();
  schedule.set(
    faultsOf({ do: 'freeze', at: '100ms', for: '50ms' }, { do: 'outage', for: '120ms' }, { do: 'stop-accepting' }),
  );
  // Never early, and up to a millisecond late, because timers count whole milliseconds.
  const history = [0, 99, 3, 17, 3, 27, 4].map((ms) => {
    vi.advanceTimersByTime(ms);
    return holding();
  });
  const both = ['outage', 'stop-accepting'];
  expect(history).toEqual([
    both,
    both,
    ['freeze', ...both],
    ['freeze', ...both],
    ['freeze', 'stop-accepting'],
    ['freeze', 'stop-accepting'],
    ['stop-accepting'],
  ]);
  expect(started).toEqual(['outage', 'stop-accepting', 'freeze']);
});

it('setting faults replaces all earlier ones, including pending ones', () => {
  const { schedule, started, holding } = watchedSchedule();
  schedule.set(faultsOf({ do: 'outage' }, { do: 'forget', at: '10ms' }));
  schedule.set([]);
  vi.advanceTimersByTime(100);
  expect(holding()).toEqual([]);
  expect(started).toEqual(['outage']);
});

it('a stopped schedule changes nothing', () => {
  const { schedule, holding } = watchedSchedule();
  schedule.set(faultsOf({ do: 'outage', for: '10ms' }));
  schedule.stop();
  vi.advanceTimersByTime(100);
  expect(holding()).toEqual(['outage']);
});

it("a fault further away than a timer's range starts and ends on time", () => {
  const month = 30 * 86_400_000;
  const { schedule, holding } = watchedSchedule();
  schedule.set(faultsOf({ do: 'freeze', at: '30d', for: '30d' }));
  const history = [month - 1, 3, month - 3, 5].map((ms) => {
    vi.advanceTimersByTime(ms);
    return holding();
  });
  expect(history).toEqual([[], ['freeze'], ['freeze'], []]);
});

it('a fault that starts late keeps its duration', async () => {
  vi.useRealTimers();
  const over = Promise.withResolvers<number>();
  let changes = 0;
  const schedule = createFaultSchedule({
    started: () => {},
    changed: (placed) => {
      if (++changes > 1 && placed.length === 0) over.resolve(performance.now());
    },
  });
  schedule.set(faultsOf({ do: 'freeze', at: '1ms', for: '40ms' }));
  const setMs = performance.now();
  while (performance.now() < setMs + 30);
  // The fault starts after this time, on the same clock.
  const lateMs = performance.now();
  expect(await over.promise).toBeGreaterThanOrEqual(lateMs + 40);
});
