import { HOUR_MS } from '../../base/kernel/units.ts';
import {
  type Cell,
  type CellValues,
  type Node,
  type Row,
  SHARES,
  shareIndex,
  slot,
  valueAt,
  WINDOW_TICKS,
} from '../document/nodes.ts';
import type { HostState } from '../host/host-state.ts';
import { inRange, keyOf, streamLabel, unit, type ValueRange } from '../host/noise.ts';
import type { PartOf } from '../host/part.ts';

/* Shares and ranges without a source are chosen. */

const MODES = ['User', 'Nice', 'System', 'Idle', 'Iowait'] as const;
const POSIX_FIGURES = ['percent', ...MODES] as const;

type PosixCpuRow = Row<(typeof POSIX_FIGURES)[number]>;

const CPU = streamLabel('cpu');
const NICE = streamLabel('cpu.nice');
/** Share of hosts with work that runs only when cores are idle: backups, indexing, builds; and how often and how long it runs there. */
const NICE_HOSTS = 0.22;
const NICE_LIKELY = 0.4;
const NICE_MS = 3 * HOUR_MS;
const NICE_SHARE: ValueRange = [0.02, 0.7];
/** How much more or less than its host a core works. */
const MAX_SPREAD = 0.65;
/** The luckiest cores run something more, which takes up to this share of their time. */
const BURST_LUCK = 0.97;
const MAX_BURST = 0.2;
/** System time as a share of busy time. */
const POSIX_SYSTEM: ValueRange = [0.12, 0.2];
const WINDOWS_SYSTEM: ValueRange = [0.2, 0.3];
/** Ticks of a measured second in which a core can be busy: one is always idle. */
const MAX_BUSY_TICKS = 99;

function niceShareOf({ hostKey, checkMs }: HostState): number {
  const key = keyOf(hostKey, NICE);
  if (unit(key, -1) >= NICE_HOSTS) return 0;
  const spell = Math.floor(checkMs / NICE_MS);
  return unit(key, spell) < NICE_LIKELY ? inRange(NICE_SHARE, unit(key, ~spell) ** 2) : 0;
}

type PosixCpuInput = {
  readonly cores: number;
  /** Only Linux reports the time that cores wait for disks: with the load of the busiest disk in percent, if it is known. */
  readonly iowait: boolean | Cell;
  /** Recorded hosts reach any level. The cores of others are too uneven to be all busy. */
  readonly recorded?: boolean;
};

/** The check `cpu` of a POSIX host: shares of a one-second window, counted in hundredths of a second. */
export const posixCpuCheck: PartOf<PosixCpuInput> = ({ cores, iowait: waits, recorded = false }, cells) => {
  const total = cells.row(...POSIX_FIGURES);
  const rows = Array.from({ length: cores }, () => cells.row(...POSIX_FIGURES));
  const means = POSIX_FIGURES.map((figure) => ({ mean: total[figure], of: rows.map((row) => row[figure]) }));
  const waitingTicks = (frame: CellValues, key: number, { diskRate }: HostState): number => {
    if (waits === false) return 0;
    return waits === true ? ticksAtDiskRate(key, diskRate) : ticksAtDiskLoad(key, valueAt(frame, waits), cores);
  };
  return {
    node: {
      cpu_total_percentage: slot.float(total.percent),
      cpu_percentage: rows.map(({ percent }) => slot.tickShare(percent)),
      cpu_total_percentage_detailed: posixDetail(total, slot.float),
      cpu_percentage_detailed: rows.map((row) => posixDetail(row, slot.tickShare)),
    },
    fill(frame, host) {
      const key = keyOf(host.hostKey, CPU);
      const second = Math.floor(host.checkMs / 1000) | 0;
      // No core can work more than all the time.
      const spread = recorded ? Math.min(MAX_SPREAD, (1 - host.busy) / host.busy) : MAX_SPREAD;
      const waiting = waitingTicks(frame, key, host);
      const niceShare = niceShareOf(host);
      for (let core = 0; core < rows.length; core++) {
        const luck = unit(key + core, second);
        const burst = luck > BURST_LUCK ? MAX_BURST * luck : 0;
        const busy = Math.min(MAX_BUSY_TICKS, Math.round(100 * busyShare(host, spread, luck, burst)));
        const system = Math.floor(busy * inRange(POSIX_SYSTEM, unit(key + core, ~second)));
        const nice = Math.round((busy - system) * niceShare);
        const iowait = Math.min(MAX_BUSY_TICKS - busy, Math.round(waiting * luck));
        fillTicks(frame, rows[core] as PosixCpuRow, { busy, system, nice, iowait });
      }
      fillMeans(frame, means);
    },
  };
};

function posixDetail(row: PosixCpuRow, slot: (cell: Cell) => Node): Node {
  return Object.fromEntries(MODES.map((mode) => [mode, slot(row[mode])]));
}

/** Ticks that a core waits while a disk is busy: one or more programs wait, each for a core of its own. */
function ticksAtDiskLoad(key: number, loadPercent: number, cores: number): number {
  const programs = 1 + 4 * unit(key, -3);
  return loadPercent * Math.min(0.9, programs / cores);
}

/** Ticks that cores wait for disks. One disk in ten is slow; there, waits show while jobs run. */
function ticksAtDiskRate(key: number, diskRate: number): number {
  const slowness = unit(key, -3);
  return (slowness > 0.9 ? 14 * slowness : 0.6) * diskRate;
}

/** Busy share of one core. Cores share the host's load unevenly, and something that saturates them takes the rest. */
function busyShare({ busy, saturation }: HostState, spread: number, luck: number, burst = 0): number {
  const share = busy * (1 - spread + 2 * spread * luck) + burst;
  return share + Math.max(0, 1 - share) * saturation.second;
}

type Ticks = Readonly<Record<'busy' | 'system' | 'nice' | 'iowait', number>>;

/** Ticks of a core as shares. The length of the window and the start of the counters vary, which shows in the last digits. */
function fillTicks(frame: CellValues, row: PosixCpuRow, { busy, system, nice, iowait }: Ticks): void {
  const window = busy === 0 ? 1 : (busy + system + iowait) % WINDOW_TICKS.length;
  const start = iowait & 3;
  frame[row.percent] = shareIndex(window, start, busy);
  frame[row.User] = shareIndex(window, start, busy - system - nice);
  frame[row.Nice] = shareIndex(window, start, nice);
  frame[row.System] = shareIndex(window, start, system);
  frame[row.Idle] = shareIndex(window, start, (WINDOW_TICKS[window] as number) - busy - iowait);
  frame[row.Iowait] = shareIndex(window, start, iowait);
}

function fillMeans(frame: CellValues, means: readonly { readonly mean: Cell; readonly of: readonly Cell[] }[]): void {
  for (const { mean, of } of means) {
    let sum = 0;
    for (const cell of of) sum += SHARES[valueAt(frame, cell)] as number;
    frame[mean] = sum / of.length;
  }
}

const WINDOWS_FIGURES = ['busy', 'user', 'system', 'idle'] as const;

type WindowsCpuRow = Row<(typeof WINDOWS_FIGURES)[number]>;

/** The check `cpu` of a Windows host: whole percentages, as its performance counters report them. */
export const windowsCpuCheck: PartOf<{ readonly cores: number }> = ({ cores }, cells) => {
  const total = cells.row(...WINDOWS_FIGURES);
  const rows = Array.from({ length: cores }, () => cells.row(...WINDOWS_FIGURES));
  return {
    node: {
      cpu_total_percentage: slot.integer(total.busy),
      cpu_percentage: rows.map(({ busy }) => slot.integer(busy)),
      cpu_total_percentage_detailed: windowsDetail(total),
      cpu_percentage_detailed: rows.map(windowsDetail),
    },
    fill(frame, host) {
      const key = keyOf(host.hostKey, CPU);
      const second = Math.floor(host.checkMs / 1000) | 0;
      let busySum = 0;
      let systemSum = 0;
      for (const [core, row] of rows.entries()) {
        const busy = Math.min(100, Math.round(100 * busyShare(host, MAX_SPREAD, unit(key + core, second))));
        const system = Math.floor(busy * inRange(WINDOWS_SYSTEM, unit(key + core, ~second)));
        fillPercentages(frame, row, busy, system);
        busySum += busy;
        systemSum += system;
      }
      fillPercentages(frame, total, Math.round(busySum / cores), Math.floor(systemSum / cores));
    },
  };
};

function fillPercentages(frame: CellValues, row: WindowsCpuRow, busy: number, system: number): void {
  frame[row.busy] = busy;
  frame[row.user] = busy - system;
  frame[row.system] = system;
  frame[row.idle] = 100 - busy;
}

function windowsDetail({ user, system, idle }: WindowsCpuRow): Node {
  return { User: slot.integer(user), Nice: 0, System: slot.integer(system), Idle: slot.integer(idle), Iowait: 0 };
}

type LoadInput = {
  readonly cores: number;
  /** The kernel's averages are multiples of 1/`grain`. */
  readonly grain: number;
  /** Tasks that run or wait per busy core. Tasks wait for disks, too. */
  readonly tasksPerCore?: number;
};

const USUAL_TASKS = 1.15;

/** Tasks that run or wait per core while something saturates the cores. */
const QUEUED = 1.3;

/** The check `system_load`: the mean number of runnable tasks over 1, 5 and 15 minutes, rounded as the kernel does. */
export const systemLoadCheck: PartOf<LoadInput> = ({ cores, grain, tasksPerCore = USUAL_TASKS }, cells) => {
  const row = cells.row('one', 'five', 'fifteen');
  const perLoad = cores * tasksPerCore;
  const perSaturation = cores * QUEUED;
  const tasks = (load: number, saturation: number) =>
    Math.round((perLoad * load + perSaturation * saturation) * grain) / grain;
  return {
    node: { '0': slot.float(row.one), '1': slot.float(row.five), '2': slot.float(row.fifteen) },
    fill(frame, { load1, load5, load15, saturation }) {
      frame[row.one] = tasks(load1, saturation.minute);
      frame[row.five] = tasks(load5, saturation.fiveMinutes);
      frame[row.fifteen] = tasks(load15, saturation.quarter);
    },
  };
};
