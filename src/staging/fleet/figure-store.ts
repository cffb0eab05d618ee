import type { DatabaseSync } from 'node:sqlite';
import { isDiskFull, messageOf, UserError, writeFailure } from '../../base/kernel/errors.ts';
import { DAY_SECONDS, HOUR_SECONDS } from '../../base/kernel/units.ts';
import { inTransaction, openDatabase } from '../../base/storage/database.ts';
import {
  addFigures,
  decodeFigures,
  encodeFigures,
  type FigureSum,
  type FiguresAt,
  type FiguresRange,
  type FleetFigures,
  figuresFrom,
  figuresOfSecond,
  noFigures,
  RESOLUTIONS,
  type Resolution,
  tilesOf,
} from '../../metrics/merging/fleet-figures.ts';
import type { TimelineFrame } from '../../metrics/merging/timeline.ts';

/** How late a stalled worker may report a second. */
const LATE_SECONDS = 300;

/** Length and retention of the figures, in seconds. */
const RETENTION = {
  second: { lastsSeconds: 1, keptSeconds: HOUR_SECONDS + LATE_SECONDS },
  minute: { lastsSeconds: 60, keptSeconds: 7 * DAY_SECONDS },
  hour: { lastsSeconds: HOUR_SECONDS, keptSeconds: 366 * DAY_SECONDS },
} as const satisfies Record<Resolution, object>;

const LENGTHS = Object.values(RETENTION)
  .map(({ lastsSeconds }) => lastsSeconds)
  .reverse();

function resolutionOf(lastsSeconds: number): Resolution {
  return RESOLUTIONS.find((resolution) => RETENTION[resolution].lastsSeconds === lastsSeconds) ?? 'second';
}

/** In Unix seconds, without the end. */
type Span = { readonly from: number; readonly to: number };

/** Later than all rows. */
const MAX_MS = 1e15;

/** Rolling figures of a fleet: the seconds of the last hour, the minutes of the last week and the hours of the last year. */
export type FigureStore = {
  /** Adds complete seconds. `startedMs` is the Unix time of second 0 in milliseconds. */
  add(seconds: readonly TimelineFrame[], startedMs: number): void;
  /** Oldest first; the last interval may be incomplete. */
  read(range: FiguresRange): readonly FiguresAt[];
  close(): void;
};

const TABLE =
  'CREATE TABLE figures (resolution TEXT, at INTEGER, figures TEXT NOT NULL, sums TEXT, PRIMARY KEY (resolution, at)) STRICT, WITHOUT ROWID';

/** The figures of a minute take 2 KB, and must not take a page of their own. */
const PAGE_BYTES = 16_384;

/** Computed from seconds. */
const SUMMED = ['minute', 'hour'] as const;

/** Incomplete sums are kept in memory: the current minute and hour. */
type Open = { at: number; sum: FigureSum };

function rowsIn(database: DatabaseSync) {
  const put = database.prepare('INSERT OR REPLACE INTO figures (resolution, at, figures, sums) VALUES (?, ?, ?, ?)');
  const select = database.prepare(
    'SELECT at, figures FROM figures WHERE resolution = ? AND at >= ? AND at < ? ORDER BY at',
  );
  const sums = database.prepare('SELECT at, sums FROM figures WHERE resolution = ? AND at >= ? AND at < ?');
  const forget = database.prepare('DELETE FROM figures WHERE resolution = ? AND at < ?');
  const newest = database.prepare("SELECT max(at) AS at FROM figures WHERE resolution = 'second'");
  /** The sum of rows, added to another one. */
  const addTo = (into: FigureSum, resolution: Resolution, { from, to }: Span): FigureSum => {
    for (const row of sums.iterate(resolution, from, to))
      if (row.sums !== null) addFigures(into, decodeFigures(String(row.sums)));
    return into;
  };
  return {
    addTo,
    write: (resolution: Resolution, { at, sum }: Open): void => {
      put.run(resolution, at, JSON.stringify(figuresFrom(sum)), encodeFigures(sum));
    },
    forgetOld: (now: number): void => {
      for (const [resolution, { keptSeconds }] of Object.entries(RETENTION)) forget.run(resolution, now - keptSeconds);
    },
    newestSecond: (): number => Number(newest.get()?.at ?? 0),
    each: (resolution: Resolution, { from, to }: Span): readonly FiguresAt[] =>
      select.all(resolution, from, to).map(({ at, figures }) => ({
        atMs: Number(at) * 1000,
        figures: JSON.parse(String(figures)) as FleetFigures,
      })),
    /** Parts of a span at its ends that are kept only as part of a longer interval are left out. */
    whole: ({ from, to }: Span): readonly FiguresAt[] => {
      const sum = noFigures();
      for (const { lastsSeconds, ...tile } of tilesOf(from, to, LENGTHS)) addTo(sum, resolutionOf(lastsSeconds), tile);
      return sum.seconds === 0 ? [] : [{ atMs: from * 1000, figures: figuresFrom(sum) }];
    },
  };
}

/** Adds seconds to the current minute and hour, which are incomplete and kept in memory. */
function summing(rows: ReturnType<typeof rowsIn>) {
  const open = new Map<Resolution, Open>();
  /** After a start, the current sums are computed from stored seconds. */
  const openAt = (resolution: Resolution, second: number): Open => {
    const { lastsSeconds } = RETENTION[resolution];
    const at = second - (second % lastsSeconds);
    const known = open.get(resolution);
    if (known?.at === at) return known;
    if (known !== undefined) rows.write(resolution, known);
    const made = { at, sum: rows.addTo(noFigures(), 'second', { from: at, to: at + lastsSeconds }) };
    open.set(resolution, made);
    return made;
  };
  // A killed process has not written its last sums.
  const newest = rows.newestSecond();
  if (newest > 0) for (const resolution of SUMMED) openAt(resolution, newest);
  return {
    add: (frame: TimelineFrame, at: number): void => {
      const own = figuresOfSecond(frame, at);
      // A stalled worker reports a second later than the others.
      const before = rows.addTo(noFigures(), 'second', { from: at, to: at + 1 });
      const isLate = before.seconds > 0;
      if (isLate) own.seconds = 0;
      for (const resolution of SUMMED) {
        const under = openAt(resolution, at);
        addFigures(under.sum, own);
        if (isLate || (at + 1) % WRITTEN_SECONDS === 0) rows.write(resolution, under);
      }
      addFigures(own, before);
      rows.write('second', { at, sum: own });
    },
    writeOpen: (): void => {
      for (const [resolution, under] of open) rows.write(resolution, under);
    },
  };
}

/**
 * Opens or creates the file (SQLite) and locks it.
 *
 * @param onProblem called with one sentence at the first failed write. Writing resumes when it is possible again.
 * @throws UserError if the file cannot be used.
 */
export function openFigureStore(path: string, onProblem: (text: string) => void): FigureStore {
  const database = openOrExplain(path);
  const rows = rowsIn(database);
  const sums = summing(rows);
  let isFailing = false;
  const attempt = (act: () => void): void => {
    try {
      act();
      isFailing = false;
    } catch (error) {
      if (!isFailing) onProblem(`The figures in ${path} cannot be saved: ${writeFailure(error)}.`);
      isFailing = true;
    }
  };
  attempt(sums.writeOpen);
  return {
    add: (seconds, startedMs) => {
      const last = seconds.at(-1);
      if (last === undefined) return;
      const startSecond = Math.floor(startedMs / 1000);
      attempt(() =>
        inTransaction(database, () => {
          for (const frame of seconds) sums.add(frame, startSecond + frame.second);
          rows.forgetOld(startSecond + last.second);
        }),
      );
    },
    read: ({ resolution, fromMs, toMs }) => {
      attempt(sums.writeOpen);
      const span = { from: Math.ceil(fromMs / 1000), to: Math.ceil(Math.min(toMs, MAX_MS) / 1000) };
      return resolution === 'whole' ? rows.whole(span) : rows.each(resolution, span);
    },
    close: () => {
      attempt(sums.writeOpen);
      database.close();
    },
  };
}

/** Interval at which the current minutes and hours are written. */
const WRITTEN_SECONDS = 10;

function openOrExplain(path: string): DatabaseSync {
  try {
    const settings = { synchronous: 'NORMAL', locking: 'EXCLUSIVE', table: TABLE, pageBytes: PAGE_BYTES } as const;
    return openDatabase(path, settings);
  } catch (error) {
    const text = messageOf(error);
    if (/locked|busy/i.test(text))
      throw new UserError(
        `Another fleet uses the files next to ${path}: stop it, or choose another folder with --data.`,
      );
    const remedy = isDiskFull(error) ? 'free disk space' : 'remove the file, or choose another folder with --data';
    throw new UserError(`The figures in ${path} cannot be used: ${text}; ${remedy}.`, { cause: error });
  }
}
