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
import { keyOf, streamLabel, unit } from '../host/noise.ts';
import type { PartOf } from '../host/part.ts';

const MODES = ['User', 'Nice', 'System', 'Idle', 'Iowait'] as const;
const POSIX_FIGURES = ['percent', ...MODES] as const;

type PosixCpuRow = Row<(typeof POSIX_FIGURES)[number]>;

const CPU = streamLabel('cpu');
const NICE = streamLabel('cpu.nice');
/** Share of hosts with work that runs only when cores are idle, for hours at a time: backups, indexing, builds. */
const NICE_HOSTS = 0.22;
const NICE_LIKELY = 0.4;

/** Share of a host's work that yields to other work. */
function niceShareOf({ hostKey, checkMs }: HostState): number {
  const key = keyOf(hostKey, NICE);
  if (unit(key, -1) >= NICE_HOSTS) return 0;
  const hour = Math.floor(checkMs / (3 * HOUR_MS));
  return unit(key, hour) < NICE_LIKELY ? 0.02 + 0.7 * unit(key, ~hour) ** 2 : 0;
}

type CpuInput = {
  readonly cores: number;
  /** Only Linux reports the time that cores wait for disks: with the load of the busiest disk in percent, if it is known. */
  readonly iowait: boolean | Cell;
  /** Recorded hosts reach any level. The cores of others are too uneven to be all busy. */
  readonly recorded?: boolean;
};

/** The check `cpu` of a POSIX host: shares of a one-second window, counted in hundredths of a second. */
export const posixCpuCheck: PartOf<CpuInput> = ({ cores, iowait, recorded = false }, cells) => {
  const total = cells.row(...POSIX_FIGURES);
  const rows = Array.from({ length: cores }, () => cells.row(...POSIX_FIGURES));
  const columns = POSIX_FIGURES.map((figure) => ({ mean: total[figure], of: rows.map((row) => row[figure]) }));
  return {
    node: {
      cpu_total_percentage: slot.float(total.percent),
      cpu_percentage: rows.map(({ percent }) => slot.tickShare(percent)),
      cpu_total_percentage_detailed: posixDetail(total, slot.float),
      cpu_percentage_detailed: rows.map((row) => posixDetail(row, slot.tickShare)),
    },
    fill(frame, host) {
      const key = keyOf(host.hostKey, CPU);
      const kept = iowait === false ? ~0xff : ~0;
      const second = Math.floor(host.checkMs / 1000) | 0;
      const waiting =
        typeof iowait === 'number' ? waitsOn(key, valueAt(frame, iowait), cores) : waitingTicks(key, host.diskRate);
      const own = { waiting, spread: recorded ? roomOf(host) : UNEVEN };
      const niceShare = niceShareOf(host);
      for (let core = 0; core < cores; core++) {
        fillCore(frame, rows[core] as PosixCpuRow, ticksOf(key + core, second, host, own) & kept, niceShare);
      }
      fillMeans(frame, columns);
    },
  };
};

function posixDetail(row: PosixCpuRow, slot: (cell: Cell) => Node): Node {
  return Object.fromEntries(MODES.map((mode) => [mode, slot(row[mode])]));
}

/** Ticks that a core waits while a disk is busy: one or more programs wait, each for a core of its own. */
function waitsOn(key: number, loadPercent: number, cores: number): number {
  const programs = 1 + 4 * unit(key, -3);
  return loadPercent * Math.min(0.9, programs / cores);
}

/** Ticks that cores wait for disks. Few hosts have slow disks; there, waits show while jobs run. */
function waitingTicks(key: number, diskRate: number): number {
  const slowness = unit(key, -3);
  return (slowness > 0.9 ? 14 * slowness : 0.6) * diskRate;
}

type OwnCores = { readonly waiting: number; readonly spread: number };
/** How much more or less than its host a core works. */
const UNEVEN = 0.65;

/** No core can work more than all the time. */
function roomOf({ busy }: HostState): number {
  return Math.min(UNEVEN, (1 - busy) / busy);
}

/** One core's busy, system and waiting ticks, one byte each. Cores share the host's load unevenly. */
function ticksOf(key: number, second: number, { busy: hostBusy, saturation }: HostState, own: OwnCores): number {
  const { waiting, spread } = own;
  const luck = unit(key, second);
  const uneven = hostBusy * (1 - spread + 2 * spread * luck) + (luck > 0.97 ? 0.2 * luck : 0);
  const taken = Math.max(0, 1 - uneven) * saturation.second;
  const busy = Math.min(99, Math.round((uneven + taken) * 100));
  const system = Math.floor(busy * (0.12 + 0.2 * unit(key, ~second)));
  const iowait = Math.min(99 - busy, Math.round(waiting * luck));
  return (busy << 16) | (system << 8) | iowait;
}

function fillCore(frame: CellValues, row: PosixCpuRow, packed: number, niceShare: number): void {
  const busy = packed >> 16;
  const system = (packed >> 8) & 0xff;
  const iowait = packed & 0xff;
  const window = busy === 0 ? 1 : packed % 3;
  const start = packed & 3;
  const idle = (WINDOW_TICKS[window] as number) - busy - iowait;
  frame[row.percent] = shareIndex(window, start, busy);
  const nice = Math.round((busy - system) * niceShare);
  frame[row.User] = shareIndex(window, start, busy - system - nice);
  frame[row.Nice] = shareIndex(window, start, nice);
  frame[row.System] = shareIndex(window, start, system);
  frame[row.Idle] = shareIndex(window, start, idle);
  frame[row.Iowait] = shareIndex(window, start, iowait);
}

type Mean = { readonly mean: Cell; readonly of: readonly Cell[] };

/** Sets the host's figures to the means of its cores. */
function fillMeans(frame: CellValues, columns: readonly Mean[]): void {
  for (let i = 0; i < columns.length; i++) {
    const { mean, of } = columns[i] as Mean;
    let sum = 0;
    for (let core = 0; core < of.length; core++) sum += SHARES[valueAt(frame, of[core] as Cell)] as number;
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
      for (let core = 0; core < cores; core++) {
        const uneven = host.busy * (0.35 + 1.3 * unit(key + core, second));
        const taken = Math.max(0, 1 - uneven) * host.saturation.second;
        const busy = Math.min(100, Math.round(100 * (uneven + taken)));
        const system = Math.floor(busy * (0.2 + 0.3 * unit(key + core, ~second)));
        put(frame, rows[core] as WindowsCpuRow, busy, system);
        busySum += busy;
        systemSum += system;
      }
      put(frame, total, Math.round(busySum / cores), Math.floor(systemSum / cores));
    },
  };
};

function put(frame: CellValues, row: WindowsCpuRow, busy: number, system: number): void {
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
  return {
    node: { '0': slot.float(row.one), '1': slot.float(row.five), '2': slot.float(row.fifteen) },
    fill(frame, { load1, load5, load15, saturation }) {
      // Tasks queue up when cores are saturated.
      const perLoad = cores * tasksPerCore;
      const perSaturation = cores * QUEUED;
      frame[row.one] = rounded(perLoad * load1 + perSaturation * saturation.minute, grain);
      frame[row.five] = rounded(perLoad * load5 + perSaturation * saturation.fiveMinutes, grain);
      frame[row.fifteen] = rounded(perLoad * load15 + perSaturation * saturation.quarter, grain);
    },
  };
};

function rounded(value: number, grain: number): number {
  return Math.round(value * grain) / grain;
}
