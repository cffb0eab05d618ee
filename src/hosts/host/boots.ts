import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../base/kernel/units.ts';
import { publicationMs, publishedMonth } from './calendar.ts';
import { type Incident, incidentsBy } from './incident.ts';
import { hostKeys, inRange, keyOf, streamLabel, unit, type ValueRange } from './noise.ts';

/* Each group of hosts has its maintenance some days after its vendor has published updates. Hours, days and shares are chosen. */

/** Hosts restart for updates, so boots and updates use the same stream. */
const MAINTENANCE = streamLabel('maintenance');

/** How updates are installed: by the host itself every night, or by people weekly or monthly in the group's window, or rarely. */
type UpdateHabit = 'daily' | 'weekly' | 'monthly' | 'neglected';

/** Hours from the publication to the maintenance window of each group. Most windows are at night, some in the evening or at noon. */
const GROUP_DELAY_HOURS: readonly number[] = [32, 27.5, 57, 44, 82, 76, 98, 133, 186, 203];
const WINDOW_HOURS = 3;
/** A host's mirror is at most this far behind its vendor. */
const MIRROR_MS = 20 * HOUR_MS;
/** Share of Windows hosts whose updates people approve, and the most hours from the approval to the host's window. */
const APPROVED = 0.7;
const MAX_LEAD_HOURS = 30;
/** The others ask Microsoft about once a day. */
const ASKS_HOURS = 22;
/** Cumulative shares of the hosts. */
const DAILY_SHARE = 0.67;
const WEEKLY_SHARE = DAILY_SHARE + 0.18;
const MONTHLY_SHARE = WEEKLY_SHARE + 0.11;
/** Share of the restarts that are late, and by how many days. */
const LATE_SHARE = 0.16;
const LATE_DAYS: ValueRange = [4, 20];
/** Minutes from the updates to a restart that is not late. */
const RESTART_MINUTES: ValueRange = [6, 34];
/** Months between the services of a neglected host. */
const MIN_NEGLECTED_MONTHS = 3;
const MORE_NEGLECTED_MONTHS = 9;

/** A host's maintenance: its random stream, and the delay of its vendor's publications relative to Microsoft's. */
export type Maintenance = { readonly key: number; readonly laterMs: number };

export function maintenanceOf(hostKey: number, publishesLaterMs: number): Maintenance {
  return { key: keyOf(hostKey, MAINTENANCE), laterMs: publishesLaterMs };
}

export function updateHabitOf(key: number): UpdateHabit {
  const chance = unit(key, -2);
  if (chance < DAILY_SHARE) return 'daily';
  if (chance < WEEKLY_SHARE) return 'weekly';
  return chance < MONTHLY_SHARE ? 'monthly' : 'neglected';
}

/** The host's group. All hosts of a group have the same night. */
export function groupOf(key: number): number {
  return Math.floor(unit(key, -3) * GROUP_DELAY_HOURS.length);
}

/** The month whose updates a host is offered at a time: those that its mirror has, or, from Microsoft, those that are approved. */
export function offeredMonth({ key, laterMs }: Maintenance, unixMs: number): number {
  const laterStillMs = laterMs === 0 ? approvedMs(key) : Math.floor(MIRROR_MS * unit(key, -9));
  return publishedMonth(unixMs - laterMs - laterStillMs);
}

/** Time from the publication to the offer on a Windows host: shortly before its window, or within a day without approval. */
function approvedMs(key: number): number {
  const lead = unit(key, -9);
  if (unit(key, -10) >= APPROVED) return Math.floor(ASKS_HOURS * HOUR_MS * lead);
  return Math.floor(HOUR_MS * Math.max(0, delayHoursOf(key) - MAX_LEAD_HOURS * lead));
}

function delayHoursOf(key: number): number {
  return (GROUP_DELAY_HOURS[groupOf(key)] as number) + WINDOW_HOURS * unit(key, -4);
}

/** The latest month whose updates the host has installed by a time (Unix ms). */
export function servicedMonth(maintenance: Maintenance, unixMs: number): number {
  const month = publishedMonth(unixMs - maintenance.laterMs);
  return regular(maintenance.key, unixMs < serviceMs(maintenance, month) ? month - 1 : month);
}

/** When the host installs the updates of a month (Unix ms). */
export function serviceMs({ key, laterMs }: Maintenance, month: number): number {
  return publicationMs(month) + laterMs + Math.floor(HOUR_MS * delayHoursOf(key));
}

/** When the host restarts after it: within the hour, or days later at any time, when people get around to it. */
function restartMs(maintenance: Maintenance, month: number): number {
  const { key } = maintenance;
  const minutes = inRange(RESTART_MINUTES, unit(key, month));
  const late = unit(key + 2, month) < LATE_SHARE;
  const days = inRange(LATE_DAYS, unit(key + 3, month));
  return Math.round(serviceMs(maintenance, month) + minutes * MINUTE_MS + (late ? days * DAY_MS : 0));
}

/** The last month up to this one in which the host is serviced. Neglected hosts are serviced every few months. */
function regular(key: number, month: number): number {
  if (updateHabitOf(key) !== 'neglected') return month;
  const every = MIN_NEGLECTED_MONTHS + Math.floor(MORE_NEGLECTED_MONTHS * unit(key, -5));
  const phase = Math.floor(every * unit(key, -6));
  return Math.floor((month - phase) / every) * every + phase;
}

export type Boot = {
  /** Number of the boot, unique for its host. */
  readonly number: number;
  readonly bootMs: number;
  /** When the agent's process started, some seconds after the boot. */
  readonly agentStartMs: number;
  /** When the host goes down for the next boot; infinite if that is weeks ahead. */
  readonly downMs: number;
};

/** From the end of the agent's process to the start of the next kernel. */
const MIN_DOWN_MS = 15_000;
const MORE_DOWN_MS = 90_000;

/** From the start of the kernel to that of the agent's process, at least. */
export const SOONEST_AGENT_MS = 8000;
const MORE_UNTIL_AGENT_MS = 4000;

/** The boot during which a check run takes place; while the host is down, the previous one. Hosts reboot for updates that require it. */
export function bootBefore(maintenance: Maintenance, instantMs: number): Boot {
  const { key } = maintenance;
  const planned = plannedBoot(maintenance, instantMs);
  let boot = planned;
  const phase = unit(key + UNPLANNED, -1);
  for (let spell = Math.floor(instantMs / SPELL_MS + phase); (spell - phase + 1) * SPELL_MS > planned.bootMs; spell--) {
    if (unit(key + UNPLANNED, spell) >= UNPLANNED_LIKELY) continue;
    const bootMs = Math.round((spell - phase + 0.01 + 0.98 * unit(key + UNPLANNED + 1, spell)) * SPELL_MS);
    if (bootMs < planned.bootMs + APART_MS || isNearPlanned(maintenance, bootMs)) continue;
    const other = bootAt(key, UNPLANNED_NUMBERS + spell, bootMs);
    if (other.agentStartMs > instantMs) boot = { ...boot, downMs: Math.min(boot.downMs, bootMs - downFor(key, spell)) };
    else return { ...other, downMs: boot.downMs };
  }
  return boot;
}

function plannedBoot(maintenance: Maintenance, instantMs: number): Boot {
  const { key } = maintenance;
  const number = servicedMonth(maintenance, instantMs);
  const boot = bootAt(key, number, restartMs(maintenance, number));
  if (boot.agentStartMs <= instantMs) return boot;
  const before = regular(key, number - 1);
  return { ...bootAt(key, before, restartMs(maintenance, before)), downMs: boot.bootMs - downFor(key, number) };
}

function downFor(key: number, number: number): number {
  return Math.round(MIN_DOWN_MS + MORE_DOWN_MS * unit(key + 1, number));
}

/** Crashes and power failures: at most one per spell, at any hour, independent of updates. */
const SPELL_MS = 60 * DAY_MS;
const UNPLANNED_LIKELY = 0.35;
const UNPLANNED = 11;
/** Above the numbers of planned boots, which are months. */
const UNPLANNED_NUMBERS = 1_000_000;
/** Crashes keep this distance from planned restarts. */
const APART_MS = HOUR_MS;

function isNearPlanned(maintenance: Maintenance, bootMs: number): boolean {
  // Only the restart for the updates that are installed by then can be this close.
  const serviced = servicedMonth(maintenance, bootMs + APART_MS);
  return Math.abs(restartMs(maintenance, serviced) - bootMs) < APART_MS;
}

/** The same for a host with incidents that have started. They add boots, and keep the host down until then. */
export function bootWith(incidents: readonly Incident[], maintenance: Maintenance, instantMs: number): Boot {
  const { key } = maintenance;
  let boot = bootBefore(maintenance, instantMs);
  for (const { kind, fromMs, toMs } of incidents) {
    if (kind !== 'reboot' || toMs <= boot.bootMs) continue;
    // The numbers of other boots are not negative.
    const next = bootAt(key, -1 - Math.floor(toMs / 1000), toMs);
    const { downMs } = boot;
    boot = next.agentStartMs <= instantMs ? { ...next, downMs } : { ...boot, downMs: Math.min(downMs, fromMs) };
  }
  const { downMs } = boot;
  if (boot.bootMs < downMs) return boot;
  // Another cause keeps the host down during this boot, so the boot before it counts.
  const earlier = incidents.filter(({ fromMs }) => fromMs < downMs);
  const before = bootWith(earlier, maintenance, downMs - 1);
  return { ...before, downMs: Math.min(downMs, before.downMs) };
}

function bootAt(key: number, number: number, bootMs: number): Boot {
  const agentStartMs = bootMs + SOONEST_AGENT_MS + Math.round(MORE_UNTIL_AGENT_MS * unit(key, -number));
  return { number, bootMs, agentStartMs, downMs: Number.POSITIVE_INFINITY };
}

type HostsInput = {
  readonly seed: number;
  /** Of the agent's profile; see `calendar.ts`. */
  readonly publishesLaterMs: (agent: number) => number;
  readonly incidents?: readonly Incident[] | undefined;
};

/** Returns the boot of a host at a time. While the host is down, this is the previous boot. */
export function bootsOf(hosts: HostsInput): (agent: number, unixMs: number) => Boot {
  const hostKeyOf = hostKeys(hosts.seed);
  const incidentsOf = incidentsBy(hosts.incidents ?? []);
  return (agent, unixMs) => {
    const maintenance = maintenanceOf(hostKeyOf(agent), hosts.publishesLaterMs(agent));
    return bootWith(incidentsOf(agent, unixMs), maintenance, unixMs);
  };
}

/** A period without a host's agent, in Unix ms, in which the host goes down and boots. */
export type Outage = {
  readonly downMs: number;
  /** When the agent starts again; infinite if that is after the searched period. */
  readonly agentStartMs: number;
};

/** Shorter than the uptime of any host. */
const STEP_MS = 10_000;

/** Returns the first outage of an agent's host that ends after `fromMs` and starts before `untilMs`, or `undefined`. */
export type NextOutage = (agent: number, fromMs: number, untilMs: number) => Outage | undefined;

/** Searches with `bootsOf`, so it covers boots of any cause. */
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

/** The first whole millisecond after `lowMs`, up to `highMs`, at which a condition holds. Once it holds, it must keep holding. */
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
