import {
  appendFileSync,
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isDiskFull, systemCode, UserError } from '../base/kernel/errors.ts';
import { assertOwn } from '../base/storage/ownership.ts';
import { makeFolder, sweepAbandoned, systemReason, writeWhole } from '../base/storage/whole-files.ts';
import type { RecordedSecond } from '../metrics/merging/timeline.ts';
import { logEnd, logHeader, logLines, type RunEnd, type RunStart } from './histogram-log.ts';
import { type SecondFacts, toTimelineRow } from './timeline.ts';

/** Names of files in a run's results folder, and of the link next to it that points to the latest run. */
export const RESULT_FILES = {
  summary: 'summary.json',
  histograms: 'histograms.hlog',
  timeline: 'timeline.ndjson',
  table: 'timeline.csv',
  scenario: 'scenario.yaml',
  report: 'report.html',
  latest: 'latest',
} as const;

/** What is needed to create a run's results folder. */
export type ResultRequest = {
  /** Folder of all results, such as `results`; created if missing. */
  readonly outDir: string;
  readonly scenarioName: string;
  readonly seed: number;
  readonly startedAt: Date;
  /** Part of the run that the result covers, appended to its name; `undefined` for a whole run. */
  readonly part: string | undefined;
  /** The effective scenario as YAML. */
  readonly scenarioText: string;
  /** Facts known at the start of a run with this id. */
  readonly startOf: (runId: string) => RunStart;
  readonly factsOf: (second: number) => SecondFacts;
};

export type ResultFolder = ReturnType<typeof openResultFolder>;

/** Creates `<outDir>/<scenario>/<run id>/` with the scenario and the open logs. @throws UserError if the results would be lost */
export function openResultFolder(request: ResultRequest) {
  const parent = join(request.outDir, folderName(request.scenarioName));
  return writing(parent, () => {
    for (const folder of [request.outDir, parent]) assertOwn(folder, 'choose another folder with --out');
    makeFolder(parent);
    assertNoFolder(join(parent, RESULT_FILES.latest));
    sweepRuns(parent);
    const runId = makeRunFolder(parent, request);
    const path = join(parent, runId);
    writeWhole(join(path, RESULT_FILES.scenario), request.scenarioText);
    const start = request.startOf(runId);
    const log = openSync(join(path, RESULT_FILES.histograms), 'ax');
    const timeline = openSync(join(path, RESULT_FILES.timeline), 'ax');
    appendFileSync(log, logHeader(start));
    return folderOf({ path, start, log, timeline, factsOf: request.factsOf });
  });
}

/** Points the link `latest` to a run's folder. @throws UserError if writing fails. */
export function pointLatest(path: string): void {
  const [parent, runId] = [dirname(path), basename(path)];
  writing(parent, () => {
    const link = join(parent, `.latest-${runId}`);
    symlinkSync(runId, link, 'dir');
    renameSync(link, join(parent, RESULT_FILES.latest));
  });
}

/** `2026-11-21T10-15-30Z-seed1`, `…-seed1-shard2of3`: sorts by time and is a valid file name everywhere. */
export function runIdOf({ startedAt, seed, part }: Pick<ResultRequest, 'startedAt' | 'seed' | 'part'>): string {
  const suffix = part === undefined ? '' : `-${part}`;
  return `${startedAt.toISOString().slice(0, 19).replaceAll(':', '-')}Z-seed${seed}${suffix}`;
}

type Opened = Pick<ResultRequest, 'factsOf'> & {
  readonly path: string;
  readonly start: RunStart;
  readonly log: number;
  readonly timeline: number;
};

/** Results folder of a run in progress. Every method throws a UserError if writing fails. */
function folderOf({ path, start, log, timeline, factsOf }: Opened) {
  return {
    path,
    start,
    /** Adds seconds to both logs. The operating system has them when this returns, so killing the process loses none. Keeps no frames. */
    append: (frames: readonly RecordedSecond[]): void =>
      writing(path, () => {
        const rows = frames.map((frame) => `${JSON.stringify(toTimelineRow(frame, factsOf(frame.second)))}\n`);
        // The log comes first, so that a second in the timeline has its histograms even if the process is killed.
        appendFileSync(log, frames.map(logLines).join(''));
        appendFileSync(timeline, rows.join(''));
      }),
    /** Closes the logs. If `end` is given, which requires complete seconds, it is written first. */
    close: (end: RunEnd | undefined): void =>
      writing(path, () => {
        if (end !== undefined) appendFileSync(log, logEnd(end));
        closeSync(log);
        closeSync(timeline);
      }),
    discard: (): void => writing(path, () => rmSync(path, { recursive: true, force: true })),
  };
}

/** Writes another file into a run's folder, completely or not at all. @throws UserError if writing fails. */
export function writeResultFile(path: string, fileName: string, text: string): void {
  writing(path, () => writeWhole(join(path, fileName), text));
}

/** Tools that copy results, such as those for artifacts of CI, often copy what a link points to. */
function assertNoFolder(link: string): void {
  if (!lstatSync(link, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new UserError(
    `${link}: expected the link to the latest run, found a folder, as in a copy; remove it, or choose another folder with --out`,
  );
}

/** Runs that start within the same second get `-2`, `-3` and so on. Creating a folder is atomic, so it decides the order. */
function makeRunFolder(parent: string, request: ResultRequest): string {
  const first = runIdOf(request);
  for (let attempt = 1; ; attempt++) {
    const runId = attempt === 1 ? first : `${first}-${attempt}`;
    try {
      mkdirSync(join(parent, runId));
      return runId;
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    }
  }
}

/** Removes partial files of runs that were killed while writing. Complete files stay, because `report` rebuilds from them. */
function sweepRuns(parent: string): void {
  for (const entry of readdirSync(parent, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    try {
      sweepAbandoned(join(parent, entry.name));
    } catch {
      // Another process may have removed the folder, or it may belong to another user.
    }
  }
}

// A scenario's name may contain anything. A folder's name must not be hidden or refer to a parent folder.
function folderName(scenarioName: string): string {
  return scenarioName.replaceAll(/[^\p{L}\p{M}\p{N}\p{So}._-]+/gu, '-').replace(/^\.+/, '') || 'unnamed';
}

function writing<T>(folder: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    throw notWritten(error, folder);
  }
}

/** The error to throw when a write failed: a UserError if the operating system reported it. */
export function notWritten(error: unknown, folder: string): unknown {
  const reason = systemReason(error);
  if (reason === undefined) return error;
  const path = error instanceof Error && 'path' in error ? String(error.path) : folder;
  const remedy = isDiskFull(error) ? 'free disk space or choose' : 'choose';
  return new UserError(`cannot write the results to ${path}: ${reason}; ${remedy} another folder with --out`, {
    cause: error,
  });
}
