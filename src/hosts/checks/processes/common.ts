import { HOUR_MS, MIB } from '../../../base/kernel/units.ts';
import {
  type Cell,
  type Cells,
  type CellValues,
  type Node,
  type Row,
  slot,
  type Text,
  valueAt,
} from '../../document/nodes.ts';
import { EPOCH_SECONDS, secondsSinceEpoch } from '../../host/calendar.ts';
import { type Guests, MACHINE_MIB } from '../../host/containers.ts';
import type { HostState } from '../../host/host-state.ts';
import { type Incident, isActive, latestOccurrence, ofKind } from '../../host/incident.ts';
import type { HostMemory } from '../../host/memory.ts';
import { keyOf, scramble, smoothNoise, streamLabel, unit } from '../../host/noise.ts';
import { type Fill, inTurn } from '../../host/part.ts';

/** A listed process: its PID, and the cell that is 0 while it is absent, if it can be. */
export type Listed = { readonly node: Node; readonly pid: Cell; readonly present?: Cell | undefined };

export type ProcessList = { readonly listed: readonly Listed[]; readonly fill: Fill };

export function joined(lists: readonly ProcessList[]): ProcessList {
  return { listed: lists.flatMap(({ listed }) => listed), fill: inTurn(lists.map(({ fill }) => fill)) };
}

/** Usual memory and work of a process, relative to the others. */
export type Sharer = {
  readonly memoryMib: number;
  readonly work: number;
  /** Cell that is 0 while the process does not exist. */
  readonly running: Cell | undefined;
  /** Never takes remaining memory, whatever its size. */
  readonly steady?: boolean;
};

/** Guests, and the index of the process that runs them; -1 if they have processes of their own. */
export type GuestPart = { readonly guests: readonly Guests[]; readonly runner: number };

type Shares = {
  /** Bytes that each process holds, and its share of the work of all processes. Valid until the next division. */
  readonly heldBytes: Float64Array;
  readonly workShares: Float64Array;
  /** Divides the memory and the work of a host's programs, except the guests' part. */
  readonly fill: Fill;
};

const PROCESSES = streamLabel('processes');
/** Resident memory of a program on different hosts, as a share of its table's figure; it drifts by a little more. Chosen, as all here. */
const MIN_HELD_SHARE = 0.84;
const MORE_HELD_SHARE = 0.3;
const DRIFT = 0.04;
/** Work of a program on different hosts, in relation to its table's figure. */
const MIN_WORK_SHARE = 0.6;
const MORE_WORK_SHARE = 0.8;
/** The rest of the memory and work belongs to the kernel and to transient processes. */
const HELD = 0.88;
const WORKED = 0.9;
/** Programs above the first size take the remaining memory. Those above the second one grow or shrink by a small factor. */
export const LARGE_MIB = 200;
const ELASTIC_MIB = 24;
const MAX_GROWTH = 3;
/** Without a large program, those above the second size grow up to this factor. */
const MAX_GROWTH_ALONE = 14;
/** Small programs hold at most this share of the memory of all. */
const SMALL_SHARE = 0.7;

/** Divides a host's memory and work among its processes, so that their sum matches the host's other checks. */
export function sharesOf(all: readonly Sharer[], { programs }: HostMemory, { guests, runner }: GuestPart): Shares {
  const sharers = all.map((one, index) => (index === runner ? { ...one, memoryMib: MACHINE_MIB } : one));
  const count = sharers.length;
  const usualBytes = Float64Array.from(sharers, ({ memoryMib }) => memoryMib * MIB);
  const kinds = Uint8Array.from(sharers, classOf);
  const mostGrowth = mostGrowthOf(sharers);
  const factors = new Float64Array(3);
  const usualWork = Float64Array.from(sharers, ({ work }) => work);
  const running = sharers.map((sharer) => sharer.running);
  const heldBytes = new Float64Array(count);
  const workShares = new Float64Array(count);
  const sums = new Float64Array(4);
  return {
    heldBytes,
    workShares,
    fill(frame, host) {
      const key = keyOf(host.hostKey, PROCESSES);
      const hours = host.checkMs / HOUR_MS;
      sums.fill(0);
      for (let i = 0; i < count; i++) {
        const cell = running[i];
        const presence = cell === undefined || frame[cell] !== 0 ? 1 : 0;
        const usual = usualBytes[i] as number;
        const share = MIN_HELD_SHARE + MORE_HELD_SHARE * unit(key, i) + DRIFT * smoothNoise(key + i, hours);
        const held = presence * usual * share;
        const usualShare = presence * (usualWork[i] as number);
        const work = usualShare === 0 ? 0 : usualShare * (MIN_WORK_SHARE + MORE_WORK_SHARE * unit(key, ~i));
        heldBytes[i] = held;
        workShares[i] = work;
        const kind = kinds[i] as number;
        sums[kind] = (sums[kind] as number) + held;
        sums[WORK] = (sums[WORK] as number) + work;
      }
      scale(frame);
    },
  };

  function scale(frame: CellValues): void {
    const budgetBytes = Math.max(0, valueAt(frame, programs) * HELD - guestsSum(frame, guests, 'bytes'));
    const hostShare = 1 - guestsSum(frame, guests, 'share');
    const [small = 0, elastic = 0, large = 0, work = 0] = sums;
    const smallScale = Math.min(1, (SMALL_SHARE * budgetBytes) / Math.max(1, small));
    const restBytes = Math.max(0, budgetBytes - small * smallScale);
    const elasticScale = Math.min(mostGrowth, restBytes / Math.max(1, elastic + large));
    const largeScale = Math.max(0, restBytes - elastic * elasticScale) / Math.max(1, large);
    const workScale = work === 0 ? 0 : (WORKED * hostShare) / work;
    factors[SMALL] = smallScale;
    factors[ELASTIC] = elasticScale;
    factors[LARGE] = largeScale;
    for (let i = 0; i < count; i++) {
      heldBytes[i] = (heldBytes[i] as number) * (factors[kinds[i] as number] as number);
      workShares[i] = (workShares[i] as number) * workScale;
    }
  }
}

export function guestsSum(frame: CellValues, guests: readonly Guests[], figure: 'bytes' | 'share' | 'tenths'): number {
  let sum = 0;
  for (const one of guests) sum += valueAt(frame, one[figure]);
  return sum;
}

const SMALL = 0;
const ELASTIC = 1;
const LARGE = 2;
const WORK = 3;

function classOf({ memoryMib, steady = false }: Pick<Sharer, 'memoryMib' | 'steady'>): number {
  if (steady || memoryMib < ELASTIC_MIB) return SMALL;
  return memoryMib < LARGE_MIB ? ELASTIC : LARGE;
}

/** How many times its usual memory a program may hold that is not large. */
export function mostGrowthOf(sharers: readonly Pick<Sharer, 'memoryMib' | 'steady'>[]): number {
  return sharers.some((sharer) => classOf(sharer) === LARGE) ? MAX_GROWTH : MAX_GROWTH_ALONE;
}

/** Memory leaks, and the index of the program that leaks; -1 if none can. */
export type Leak = { readonly index: number; readonly causes: readonly Incident[] };

/** The largest program leaks. The size of a program that cannot leak is 0. */
export function leakOf(incidents: readonly Incident[], sizes: readonly number[]): Leak {
  const causes = ofKind(incidents, 'memory-leak');
  return { causes, index: causes.length === 0 ? -1 : sizes.indexOf(Math.max(...sizes)) };
}

/** How a system reports the memory of a process as a share of all memory. */
type ShareFormat = {
  readonly slotOf: (cell: Cell) => Node;
  readonly shareOf: (bytes: number, totalBytes: number) => number;
};

/** Memory shares of processes that hold the same on all hosts. The share differs: one cell for each size. */
export function fixedShares({ total }: Pick<HostMemory, 'total'>, { slotOf, shareOf }: ShareFormat, cells: Cells) {
  const sizes = new Map<number, Cell>();
  const of = (bytes: number): Node => {
    if (bytes === 0) return 0;
    const cell = sizes.get(bytes) ?? cells.one();
    sizes.set(bytes, cell);
    return slotOf(cell);
  };
  const fill: Fill = (frame) => {
    for (const [bytes, cell] of sizes) frame[cell] = shareOf(bytes, valueAt(frame, total));
  };
  return { of, fill };
}

type ShortLivedInput<Program> = {
  readonly count: number;
  /** Returns the programs at an index, of which one runs at a time; as many at each index. */
  readonly programsAt: (index: number) => readonly Program[];
  readonly node: (program: Program, row: Row<'pid' | 'created'>) => Node;
  /** Returns the seconds after which the process at an index is replaced, if it has not ended before. */
  readonly lifeSeconds: (index: number) => number;
  /** Returns the PID of the process that starts at an index in a turn. */
  readonly pid: (start: Start) => number;
};

type Start = {
  readonly host: HostState;
  readonly index: number;
  readonly turn: number;
  readonly startSeconds: number;
};

const SHORT_LIVED = streamLabel('processes.short-lived');
const LIKELY = 0.65;
/** No short-lived process runs this soon after a boot. */
const SETTLED_SECONDS = 60;

/** Processes that live for minutes. Those at one index follow each other, in a rhythm of their own. */
export function shortLivedProcesses<Program>(input: ShortLivedInput<Program>, cells: Cells): ProcessList {
  const { count, programsAt, node, lifeSeconds, pid } = input;
  const rows = Array.from({ length: count }, () => cells.row('present', 'kind', 'pid', 'created'));
  const kinds = programsAt(0).length;
  const fill: Fill = (frame, host) => {
    const now = secondsSinceEpoch(host.checkMs);
    const settled = secondsSinceEpoch(host.bootMs) + SETTLED_SECONDS;
    for (let index = 0; index < rows.length; index++) {
      const row = rows[index] as (typeof rows)[number];
      const key = keyOf(host.hostKey, SHORT_LIVED) + index;
      const life = lifeSeconds(index);
      const turn = Math.floor(now / life);
      const startSeconds = turn * life;
      frame[row.present] = unit(key, turn) < LIKELY && startSeconds > settled ? 1 : 0;
      frame[row.kind] = Math.floor(unit(key, ~turn) * kinds);
      frame[row.pid] = pid({ host, index, turn, startSeconds });
      frame[row.created] = EPOCH_SECONDS + startSeconds;
    }
  };
  const listed = rows.map((row, index): Listed => {
    const forms = programsAt(index).map((program) => node(program, row));
    return { node: slot.either(row.kind, forms), pid: row.pid, present: row.present };
  });
  return { listed, fill };
}

/** A number below `range`. Odd numbers follow even ones, so that no process has the number of the one before it. */
export function alternating(chance: number, range: number, turn: number): number {
  return 2 * Math.floor((range / 2) * chance) + (turn & 1);
}

type SaturatingInput = {
  readonly incidents: readonly Incident[];
  readonly pidAt: (index: number) => number;
  readonly node: (row: Row<'pid' | 'cpu' | 'created'>) => Node;
  readonly idleTime: (frame: CellValues, host: HostState) => number;
};

/** Processes that take the remaining CPU time, one for each incident of this kind. */
export function saturatingProcesses({ incidents, pidAt, node, idleTime }: SaturatingInput, cells: Cells): ProcessList {
  const saturating = ofKind(incidents, 'cpu-saturated');
  const rows = saturating.map((incident) => ({ incident, ...cells.row('present', 'pid', 'cpu', 'created') }));
  const listed = rows.map((row): Listed => ({ node: node(row), pid: row.pid, present: row.present }));
  const fill: Fill = (frame, host) => {
    const runs = saturating.filter((incident) => isActive(incident, host.incidents, host.checkMs));
    rows.forEach(({ incident, present, pid, cpu, created }, index) => {
      frame[present] = runs.includes(incident) ? 1 : 0;
      frame[pid] = pidAt(index);
      frame[cpu] = Math.floor(idleTime(frame, host) / Math.max(1, runs.length));
      frame[created] = Math.floor((latestOccurrence(incident, host.incidents)?.fromMs ?? 0) / 1000);
    });
  };
  return { listed, fill };
}

const GUIDS = streamLabel('processes.guids');
const GUID = /\{(guid|GUID)\}/;
/** Bytes of a group of digits, after each of which there is a dash. */
const GROUPS = [4, 2, 2, 2, 6];
const BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const UPPER_BYTES = BYTES.map((byte) => byte.toUpperCase());

/** Texts of commands in which each `{guid}` or `{GUID}` is an identifier of its own on each host. */
export function guidTexts(cells: Cells): { readonly of: (text: Node) => Node; readonly fill: Fill } {
  const bytes: Cell[] = [];
  const guid = (words: readonly string[]): Text['parts'] => {
    return GROUPS.flatMap((length, group): Text['parts'] => {
      const own = cells.list(length);
      bytes.push(...own);
      return [...(group === 0 ? [] : ['-']), ...own.map((cell) => slot.word(cell, words))];
    });
  };
  return {
    of(text) {
      const parts = typeof text === 'string' ? [text] : (text as Text).parts;
      if (!parts.some((part) => typeof part === 'string' && GUID.test(part))) return text;
      const pieces = parts.flatMap((part): Text['parts'] => {
        if (typeof part !== 'string') return [part];
        return part.split(GUID).flatMap((piece, index): Text['parts'] => {
          return index % 2 === 0 ? [piece] : guid(piece === 'guid' ? BYTES : UPPER_BYTES);
        });
      });
      return slot.text(...pieces);
    },
    fill(frame, { hostKey }) {
      const key = keyOf(hostKey, GUIDS);
      for (let i = 0; i < bytes.length; i++) frame[bytes[i] as Cell] = scramble(key, i) & 0xff;
    },
  };
}
