import type { Incident } from '../incidents/incident.ts';
import { restartMs, servicedBefore, servicedMonth } from './maintenance.ts';
import { unit } from './noise.ts';

export type Boot = {
  /** Counts the boots of this host; never repeats. */
  readonly number: number;
  readonly bootMs: number;
  /** When the agent's process started, some seconds later. */
  readonly agentStartMs: number;
  /** When the host goes down for the next boot; infinite if that is weeks ahead. */
  readonly downMs: number;
};

/** From the end of the agent to the start of the next kernel. */
const SHORTEST_DOWN_MS = 15_000;
const MORE_DOWN_MS = 90_000;

/**
 * The boot that a check run at this instant belongs to, or, while the host is down, the boot before. Hosts are rebooted
 * for the updates that need it.
 */
export function bootBefore(key: number, instantMs: number): Boot {
  const number = servicedMonth(key, instantMs);
  const boot = bootNumbered(key, number);
  if (boot.agentStartMs <= instantMs) return boot;
  const downMs = boot.bootMs - Math.round(SHORTEST_DOWN_MS + MORE_DOWN_MS * unit(key + 1, number));
  return { ...bootNumbered(key, servicedBefore(key, number)), downMs };
}

function bootNumbered(key: number, number: number): Boot {
  const bootMs = restartMs(key, number);
  const agentStartMs = agentStart(key, number, bootMs);
  return { number, bootMs, agentStartMs, downMs: Number.POSITIVE_INFINITY };
}

/** The same for a host with incidents that have begun: they bring boots of their own, and it is down until then. */
export function bootWith(incidents: readonly Incident[], key: number, instantMs: number): Boot {
  let boot = bootBefore(key, instantMs);
  for (const { kind, fromMs, toMs } of incidents) {
    if (kind !== 'reboot' || toMs <= boot.bootMs) continue;
    const next = bootFrom(key, toMs);
    const { downMs } = boot;
    boot = next.agentStartMs <= instantMs ? { ...next, downMs } : { ...boot, downMs: Math.min(downMs, fromMs) };
  }
  const { downMs } = boot;
  if (boot.bootMs < downMs) return boot;
  // A boot while something else keeps the host down: what counts is the boot that it went down from.
  const begun = incidents.filter(({ fromMs }) => fromMs < downMs);
  const before = bootWith(begun, key, downMs - 1);
  return { ...before, downMs: Math.min(downMs, before.downMs) };
}

/** Usual boots have small numbers that are not negative. */
function bootFrom(key: number, bootMs: number): Boot {
  const number = -1 - Math.floor(bootMs / 1000);
  return { number, bootMs, agentStartMs: agentStart(key, number, bootMs), downMs: Number.POSITIVE_INFINITY };
}

function agentStart(key: number, number: number, bootMs: number): number {
  return bootMs + 8000 + Math.round(4000 * unit(key, -number));
}
