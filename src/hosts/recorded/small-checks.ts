import { HOUR_SECONDS } from '../../ground/kernel/units.ts';
import { fillStatus, statusNode } from '../checks/docker.ts';
import { type Cells, float, integer, keyed, type Node, text, valueAt } from '../document/nodes.ts';
import { SOONEST_AGENT_MS } from '../host/boots.ts';
import { keyOf, smoothNoise, streamLabel, unit } from '../host/noise.ts';
import { type Fill, fixedPart, inTurn, type Part } from '../host/part.ts';
import { fitted } from './fitting.ts';
import type { OwnIdentities } from './identities.ts';
import type { RecordedValue } from './shapes.ts';

/* Checks in which little more than times changes. Each function takes the recorded check, which has not failed. */

type Entries = readonly { readonly [key: string]: RecordedValue }[];
type Entry = { readonly [key: string]: RecordedValue };

const CUSTOM = streamLabel('recorded.customchecks');
/** Interval between runs of a plugin. Documents do not contain it; this is the agent's default. */
const PLUGIN_SECONDS = 60;

/** The check `customchecks`: plugins repeat their recorded results, at times that differ between hosts. */
export function recordedCustomChecks(checks: Entry, cells: Cells): Part {
  const parts = Object.entries(checks).map(([name, check], place) => {
    const executed = cells.one();
    const fill: Fill = (frame, { hostKey, clockMs, runnerStartMs }) => {
      const phase = Math.floor(PLUGIN_SECONDS * unit(keyOf(hostKey, CUSTOM), place));
      const now = Math.floor(clockMs / 1000);
      const last = Math.floor((now - phase) / PLUGIN_SECONDS) * PLUGIN_SECONDS + phase;
      frame[executed] = Math.max(last, Math.min(now, Math.floor(runnerStartMs / 1000)));
    };
    const node = fitted(check, { execution_unix_timestamp_sec: integer(executed) }) as Node;
    return { key: text(name), value: node, fill };
  });
  // Not an object: that would put numeric names before all others.
  return { node: keyed(parts.map(({ key, value }) => ({ key, value }))), fill: inTurn(parts.map(({ fill }) => fill)) };
}

const SENSORS = streamLabel('recorded.sensors');
/** Degrees between idle and busy. */
const HEAT = 22;

/** The check `sensors`: temperatures near the recorded ones, higher while the host is busy. */
export function recordedSensors(sensors: Entry, usuallyBusy: number, cells: Cells): Part {
  const { Temperatures = [], Batteries = [] } = sensors as Readonly<Record<string, Entries>>;
  const readings = Temperatures.map((sensor, place) => {
    const usual = Number(sensor.current);
    const degrees = cells.one();
    const isWhole = Number.isInteger(usual);
    const fill: Fill = (frame, host) => {
      const key = keyOf(host.hostKey, SENSORS) + place;
      const busy = host.busyMinute + (1 - host.busyMinute) * host.saturation.minute - usuallyBusy;
      const own = 2 * (unit(key, -1) - 0.5) + 1.5 * smoothNoise(key, host.checkMs / 40_000);
      const now = usual + HEAT * busy + own;
      frame[degrees] = isWhole ? Math.round(now) : Math.round(now * 64) / 64;
    };
    return usual === 0
      ? fixedPart(sensor as Node)
      : { node: fitted(sensor, { current: float(degrees) }) as Node, fill };
  });
  return {
    node: { Temperatures: readings.map(({ node }) => node), Batteries: Batteries as Node },
    fill: inTurn(readings.map(({ fill }) => fill)),
  };
}

const USERS = streamLabel('recorded.users');
/** Approximate time between sign-ins of a user, who stays signed in. */
const SESSION_SECONDS = 6 * HOUR_SECONDS;

/** The check `users`: the recorded users are signed in, since a different time on each host. */
export function recordedUsers(users: Entries, isWindows: boolean, cells: Cells): Part {
  const parts = users.map((user, place) => {
    if (user.started === 0) return fixedPart(user as Node);
    const started = cells.one();
    const fill: Fill = (frame, { hostKey, bootMs, checkMs }) => {
      const key = keyOf(hostKey, USERS) + place;
      const now = checkMs / 1000;
      const turn = Math.floor(now / SESSION_SECONDS + unit(key, -1)) - 1;
      const since = Math.floor((turn - unit(key, -1) + 0.9 * unit(key, turn)) * SESSION_SECONDS);
      const seconds = Math.min(Math.floor(now), Math.max(since, Math.ceil((bootMs + SOONEST_AGENT_MS) / 1000)));
      frame[started] = isWindows ? 1000 * seconds : seconds;
    };
    return { node: fitted(user, { started: integer(started) }) as Node, fill };
  });
  return { node: parts.map(({ node }) => node), fill: inTurn(parts.map(({ fill }) => fill)) };
}

const DOCKER = streamLabel('recorded.docker');

/** The check `docker`: the recorded containers, which have been up since soon after boot. */
export function recordedDocker(containers: Entries, identities: OwnIdentities, cells: Cells): Part {
  const parts = containers.map((container, place) => {
    const row = cells.row('form', 'count', 'received', 'sent', 'cpu', 'share', 'read', 'written', 'memory');
    const number = (member: string) => Number(container[member] ?? 0);
    const fill: Fill = (frame, host) => {
      const key = keyOf(host.hostKey, DOCKER) + place;
      const level = 0.8 + 0.4 * unit(key, 0);
      const up = Math.max(1, host.uptimeSeconds - 5 - Math.floor(20 * unit(key, 1)));
      const work = level * Math.max(0, host.work);
      fillStatus(frame, row, up);
      frame[row.received] = Math.floor(number('network_rx') * level + 900 * work);
      frame[row.sent] = Math.floor(number('network_tx') * level + (number('network_tx') > 0 ? 700 * work : 0));
      frame[row.read] = 4096 * Math.floor((number('disk_read') * level) / 4096 + 0.01 * work);
      frame[row.written] = 4096 * Math.floor((number('disk_write') * level) / 4096);
      frame[row.cpu] = number('cpu_percentage') * level * (0.6 + 0.4 * smoothNoise(key, host.checkMs / 60_000));
      const grown = level * (1 + 0.05 * smoothNoise(key + 1, host.checkMs / 900_000));
      frame[row.memory] = 4096 * Math.floor((number('memory_used') * grown) / 4096);
      frame[row.share] = number('memory_percentage') * grown;
    };
    const model = {
      id: identities.told(String(container.id ?? '')),
      name: identities.told(String(container.name ?? '')),
      status: statusNode(row),
      network_rx: integer(row.received),
      network_tx: integer(row.sent),
      cpu_percentage: float(row.cpu),
      memory_percentage: float(row.share),
      disk_read: integer(row.read),
      disk_write: integer(row.written),
      memory_used: integer(row.memory),
    };
    return { node: fitted(container, model) as Node, fill };
  });
  return { node: parts.map(({ node }) => node), fill: inTurn(parts.map(({ fill }) => fill)) };
}

/** The check `windows_eventlog`: entries have their recorded ages, from whole hours of the host's clock. */
export function recordedEventLog(logs: Entry, recordedSeconds: number, cells: Cells): Part {
  const hour = cells.one();
  const fills: Fill[] = [
    (frame, { clockMs }) => {
      frame[hour] = Math.floor(clockMs / 1000 / HOUR_SECONDS) * HOUR_SECONDS;
    },
  ];
  const lists = Object.entries(logs as Readonly<Record<string, Entries>>).map(([name, entries]) => {
    const nodes = entries.map((entry) => {
      const time = cells.one();
      const age = Math.max(0, recordedSeconds - Number(entry.TimeGenerated ?? 0));
      fills.push((frame) => {
        frame[time] = valueAt(frame, hour) - age;
      });
      return fitted(entry, { TimeGenerated: integer(time), TimeWritten: integer(time) }) as Node;
    });
    return [name, nodes] as const;
  });
  return { node: Object.fromEntries(lists), fill: inTurn(fills) };
}
