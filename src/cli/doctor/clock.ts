import { percentileOf } from '../../calibration/truth.ts';
import { monotonicClock } from '../../runtime/event-loop.ts';
import type { Diagnosis } from './diagnosis.ts';

/** How finely this process sees time, and how late it is woken; milliseconds. */
export type ClockPrecision = {
  /** The median step of the monotonic clock. */
  readonly stepMs: number;
  /** How much later than wanted one-millisecond timers fired. */
  readonly timerLateMs: { readonly median: number; readonly worst: number };
};

const TIMERS = 50;
const STEPS = 1000;
// A timer of Node has whole milliseconds and is rounded up; that and a little more is how it should be.
const USUAL_STEP_MS = 0.01;
const USUAL_LATE_MS = 2;
const USUAL_WORST_MS = 20;

/** Takes about a tenth of a second. */
export async function measureClock(): Promise<ClockPrecision> {
  const late: number[] = [];
  for (let i = 0; i < TIMERS; i++) {
    const dueMs = monotonicClock() + 1;
    await new Promise((resolve) => setTimeout(resolve, 1));
    late.push(Math.max(0, monotonicClock() - dueMs));
  }
  return {
    stepMs: percentileOf(clockSteps(), 50),
    timerLateMs: { median: percentileOf(late, 50), worst: percentileOf(late, 100) },
  };
}

export function clockDiagnoses({ stepMs, timerLateMs: { median, worst } }: ClockPrecision): readonly Diagnosis[] {
  const punctual = median <= USUAL_LATE_MS && worst <= USUAL_WORST_MS;
  return [
    {
      mark: stepMs <= USUAL_STEP_MS ? 'good' : 'caution',
      what: 'clock',
      found: `steps of ${durationText(stepMs)}`,
      meaning: 'durations are recorded in microseconds',
      remedy: stepMs <= USUAL_STEP_MS ? '' : 'choose a finer clock source for the kernel or the virtual machine',
    },
    {
      mark: punctual ? 'good' : 'caution',
      what: 'timers',
      found: `${durationText(median)} late`,
      meaning: `median; ${durationText(worst)} at worst of ${TIMERS}`,
      remedy: punctual ? '' : 'something else takes the cores: stop it before measuring, or give this machine more',
    },
  ];
}

function clockSteps(): readonly number[] {
  const steps: number[] = [];
  let before = performance.now();
  while (steps.length < STEPS) {
    const now = performance.now();
    if (now > before) steps.push(now - before);
    before = now;
  }
  return steps;
}

function durationText(milliseconds: number): string {
  if (milliseconds < 0.001) return `${Math.round(milliseconds * 1e6)} ns`;
  return milliseconds < 1 ? `${Math.round(milliseconds * 1000)} µs` : `${milliseconds.toFixed(1)} ms`;
}
