import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createFaultSchedule } from '../../../src/monitoring-server/injection/fault-schedule.ts';
import { faultsOf } from '../../faults/faults-of.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watchedSchedule() {
  const begun: string[] = [];
  let holding: string[] = [];
  const schedule = createFaultSchedule({
    begun: ({ fault }) => begun.push(fault.do),
    changed: (placed) => {
      holding = placed.map(({ fault }) => fault.do);
    },
  });
  return { schedule, begun, holding: () => holding };
}

it('faults hold from their beginning until their end, in the order they were set', () => {
  const { schedule, begun, holding } = watchedSchedule();
  schedule.set(
    faultsOf({ do: 'freeze', at: '100ms', for: '50ms' }, { do: 'outage', for: '120ms' }, { do: 'stop-accepting' }),
  );
  const history = [0, 99, 1, 19, 1, 29, 1].map((ms) => {
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
  expect(begun).toEqual(['outage', 'stop-accepting', 'freeze']);
});

it('setting faults ends those set before, also those still to come', () => {
  const { schedule, begun, holding } = watchedSchedule();
  schedule.set(faultsOf({ do: 'outage' }, { do: 'forget', at: '10ms' }));
  schedule.set([]);
  vi.advanceTimersByTime(100);
  expect(holding()).toEqual([]);
  expect(begun).toEqual(['outage']);
});

it('a stopped schedule changes nothing any more', () => {
  const { schedule, holding } = watchedSchedule();
  schedule.set(faultsOf({ do: 'outage', for: '10ms' }));
  schedule.stop();
  vi.advanceTimersByTime(100);
  expect(holding()).toEqual(['outage']);
});

it('a fault that is further away than a timer can hold begins and ends at its time', () => {
  const month = 30 * 86_400_000;
  const { schedule, holding } = watchedSchedule();
  schedule.set(faultsOf({ do: 'freeze', at: '30d', for: '30d' }));
  const history = [month - 1, 1, month - 1, 1].map((ms) => {
    vi.advanceTimersByTime(ms);
    return holding();
  });
  expect(history).toEqual([[], ['freeze'], ['freeze'], []]);
});
