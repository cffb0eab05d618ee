import type { Clock, Timer } from '../kernel/clock.ts';

// `performance.now` starts anew in each thread; the offset to the process-wide clock is taken once because
// `hrtime.bigint` allocates at every call.
const offsetMs = Number(process.hrtime.bigint()) / 1e6 - performance.now();

export const monotonicClock: Clock = () => performance.now() + offsetMs;

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
 * The delay for a timer of Node's that must not fire before `delayMs` have passed: it fires at a whole millisecond of
 * the machine's clock, and counts from the one before now. One that fires early has to be set again, and each time a
 * process that has nothing else to do is woken takes 30 µs and more.
 */
export function timerMs(delayMs: number): number {
  const nowMs = monotonicClock();
  return Math.ceil(nowMs + delayMs) - Math.floor(nowMs);
}

const WATCH_MS = 20;

/** For how long an event loop has not looked at what arrived. */
export type HoldUpWatch = {
  /** Of what is found now: how long it may have waited at the longest, to within a fiftieth of a second. */
  readonly heldUpMs: () => number;
  readonly stop: () => void;
};

/** The delay of a timer shows how long the loop was busy; what had arrived meanwhile is found in the turns after it. */
export function watchHoldUps(): HoldUpWatch {
  let dueMs = performance.now() + WATCH_MS;
  let justOverMs = 0;
  let rangMs = 0;
  let wasAsked = false;
  // A turn accepts one connection of each port: what waits there is not taken before a turn has found nothing. New ones that
  // come without end are not what waited.
  const forget = () => {
    if (wasAsked && performance.now() < rangMs + justOverMs) setImmediate(forget);
    else justOverMs = 0;
    wasAsked = false;
  };
  const timer = setInterval(() => {
    const nowMs = performance.now();
    const overMs = nowMs - dueMs;
    dueMs = nowMs + WATCH_MS;
    if (overMs <= WATCH_MS) return;
    // Connections are accepted between timers and this.
    if (justOverMs === 0) setImmediate(forget);
    justOverMs = Math.max(justOverMs, overMs);
    rangMs = nowMs;
  }, WATCH_MS).unref();
  return {
    heldUpMs: () => {
      wasAsked = true;
      return Math.max(0, justOverMs, performance.now() - dueMs);
    },
    stop: () => clearInterval(timer),
  };
}

/** After what arrives until the end of the event loop's next turn was read. */
export function afterTurn(act: () => void): void {
  setImmediate(() => setImmediate(act));
}

/** Collects what is added within one turn of the event loop, and hands it over together at the turn's end. */
export function batchPerTurn<T>(handOver: (entries: readonly T[]) => void): (entry: T) => void {
  let entries: T[] = [];
  const flush = (): void => {
    const batch = entries;
    entries = [];
    handOver(batch);
  };
  return (entry) => {
    if (entries.length === 0) setImmediate(flush);
    entries.push(entry);
  };
}

/** Calls with one key within one turn of the event loop share what the first of them made. */
export function oncePerTurn<T>(make: (key: string) => T): (key: string) => T {
  const made = new Map<string, T>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    if (made.size === 0) setImmediate(() => made.clear());
    const result = make(key);
    made.set(key, result);
    return result;
  };
}
