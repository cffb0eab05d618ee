/**
 * Milliseconds of the machine's monotonic clock, with fractions. The origin is the same in every thread of one
 * process, so instants of different workers can be compared.
 */
export type Clock = () => number;

/** Calls `act` once, and never before `delayMs` have passed; returns what calls it off. */
export type Timer = (delayMs: number, act: () => void) => () => void;

/** What the promise comes to, or undefined if that takes longer than `limitMs`. */
export async function within<T>(timer: Timer, limitMs: number, promise: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const callOff = timer(limitMs, () => late.resolve(undefined));
  return Promise.race([promise, late.promise]).finally(callOff);
}
