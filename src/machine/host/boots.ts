import { DAY_MS, HOUR_MS } from '../../kernel/units.ts';
import { type Incident, incidentsBy } from './incident.ts';
import { type Care, careOf, restartMs, servicedBefore, servicedMonth } from './maintenance.ts';
import { hostKeys, unit } from './noise.ts';

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
export function bootBefore(care: Care, instantMs: number): Boot {
  const { key } = care;
  const planned = plannedBoot(care, instantMs);
  let boot = planned;
  const phase = unit(key + UNPLANNED, -1);
  for (let spell = Math.floor(instantMs / SPELL_MS + phase); (spell - phase + 1) * SPELL_MS > planned.bootMs; spell--) {
    if (unit(key + UNPLANNED, spell) >= UNPLANNED_LIKELY) continue;
    const bootMs = Math.round((spell - phase + 0.01 + 0.98 * unit(key + UNPLANNED + 1, spell)) * SPELL_MS);
    if (bootMs < planned.bootMs + APART_MS || isNearPlanned(care, bootMs)) continue;
    const other = bootAt(key, UNPLANNED_NUMBERS + spell, bootMs);
    if (other.agentStartMs > instantMs) boot = { ...boot, downMs: Math.min(boot.downMs, bootMs - downFor(key, spell)) };
    else return { ...other, downMs: boot.downMs };
  }
  return boot;
}

function plannedBoot(care: Care, instantMs: number): Boot {
  const { key } = care;
  const number = servicedMonth(care, instantMs);
  const boot = bootAt(key, number, restartMs(care, number));
  if (boot.agentStartMs <= instantMs) return boot;
  const before = servicedBefore(care, number);
  return { ...bootAt(key, before, restartMs(care, before)), downMs: boot.bootMs - downFor(key, number) };
}

function downFor(key: number, number: number): number {
  return Math.round(SHORTEST_DOWN_MS + MORE_DOWN_MS * unit(key + 1, number));
}

/** A crash, or somebody who pulled a plug: in some spells once, at any hour, and whatever was installed before. */
const SPELL_MS = 60 * DAY_MS;
const UNPLANNED_LIKELY = 0.35;
const UNPLANNED = 11;
/** Beyond the months of all boots that were planned. */
const UNPLANNED_NUMBERS = 1_000_000;
/** Nothing crashes while a host restarts anyway. */
const APART_MS = HOUR_MS;

function isNearPlanned(care: Care, bootMs: number): boolean {
  // What is planned next has been serviced by then, unless that is to come within the hour.
  const serviced = servicedMonth(care, bootMs + APART_MS);
  return Math.abs(restartMs(care, serviced) - bootMs) < APART_MS;
}

/** The same for a host with incidents that have begun: they bring boots of their own, and it is down until then. */
export function bootWith(incidents: readonly Incident[], care: Care, instantMs: number): Boot {
  const { key } = care;
  let boot = bootBefore(care, instantMs);
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
  const before = bootWith(begun, care, downMs - 1);
  return { ...before, downMs: Math.min(downMs, before.downMs) };
}

function bootAt(key: number, number: number, bootMs: number): Boot {
  const agentStartMs = bootMs + 8000 + Math.round(4000 * unit(key, -number));
  return { number, bootMs, agentStartMs, downMs: Number.POSITIVE_INFINITY };
}

type HostsInput = {
  readonly seed: number;
  /** Of an agent's profile, see `calendar.ts`. */
  readonly publishesLaterMs: (agent: number) => number;
  readonly incidents?: readonly Incident[] | undefined;
};

/** The boot of a host that an instant belongs to, or, while it is down, the boot before. */
export function bootsOf(hosts: HostsInput): (agent: number, unixMs: number) => Boot {
  const hostKeyOf = hostKeys(hosts.seed);
  const incidentsOf = incidentsBy(hosts.incidents ?? []);
  return (agent, unixMs) => {
    const care = careOf(hostKeyOf(agent), hosts.publishesLaterMs(agent));
    return bootWith(incidentsOf(agent, unixMs), care, unixMs);
  };
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
