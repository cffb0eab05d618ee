import type { DatabaseSync } from 'node:sqlite';
import { isDiskFull, messageOf, UserError } from '../kernel/errors.ts';
import { DAY_SECONDS, HOUR_SECONDS } from '../kernel/units.ts';
import type { FleetFigures } from '../metrics/merging/fleet-figures.ts';
import {
  addFigures,
  decodeFigures,
  encodeFigures,
  type FigureSum,
  figuresOfSecond,
  noFigures,
  toldFigures,
} from '../metrics/merging/rolling-figures.ts';
import type { TimelineFrame } from '../metrics/merging/timeline.ts';
import { inTransaction, openDatabase } from '../storage/database.ts';

/** What a worker that is held up may still add to. */
const LATE_SECONDS = 300;

/** How long figures are kept, and how long each is about, in seconds. */
const RESOLUTIONS = {
  second: { lastsSeconds: 1, keptSeconds: HOUR_SECONDS + LATE_SECONDS },
  minute: { lastsSeconds: 60, keptSeconds: 7 * DAY_SECONDS },
  hour: { lastsSeconds: HOUR_SECONDS, keptSeconds: 366 * DAY_SECONDS },
} as const;

export type Resolution = keyof typeof RESOLUTIONS;

/** Figures of a time that begins at `at`, in Unix seconds. */
export type FiguresAt = { readonly at: number; readonly figures: FleetFigures };

/** The figures of a fleet that roll: seconds of the last hour, minutes of the last week, hours of the last year. */
export type FigureStore = {
  /** Adds seconds that are complete; `startedMs` in Unix time is that of second 0. */
  add(seconds: readonly TimelineFrame[], startedMs: number): void;
  /** Those that begin in [from, to), in Unix seconds, the oldest first; the last one may not be over yet. */
  read(resolution: Resolution, from: number, to: number): readonly FiguresAt[];
  close(): void;
};

const TABLE =
  'CREATE TABLE figures (resolution TEXT, at INTEGER, figures TEXT NOT NULL, sums TEXT, PRIMARY KEY (resolution, at)) STRICT, WITHOUT ROWID';

/** Made of seconds. */
const SUMMED = ['minute', 'hour'] as const;

/** Sums that are not over are kept in memory: the minute and the hour under way. */
type Open = { at: number; sum: FigureSum };

/**
 * Opens or makes the file (SQLite) and locks it. Throws `UserError` if it cannot be used.
 * @param onProblem called once with one sentence when the disk is full; figures continue when there is space again.
 */
export function openFigureStore(path: string, onProblem: (text: string) => void): FigureStore {
  const database = openOrExplain(path);
  const put = database.prepare('INSERT OR REPLACE INTO figures (resolution, at, figures, sums) VALUES (?, ?, ?, ?)');
  const select = database.prepare(
    'SELECT at, figures FROM figures WHERE resolution = ? AND at >= ? AND at < ? ORDER BY at',
  );
  const sums = database.prepare("SELECT at, sums FROM figures WHERE resolution = 'second' AND at >= ? AND at < ?");
  const forget = database.prepare('DELETE FROM figures WHERE resolution = ? AND at < ?');
  const open = new Map<Resolution, Open>();
  let isFailing = false;

  const sumOf = (from: number, to: number): FigureSum => {
    const sum = noFigures();
    for (const row of sums.iterate(from, to)) if (row.sums !== null) addFigures(sum, decodeFigures(String(row.sums)));
    return sum;
  };
  const write = (resolution: Resolution, { at, sum }: Open): void => {
    put.run(resolution, at, JSON.stringify(toldFigures(sum)), null);
  };
  /** After a start, what is under way is added up from the seconds that were kept. */
  const openAt = (resolution: Resolution, at: number): Open => {
    const known = open.get(resolution);
    if (known?.at === at) return known;
    if (known !== undefined) write(resolution, known);
    const { lastsSeconds } = RESOLUTIONS[resolution];
    const made = { at, sum: sumOf(at, at + lastsSeconds) };
    open.set(resolution, made);
    return made;
  };
  const addSecond = (frame: TimelineFrame, at: number): void => {
    const own = figuresOfSecond(frame, at);
    // A stalled worker reports a second after the others have moved on.
    const before = sumOf(at, at + 1);
    const isLate = before.seconds > 0;
    if (isLate) own.seconds = 0;
    for (const resolution of SUMMED) {
      const under = openAt(resolution, at - (at % RESOLUTIONS[resolution].lastsSeconds));
      addFigures(under.sum, own);
      if (isLate || (at + 1) % WRITTEN_SECONDS === 0) write(resolution, under);
    }
    addFigures(own, before);
    put.run('second', at, JSON.stringify(toldFigures(own)), encodeFigures(own));
  };
  const forgetOld = (now: number): void => {
    for (const [resolution, { keptSeconds }] of Object.entries(RESOLUTIONS)) forget.run(resolution, now - keptSeconds);
  };
  const attempt = (act: () => void): void => {
    try {
      act();
      isFailing = false;
    } catch (error) {
      if (!isFailing)
        onProblem(`The figures in ${path} cannot be saved at the moment: ${messageOf(error)}; free disk space.`);
      isFailing = true;
    }
  };
  const writeOpen = (): void => {
    for (const [resolution, under] of open) write(resolution, under);
  };
  // A process that was killed has not written the end of what was under way.
  const newest = Number(
    database.prepare("SELECT max(at) AS at FROM figures WHERE resolution = 'second'").get()?.at ?? 0,
  );
  for (const resolution of SUMMED)
    if (newest > 0) openAt(resolution, newest - (newest % RESOLUTIONS[resolution].lastsSeconds));
  attempt(writeOpen);
  return {
    add: (seconds, startedMs) => {
      if (seconds.length === 0) return;
      try {
        inTransaction(database, () => {
          for (const frame of seconds) addSecond(frame, Math.floor(startedMs / 1000) + frame.second);
          forgetOld(Math.floor(startedMs / 1000) + (seconds.at(-1)?.second ?? 0));
        });
        isFailing = false;
      } catch (error) {
        if (!isFailing)
          onProblem(`The figures in ${path} cannot be saved at the moment: ${messageOf(error)}; free disk space.`);
        isFailing = true;
      }
    },
    read: (resolution, from, to) => {
      attempt(writeOpen);
      const rows = select.all(resolution, from, to);
      return rows.map(({ at, figures }) => ({ at: Number(at), figures: JSON.parse(String(figures)) as FleetFigures }));
    },
    close: () => {
      attempt(writeOpen);
      database.close();
    },
  };
}

/** Minutes and hours under way are written so often. */
const WRITTEN_SECONDS = 10;

function openOrExplain(path: string): DatabaseSync {
  try {
    return openDatabase(path, { synchronous: 'NORMAL', locking: 'EXCLUSIVE', table: TABLE });
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
