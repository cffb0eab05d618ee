import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../base/kernel/units.ts';
import { AGENT_VERSION } from '../../base/protocol/push.ts';
import { type Cell, type Either, slot, type Text } from '../document/nodes.ts';
import { civilDate, EPOCH_SECONDS } from '../host/calendar.ts';
import { keyOf, scramble, streamLabel } from '../host/noise.ts';
import type { PartOf } from '../host/part.ts';
import { clockTextAt, offsetAt, type Sites } from '../host/site.ts';

type AgentInput = {
  readonly about: AboutHost;
  /** Resolution of the system's clock in nanoseconds. */
  readonly clockStepNs: 1 | 100 | 1000;
  /** Where its hosts may be; in UTC if absent. */
  readonly sites?: Sites;
};

export type AboutHost = {
  readonly system: string;
  readonly kernel_version: string | Text | Either;
  /** The platform's version on every POSIX system, despite its name. */
  readonly mac_version: string | Text | Either;
  readonly windows_release_id: string;
  readonly windows_current_build: string;
  readonly family: string;
  readonly goos: 'linux' | 'windows' | 'darwin';
  readonly goarch: 'amd64' | 'arm64';
  readonly goversion: string;
};

export const NOT_WINDOWS = { windows_release_id: '', windows_current_build: '' };

const NANOSECONDS = streamLabel('agent.nanoseconds');
const START_NANOSECONDS = streamLabel('agent.start-nanoseconds');
const NS_PER_MS = 1_000_000;
/** Numbers below this are small integers of the JavaScript engine. */
const SMALL_INTEGERS = 0x4000_0000;
const CLOCK = ['year', 'month', 'day', 'hour', 'minute', 'second', 'nanosecond', 'zone'] as const;
const COUNTED = ['unix', 'uptime', 'sinceStart', 'sinceStartNanoseconds', 'interval'] as const;

/** The check `agent`. Its time has the format of Go's `Time.String`, with the monotonic clock reading at the end. */
export const agentCheck: PartOf<AgentInput> = ({ about, clockStepNs, sites = [] }, cells) => {
  const { year, month, day, hour, minute, second, nanosecond, zone } = cells.row(...CLOCK);
  const zones = sites.length === 0 ? ['+0000 UTC'] : sites.flatMap(({ site }) => site.texts);
  const firstZones = new Map(sites.map(({ site }, index) => [site, 2 * index]));
  const { unix, uptime, sinceStart, sinceStartNanoseconds, interval } = cells.row(...COUNTED);
  const two = (cell: Cell) => slot.padded(cell, 2);
  const date = [slot.integer(year), '-', two(month), '-', two(day)] as const;
  const time = [two(hour), ':', two(minute), ':', two(second), slot.fraction(nanosecond)] as const;
  const monotonic = [slot.integer(sinceStart), '.', slot.padded(sinceStartNanoseconds, 9)] as const;
  return {
    node: {
      last_updated: slot.text(...date, ' ', ...time, ' ', slot.word(zone, zones), ' m=+', ...monotonic),
      last_updated_timestamp: slot.integer(unix),
      system: about.system,
      system_uptime: slot.integer(uptime),
      kernel_version: about.kernel_version,
      mac_version: about.mac_version,
      windows_release_id: about.windows_release_id,
      windows_current_build: about.windows_current_build,
      family: about.family,
      agent_version: AGENT_VERSION,
      temperature_unit: 'C',
      goos: about.goos,
      goarch: about.goarch,
      goversion: about.goversion,
      check_interval: slot.integer(interval),
    },
    fill(frame, { checkMs, clockMs, agentStartMs, uptimeSeconds, hostKey, site, checkIntervalSeconds }) {
      const key = keyOf(hostKey, NANOSECONDS);
      const chance = scramble(key, checkMs % SMALL_INTEGERS);
      const sinceRunMs = Math.floor(checkMs) - Math.floor(agentStartMs);
      const earlyMs = Math.min(earlyBy(key, chance), Math.floor(clockMs % 1000), sinceRunMs);
      const seconds = clockMs / 1000 - EPOCH_SECONDS;
      const localMs = clockMs + 1000 * offsetAt(site, seconds);
      const days = Math.floor(localMs / DAY_MS);
      const ofDay = localMs - days * DAY_MS - earlyMs;
      const date = civilDate(days);
      // The clock is finer than a millisecond. These digits carry no information, but zeros would look wrong.
      const belowMs = (digits: number) => (digits % NS_PER_MS) - ((digits % NS_PER_MS) % clockStepNs);
      const finer = belowMs(chance);
      // Processes do not start at a whole millisecond either, so the monotonic clock has digits of its own.
      const startNs = belowMs(scramble(keyOf(hostKey, START_NANOSECONDS), agentStartMs % SMALL_INTEGERS));
      const sinceStartMs = sinceRunMs - earlyMs;
      const belowSecondNs = (sinceStartMs % 1000) * NS_PER_MS + finer + startNs;
      frame[year] = date.year;
      frame[month] = date.month;
      frame[day] = date.day;
      frame[hour] = Math.floor(ofDay / HOUR_MS);
      frame[minute] = Math.floor(ofDay / MINUTE_MS) % 60;
      frame[second] = Math.floor(ofDay / 1000) % 60;
      frame[nanosecond] = Math.floor(ofDay % 1000) * NS_PER_MS + finer;
      frame[zone] = sites.length === 0 ? 0 : (firstZones.get(site) as number) + clockTextAt(site, seconds);
      frame[unix] = Math.floor(clockMs / 1000);
      frame[uptime] = uptimeSeconds;
      frame[interval] = checkIntervalSeconds;
      frame[sinceStart] = Math.floor(sinceStartMs / 1000) + Math.floor(belowSecondNs / 1e9);
      frame[sinceStartNanoseconds] = belowSecondNs % 1e9;
    },
  };
};

/** Milliseconds by which a run takes longer than necessary: 3 to 18 on a host, up to twice that in a run, rarely six times more. Chosen. */
function earlyBy(hostKey: number, chance: number): number {
  const usual = 3 + (hostKey & 15);
  const more = (chance >>> 22) / 1024;
  return Math.floor(usual * (1 + more + 6 * more ** 12));
}
