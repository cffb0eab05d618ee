import { timerMs } from '../../src/base/runtime/event-loop.ts';
import { percentile } from '../harness/statistics.ts';

/**
 * The control of `schedule.ts`. Keeps one core busy for `busyMs` at evenly spaced times and waits with timers in between. Prints
 * the 99th percentile of its delays, in milliseconds.
 */
const [perSecond = Number.NaN, busyMs = Number.NaN, seconds = Number.NaN] = process.argv.slice(2).map(Number);
const startMs = performance.now();
const lagsMs: number[] = [];

function turn(): void {
  while (lagsMs.length < perSecond * seconds) {
    const nowMs = performance.now();
    const lagMs = nowMs - startMs - (lagsMs.length * 1000) / perSecond;
    if (lagMs < 0) {
      setTimeout(turn, timerMs(-lagMs));
      return;
    }
    lagsMs.push(lagMs);
    while (performance.now() - nowMs < busyMs);
  }
  process.stdout.write(`${percentile(lagsMs, 0.99)}\n`);
}

turn();
