import { HOUR_SECONDS } from '../../ground/kernel/units.ts';
import { mean } from '../checks/disk-io.ts';
import { fillStatus, statusNode } from '../checks/docker.ts';
import { netIoCheck } from '../checks/network.ts';
import { slot } from '../document/nodes.ts';
import { SOONEST_AGENT_MS } from '../host/boots.ts';
import type { HostCard } from '../host/linux/guest-cards.ts';
import { keyOf, smoothNoise, streamLabel, unit } from '../host/noise.ts';
import type { Part } from '../host/part.ts';
import type { WithIdentities } from './identities.ts';
import { type Live, type LiveCells, type RecordedChecks, type RecordedValue, secondsCounted } from './template.ts';

/* Checks in which little more than times changes. */

const CUSTOM = streamLabel('recorded.customchecks');
/** Interval between runs of a plugin. Documents do not contain it; this is the agent's default. */
const PLUGIN_SECONDS = 60;

/** The check `customchecks`: plugins repeat their recorded results, at times that differ between hosts. */
export function liveCustomChecks({ filled }: LiveCells): Live {
  const executed = (place: number) =>
    filled(({ hostKey, clockMs, runnerStartMs }) => {
      const phase = Math.floor(PLUGIN_SECONDS * unit(keyOf(hostKey, CUSTOM), place));
      const now = Math.floor(clockMs / 1000);
      const last = Math.floor((now - phase) / PLUGIN_SECONDS) * PLUGIN_SECONDS + phase;
      return Math.max(last, Math.min(now, Math.floor(runnerStartMs / 1000)));
    });
  return { '*': (_: unknown, place) => ({ execution_unix_timestamp_sec: slot.integer(executed(place)) }) };
}

const SENSORS = streamLabel('recorded.sensors');
/** Degrees between idle and busy. */
const HEAT = 22;

/** The check `sensors`: temperatures near the recorded ones, higher while the host is busy. */
export function liveSensors(usuallyBusy: number, { filled }: LiveCells): Live {
  const degrees = (usual: number, place: number) => {
    const perDegree = Number.isInteger(usual) ? 1 : 64;
    return filled(({ hostKey, busyMinute, saturation, checkMs }) => {
      const key = keyOf(hostKey, SENSORS) + place;
      const busy = busyMinute + (1 - busyMinute) * saturation.minute - usuallyBusy;
      const own = 2 * (unit(key, -1) - 0.5) + 1.5 * smoothNoise(key, checkMs / 40_000);
      return Math.round((usual + HEAT * busy + own) * perDegree) / perDegree;
    });
  };
  const sensor = ({ current }: { readonly current: number }, place: number): Live => {
    return current === 0 ? undefined : { current: slot.float(degrees(current, place)) };
  };
  return { Temperatures: { '*': sensor } };
}

const USERS = streamLabel('recorded.users');
/** Approximate time between sign-ins of a user, who stays signed in. */
const SESSION_SECONDS = 6 * HOUR_SECONDS;

/** The check `users`: the recorded users are signed in, since a different time on each host. */
export function liveUsers(isWindows: boolean, { filled }: LiveCells): Live {
  const started = (place: number) =>
    filled(({ hostKey, bootMs, checkMs }) => {
      const key = keyOf(hostKey, USERS) + place;
      const now = checkMs / 1000;
      const turn = Math.floor(now / SESSION_SECONDS + unit(key, -1)) - 1;
      const since = Math.floor((turn - unit(key, -1) + 0.9 * unit(key, turn)) * SESSION_SECONDS);
      const seconds = Math.min(Math.floor(now), Math.max(since, Math.ceil((bootMs + SOONEST_AGENT_MS) / 1000)));
      return isWindows ? 1000 * seconds : seconds;
    });
  const user = (recorded: { readonly started: number }, place: number): Live => {
    return recorded.started === 0 ? undefined : { started: slot.integer(started(place)) };
  };
  return { '*': user };
}

const DOCKER = streamLabel('recorded.docker');

/** The check `docker`: the recorded containers, which have been up since soon after boot. */
export function liveContainers(own: WithIdentities, { cells, part }: LiveCells): Live {
  const container = (recorded: { readonly [member: string]: RecordedValue }, place: number): Live => {
    const row = cells.row('form', 'count', 'received', 'sent', 'cpu', 'share', 'read', 'written', 'memory');
    const number = (member: string) => Number(recorded[member] ?? 0);
    return part({
      node: {
        id: own(String(recorded.id ?? '')),
        name: own(String(recorded.name ?? '')),
        status: statusNode(row),
        network_rx: slot.integer(row.received),
        network_tx: slot.integer(row.sent),
        cpu_percentage: slot.float(row.cpu),
        memory_percentage: slot.float(row.share),
        disk_read: slot.integer(row.read),
        disk_write: slot.integer(row.written),
        memory_used: slot.integer(row.memory),
      },
      fill(frame, host) {
        const key = keyOf(host.hostKey, DOCKER) + place;
        const level = 0.8 + 0.4 * unit(key, 0);
        const work = level * Math.max(0, host.work);
        fillStatus(frame, row, Math.max(1, host.uptimeSeconds - 5 - Math.floor(20 * unit(key, 1))));
        frame[row.received] = Math.floor(number('network_rx') * level + 900 * work);
        frame[row.sent] = Math.floor(number('network_tx') * level + (number('network_tx') > 0 ? 700 * work : 0));
        frame[row.read] = 4096 * Math.floor((number('disk_read') * level) / 4096 + 0.01 * work);
        frame[row.written] = 4096 * Math.floor((number('disk_write') * level) / 4096);
        frame[row.cpu] = number('cpu_percentage') * level * (0.6 + 0.4 * smoothNoise(key, host.checkMs / 60_000));
        const grown = level * (1 + 0.05 * smoothNoise(key + 1, host.checkMs / 900_000));
        frame[row.memory] = 4096 * Math.floor((number('memory_used') * grown) / 4096);
        frame[row.share] = number('memory_percentage') * grown;
      },
    });
  };
  return { '*': container };
}

/** The check `windows_eventlog`: entries have their recorded ages, from whole hours of the host's clock. */
export function liveEventLog(recordedSeconds: number, { filled }: LiveCells): Live {
  const entry = ({ TimeGenerated = 0 }: { readonly TimeGenerated?: number }): Live => {
    const age = Math.max(0, recordedSeconds - TimeGenerated);
    const hourMs = 1000 * HOUR_SECONDS;
    const time = slot.integer(filled(({ clockMs }) => Math.floor(clockMs / hourMs) * HOUR_SECONDS - age));
    return { TimeGenerated: time, TimeWritten: time };
  };
  return { '*': { '*': entry } };
}

/** The check `net_io`: packet rates, sizes and losses match the recorded counters on average. */
export function recordedNetIo(recorded: RecordedChecks, { cells }: LiveCells): Part {
  const seconds = secondsCounted(recorded);
  const countsUnsent = recorded.agent.goos !== 'darwin';
  const cards = Object.entries(recorded.net_io ?? {}).map(([name, card]): HostCard => {
    const { packets_sent: sent, packets_recv: received } = card;
    return {
      ...{ name, up: true, duplex: 0, speed: 0, mtu: 0, countsUnsent },
      packetsPerSecond: { sent: sent / seconds, received: received / seconds },
      loops: sent > 0 && sent === received && card.bytes_sent === card.bytes_recv,
      measured: {
        sentBytes: mean(card.bytes_sent, sent),
        receivedBytes: mean(card.bytes_recv, received),
        errin: mean(card.errin, received),
        errout: mean(card.errout, sent),
        dropin: mean(card.dropin, received),
        dropout: mean(card.dropout, sent),
      },
    };
  });
  return netIoCheck(cards, cells);
}
