import { timerMs } from '../../src/runtime/event-loop.ts';
import { percentile } from '../harness/statistics.ts';

/**
 * The control of `schedule.ts`: does nothing but keep one core busy for so long at each of evenly spread instants, waits by
 * timers in between, and prints the 99th percentile of how late it was, in milliseconds.
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
