import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Fault, type FaultInput, faultSchema } from '../../../src/faults/server-faults.ts';
import { createFaultSchedule } from '../../../src/monitoring-server/injection/fault-schedule.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function fault(input: FaultInput): Fault {
  return faultSchema.parse(input);
}

function watchedSchedule() {
  const begun: string[] = [];
  let holding: string[] = [];
  const schedule = createFaultSchedule({
    begun: ({ fault }) => begun.push(fault.kind),
    changed: (placed) => {
      holding = placed.map(({ fault }) => fault.kind);
    },
  });
  return { schedule, begun, holding: () => holding };
}

it('faults hold from their beginning until their end, in the order they were set', () => {
  const { schedule, begun, holding } = watchedSchedule();
  schedule.set([
    fault({ kind: 'freeze', afterMs: 100, forMs: 50 }),
    fault({ kind: 'outage', forMs: 120 }),
    fault({ kind: 'stop_accepting' }),
  ]);
  const history = [0, 99, 1, 19, 1, 29, 1].map((ms) => {
    vi.advanceTimersByTime(ms);
    return holding();
  });
  const both = ['outage', 'stop_accepting'];
  expect(history).toEqual([
    both,
    both,
    ['freeze', ...both],
    ['freeze', ...both],
    ['freeze', 'stop_accepting'],
    ['freeze', 'stop_accepting'],
    ['stop_accepting'],
  ]);
  expect(begun).toEqual(['outage', 'stop_accepting', 'freeze']);
});

it('setting faults ends those set before, also those still to come', () => {
  const { schedule, begun, holding } = watchedSchedule();
  schedule.set([fault({ kind: 'outage' }), fault({ kind: 'forget', afterMs: 10 })]);
  schedule.set([]);
  vi.advanceTimersByTime(100);
  expect(holding()).toEqual([]);
  expect(begun).toEqual(['outage']);
});

it('a stopped schedule changes nothing any more', () => {
  const { schedule, holding } = watchedSchedule();
  schedule.set([fault({ kind: 'outage', forMs: 10 })]);
  schedule.stop();
  vi.advanceTimersByTime(100);
  expect(holding()).toEqual(['outage']);
});

it('a fault that is further away than a timer can hold begins and ends at its time', () => {
  const month = 30 * 86_400_000;
  const { schedule, holding } = watchedSchedule();
  schedule.set([fault({ kind: 'freeze', afterMs: month, forMs: month })]);
  const history = [month - 1, 1, month - 1, 1].map((ms) => {
    vi.advanceTimersByTime(ms);
    return holding();
  });
  expect(history).toEqual([[], ['freeze'], ['freeze'], []]);
});
