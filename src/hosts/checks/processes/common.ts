import { HOUR_MS, MIB } from '../../../ground/kernel/units.ts';
import { type Cell, type Cells, type CellValues, type Node, slot, type Text, valueAt } from '../../document/nodes.ts';
import { EPOCH_SECONDS, secondsSinceEpoch } from '../../host/calendar.ts';
import type { Guests } from '../../host/containers.ts';
import type { HostState } from '../../host/host-state.ts';
import { keyOf, scramble, smoothNoise, streamLabel, unit } from '../../host/noise.ts';
import type { Fill } from '../../host/part.ts';

/** Usual memory and work of a process, relative to the others. */
export type Sharer = {
  readonly memoryMib: number;
  readonly work: number;
  /** Cell that is 0 while the process does not exist. */
  readonly running: Cell | undefined;
  /** Never takes remaining memory, whatever its size. */
  readonly steady?: boolean;
};

type Shares = {
  /** Bytes that each process holds, and its share of the work of all processes. Valid until the next division. */
  readonly heldBytes: Float64Array;
  readonly workShares: Float64Array;
  /** Divides the memory and the work of a host's programs, except the guests' part. */
  readonly divide: (frame: CellValues, host: HostState, programsBytes: number) => void;
};

const PROCESSES = streamLabel('processes');
/** Resident memory of a program on different hosts and days, as a share of its table's figure. */
const LEAST = 0.84;
const SPREAD = 0.3;
const DRIFT = 0.04;
/** The rest of the memory and work belongs to the kernel and to transient processes. */
const HELD = 0.88;
const WORKED = 0.9;
/** Programs above the first size take the remaining memory. Those above the second one grow or shrink by a small factor. */
export const LARGE_MIB = 200;
const ELASTIC_MIB = 24;
const MOST_GROWTH = 3;
/** Without a large program, those above the second size grow up to this factor. */
const MOST_GROWTH_ALONE = 14;
const SMALL_SHARE = 0.7;

/** Divides a host's memory and work among its processes, so that their sum matches the host's other checks. */
export function sharesOf(sharers: readonly Sharer[], guests: readonly Guests[]): Shares {
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
    divide(frame, host, programsBytes) {
      const key = keyOf(host.hostKey, PROCESSES);
      const hours = host.checkMs / HOUR_MS;
      sums.fill(0);
      for (let i = 0; i < count; i++) {
        const cell = running[i];
        const here = cell === undefined || frame[cell] !== 0 ? 1 : 0;
        const usual = usualBytes[i] as number;
        const held = here * usual * (LEAST + SPREAD * unit(key, i) + DRIFT * smoothNoise(key + i, hours));
        const work = here * (usualWork[i] as number);
        const own = work === 0 ? 0 : work * (0.6 + 0.8 * unit(key, ~i));
        heldBytes[i] = held;
        workShares[i] = own;
        const kind = kinds[i] as number;
        sums[kind] = (sums[kind] as number) + held;
        sums[WORK] = (sums[WORK] as number) + own;
      }
      let [taken, done] = [0, 0];
      for (let i = 0; i < guests.length; i++) {
        const { bytes, share } = guests[i] as Guests;
        taken += valueAt(frame, bytes);
        done += valueAt(frame, share);
      }
      scale(Math.max(0, programsBytes * HELD - taken), 1 - done);
    },
  };

  function scale(budgetBytes: number, workLeft: number): void {
    const [small = 0, elastic = 0, large = 0, work = 0] = sums;
    const smallScale = Math.min(1, (SMALL_SHARE * budgetBytes) / Math.max(1, small));
    const left = Math.max(0, budgetBytes - small * smallScale);
    const elasticScale = Math.min(mostGrowth, left / Math.max(1, elastic + large));
    const largeScale = Math.max(0, left - elastic * elasticScale) / Math.max(1, large);
    const workScale = work === 0 ? 0 : (WORKED * workLeft) / work;
    factors[SMALL] = smallScale;
    factors[ELASTIC] = elasticScale;
    factors[LARGE] = largeScale;
    for (let i = 0; i < count; i++) {
      heldBytes[i] = (heldBytes[i] as number) * (factors[kinds[i] as number] as number);
      workShares[i] = (workShares[i] as number) * workScale;
    }
  }
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
  return sharers.some((sharer) => classOf(sharer) === LARGE) ? MOST_GROWTH : MOST_GROWTH_ALONE;
}

type ShortLivedInput = {
  readonly count: number;
  /** Number of kinds of short-lived programs. */
  readonly kinds: number;
  /** Returns the seconds after which the process of a place is replaced, if it has not ended before. */
  readonly lifeSeconds: (place: number) => number;
  /** Returns the PID of the process that a place starts at a turn. */
  readonly pid: (start: Start) => number;
};

type Start = {
  readonly host: HostState;
  readonly place: number;
  readonly turn: number;
  readonly startSeconds: number;
};

const SHORT_LIVED = streamLabel('processes.short-lived');
const LIKELY = 0.65;
/** No short-lived process runs this soon after a boot. */
const SETTLED_SECONDS = 60;

/** Processes that live for minutes. Each place has a rhythm of its own. */
export function shortLivedProcesses(input: ShortLivedInput, cells: Cells) {
  const { count, kinds, lifeSeconds, pid } = input;
  const rows = Array.from({ length: count }, () => cells.row('present', 'kind', 'pid', 'created'));
  const fill: Fill = (frame, host) => {
    const now = secondsSinceEpoch(host.checkMs);
    const settled = secondsSinceEpoch(host.bootMs) + SETTLED_SECONDS;
    for (let place = 0; place < rows.length; place++) {
      const row = rows[place] as (typeof rows)[number];
      const key = keyOf(host.hostKey, SHORT_LIVED) + place;
      const life = lifeSeconds(place);
      const turn = Math.floor(now / life);
      const startSeconds = turn * life;
      frame[row.present] = unit(key, turn) < LIKELY && startSeconds > settled ? 1 : 0;
      frame[row.kind] = Math.floor(unit(key, ~turn) * kinds);
      frame[row.pid] = pid({ host, place, turn, startSeconds });
      frame[row.created] = EPOCH_SECONDS + startSeconds;
    }
  };
  return { rows, fill };
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
