/**
 * The three clocks of an operation, in microseconds:
 * response = answer minus intended start, service = answer minus actual send, lag = actual send minus intended start.
 */
export const CLOCKS = ['response', 'service', 'lag'] as const;

export type ClockName = (typeof CLOCKS)[number];
