/**
 * The clocks of an operation, in microseconds: response = answer minus intended start, service = answer minus actual
 * send, lag = actual send minus intended start, delay = pick-up by the generator minus intended start (the scheduling
 * delay: the generator's own part of the lag).
 */
export const CLOCKS = ['response', 'service', 'lag', 'delay'] as const;

export type ClockName = (typeof CLOCKS)[number];
