import { unit } from './noise.ts';

export type Boot = {
  /** Counts the boots of this host; never repeats. */
  readonly number: number;
  readonly bootMs: number;
  /** When the agent's process started, some seconds later. */
  readonly agentStartMs: number;
};

const DAY_MS = 86_400_000;

/** The boot that a check run at this instant belongs to. Hosts are rebooted every few weeks, each in its own rhythm. */
export function bootBefore(key: number, instantMs: number): Boot {
  const periodMs = (18 + 45 * unit(key, 0)) * DAY_MS;
  const number = Math.floor(instantMs / periodMs + unit(key, 1));
  const boot = bootNumbered(key, periodMs, number);
  return boot.agentStartMs <= instantMs ? boot : bootNumbered(key, periodMs, number - 1);
}

function bootNumbered(key: number, periodMs: number, number: number): Boot {
  const inPeriod = 0.7 * unit(key, number + 2);
  const bootMs = Math.round((number - unit(key, 1) + inPeriod) * periodMs);
  return { number, bootMs, agentStartMs: bootMs + 8000 + Math.round(4000 * unit(key, -number)) };
}
