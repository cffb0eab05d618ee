/** Milliseconds on the machine's monotonic clock, with fractions; the same for all threads of a process. */
export type Clock = () => number;

/** Calls `act` once, never before `delayMs` have passed. Returns a function that cancels the call. */
export type Timer = (delayMs: number, act: () => void) => () => void;

/** The result of the promise, or `undefined` if it takes longer than `limitMs`. */
export async function within<T>(timer: Timer, limitMs: number, promise: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const callOff = timer(limitMs, () => late.resolve(undefined));
  return Promise.race([promise, late.promise]).finally(callOff);
}
