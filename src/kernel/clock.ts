/**
 * Milliseconds of the machine's monotonic clock, with fractions. The origin is the same in every thread of one
 * process, so instants of different workers can be compared.
 */
export type Clock = () => number;

// `performance.now` starts anew in each thread; the offset to the process-wide clock is taken once because
// `hrtime.bigint` allocates at every call.
const offsetMs = Number(process.hrtime.bigint()) / 1e6 - performance.now();

export const monotonicClock: Clock = () => performance.now() + offsetMs;

/** Calls `act` once, and never before `delayMs` have passed; returns what calls it off. */
export type Timer = (delayMs: number, act: () => void) => () => void;

// A longer delay would pass at once.
const LONGEST_MS = 2 ** 31 - 1;

/** Node's timers drop fractions, count from the start of the event loop's turn, and hold 24 days; this one does not. */
export const realTimer: Timer = (delayMs, act) => {
  const dueMs = performance.now() + delayMs;
  const wait = (restMs: number): NodeJS.Timeout =>
    setTimeout(
      () => {
        const leftMs = dueMs - performance.now();
        if (leftMs > 0) handle = wait(leftMs);
        else act();
      },
      Math.min(LONGEST_MS, timerMs(Math.max(0, restMs))),
    );
  let handle = wait(delayMs);
  return () => clearTimeout(handle);
};

/**
 * What a timer of Node's is to be set to that must not ring before so much time has passed: it rings at a whole millisecond of
 * the machine's clock, and counts from the one before now. One that rings early has to be set again, and each time a
 * process that has nothing else to do is woken takes 30 µs and more.
 */
export function timerMs(delayMs: number): number {
  const nowMs = monotonicClock();
  return Math.ceil(nowMs + delayMs) - Math.floor(nowMs);
}

/** What the promise comes to, or undefined if that takes longer than `limitMs`. */
export async function within<T>(timer: Timer, limitMs: number, promise: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const callOff = timer(limitMs, () => late.resolve(undefined));
  return Promise.race([promise, late.promise]).finally(callOff);
}
