import { setTimeout as pause } from 'node:timers/promises';
import type { Clock, Timer } from '../kernel/clock.ts';

// `performance.now` has a separate origin in each thread. The offset to the process-wide clock is read only once, because `hrtime.bigint`
// allocates on every call.
const offsetMs = Number(process.hrtime.bigint()) / 1e6 - performance.now();

export const monotonicClock: Clock = () => performance.now() + offsetMs;

// Node fires a timer with a longer delay immediately.
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Unlike Node's timers, keeps fractions, counts from now instead of from the start of the loop's turn, and has no limit of 24 days. */
export const realTimer: Timer = (delayMs, act) => {
  const dueMs = performance.now() + delayMs;
  const wait = (restMs: number): NodeJS.Timeout =>
    setTimeout(
      () => {
        const leftMs = dueMs - performance.now();
        if (leftMs > 0) handle = wait(leftMs);
        else act();
      },
      Math.min(MAX_TIMER_MS, timerMs(Math.max(0, restMs))),
    );
  let handle = wait(delayMs);
  return () => clearTimeout(handle);
};

/**
 * The delay for a Node timer that must not fire before `delayMs` have passed. It fires at a whole millisecond of the machine's clock, and
 * counts from the previous one. A timer that fires early must be set again, and each wakeup of an idle process takes 30 µs or more.
 */
export function timerMs(delayMs: number): number {
  const nowMs = monotonicClock();
  return Math.ceil(nowMs + delayMs) - Math.floor(nowMs);
}

export function pauseUntil(durationMs: number, signal: AbortSignal): Promise<void> {
  return pause(durationMs, undefined, { signal }).catch(() => {});
}

const WATCH_MS = 20;

/**
 * Measures how long an event loop did not look at what arrived. The delay of a timer shows how long the loop was busy. Data that arrived meanwhile is found in the turns after it.
 */
export function watchHoldUps() {
  let dueMs = performance.now() + WATCH_MS;
  let justOverMs = 0;
  let rangMs = 0;
  let wasAsked = false;
  // A turn accepts one connection per port, so waiting connections remain until a turn finds none. The time limit excludes an endless
  // stream of new connections, which did not wait.
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
    // Connections are accepted between timers and this callback.
    if (justOverMs === 0) setImmediate(forget);
    justOverMs = Math.max(justOverMs, overMs);
    rangMs = nowMs;
  }, WATCH_MS).unref();
  return {
    /** Maximum time that something found now may have waited, with an error of 20 ms. */
    heldUpMs: (): number => {
      wasAsked = true;
      return Math.max(0, justOverMs, performance.now() - dueMs);
    },
    stop: (): void => clearInterval(timer),
  };
}

/** Calls `act` after all data that arrives before the end of the next turn of the event loop has been read. */
export function afterTurn(act: () => void): void {
  setImmediate(() => setImmediate(act));
}

/** Collects the entries of one turn of the event loop, and hands them over together at its end. */
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

/** Calls with the same key within one turn of the event loop share the first result. */
export function oncePerTurn<T>(make: (key: string) => T): (key: string) => T {
  const made = new Map<string, T>();
  return (key) => {
    if (made.size === 0) setImmediate(() => made.clear());
    if (!made.has(key)) made.set(key, make(key));
    return made.get(key) as T;
  };
}

/** Skips calls while an earlier one is unfinished, because a worker may be busy, and for some time after it. Failures are ignored. */
export function oneAtATime(work: () => Promise<void>, pauseMs: number): () => void {
  let dueMs = 0;
  return () => {
    if (performance.now() < dueMs) return;
    dueMs = Number.POSITIVE_INFINITY;
    work()
      .catch(() => {})
      .finally(() => {
        dueMs = performance.now() + pauseMs;
      });
  };
}
