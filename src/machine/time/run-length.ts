/** How long a check run takes, in milliseconds. See docs/protocol.md, "When things are sent". */
export type RunLength = (checkIntervalSeconds: number) => number;

/** The CPU check waits for other checks unless runs follow each other closely, and then watches for a second. */
export const posixRunMs: RunLength = (checkIntervalSeconds) => (checkIntervalSeconds > 5 ? 4000 : 1000);
