import { type Incident, incidentsBy } from './incident.ts';
import { MAINTENANCE, restartMs, servicedBefore, servicedMonth } from './maintenance.ts';
import { hostKeys, keyOf, unit } from './noise.ts';

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
  const boot = bootAt(key, number, restartMs(key, number));
  if (boot.agentStartMs <= instantMs) return boot;
  const downMs = boot.bootMs - Math.round(SHORTEST_DOWN_MS + MORE_DOWN_MS * unit(key + 1, number));
  const before = servicedBefore(key, number);
  return { ...bootAt(key, before, restartMs(key, before)), downMs };
}

/** The same for a host with incidents that have begun: they bring boots of their own, and it is down until then. */
export function bootWith(incidents: readonly Incident[], key: number, instantMs: number): Boot {
  let boot = bootBefore(key, instantMs);
  for (const { kind, fromMs, toMs } of incidents) {
    if (kind !== 'reboot' || toMs <= boot.bootMs) continue;
    // Usual boots have small numbers that are not negative.
    const next = bootAt(key, -1 - Math.floor(toMs / 1000), toMs);
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

function bootAt(key: number, number: number, bootMs: number): Boot {
  const agentStartMs = bootMs + 8000 + Math.round(4000 * unit(key, -number));
  return { number, bootMs, agentStartMs, downMs: Number.POSITIVE_INFINITY };
}

type HostsInput = { readonly seed: number; readonly incidents?: readonly Incident[] | undefined };

/** The boot of a host that an instant belongs to, or, while it is down, the boot before. */
export function bootsOf(hosts: HostsInput): (agent: number, unixMs: number) => Boot {
  const hostKeyOf = hostKeys(hosts.seed);
  const incidentsOf = incidentsBy(hosts.incidents ?? []);
  return (agent, unixMs) => bootWith(incidentsOf(agent, unixMs), keyOf(hostKeyOf(agent), MAINTENANCE), unixMs);
}

/** A time without a host's agent, in Unix ms: the host goes down, and boots. */
export type Outage = {
  readonly downMs: number;
  /** When the agent starts again; Infinity if that is later than anyone asked for. */
  readonly agentStartMs: number;
};

// Shorter than any host stays up between two boots.
const STEP_MS = 10_000;

/** The first outage of an agent's host that is not over by `fromMs` and begins before `untilMs`; undefined: there is none. */
export type NextOutage = (agent: number, fromMs: number, untilMs: number) => Outage | undefined;

/** Searches by asking which boot an instant belongs to, so it holds for boots of any cause. */
export function outagesOf(hosts: HostsInput): NextOutage {
  const bootOf = bootsOf(hosts);
  return (agent, fromMs, untilMs) => {
    const present = bootOf(agent, fromMs);
    if (fromMs < present.downMs) {
      const isOver = (unixMs: number): boolean => {
        const boot = bootOf(agent, unixMs);
        return boot.agentStartMs !== present.agentStartMs || boot.downMs <= unixMs;
      };
      if (!isOver(untilMs)) return undefined;
      const endMs = firstInstant(isOver, fromMs, untilMs);
      return { downMs: endMs, agentStartMs: nextStart(endMs) };
    }
    return { downMs: present.downMs, agentStartMs: nextStart(fromMs) };

    function nextStart(downMs: number): number {
      for (let unixMs = downMs; unixMs < untilMs + STEP_MS; unixMs += STEP_MS) {
        const boot = bootOf(agent, unixMs);
        if (unixMs < boot.downMs) return boot.agentStartMs;
      }
      return Number.POSITIVE_INFINITY;
    }
  };
}

/** The first whole millisecond after `lowMs`, up to `highMs`, at which something holds that holds from then on. */
function firstInstant(holds: (unixMs: number) => boolean, lowMs: number, highMs: number): number {
  let low = Math.floor(lowMs);
  let high = Math.ceil(highMs);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return high;
}
