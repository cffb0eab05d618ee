/**
 * Milliseconds of the machine's monotonic clock, with fractions. The origin is the same in every thread of one
 * process, so instants of different workers can be compared.
 */
export type Clock = () => number;

// `performance.now` starts anew in each thread; the offset to the process-wide clock is taken once because
// `hrtime.bigint` allocates at every call.
const offsetMs = Number(process.hrtime.bigint()) / 1e6 - performance.now();

export const monotonicClock: Clock = () => performance.now() + offsetMs;
