import { appendFileSync, closeSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { getSystemErrorMessage } from 'node:util';
import { messageOf, UserError } from '../kernel/errors.ts';
import type { TimelineFrame } from '../metrics/merging/timeline.ts';
import { sweepAbandoned, writeWhole } from '../storage/whole-files.ts';
import { logEnd, logHeader, logLines, type RunEnd, type RunStart } from './histogram-log.ts';
import { type SecondFacts, toTimelineRow } from './timeline.ts';

/** Names inside a run's folder of results, and of the link beside it that leads to the newest run. */
export const RESULT_FILES = {
  summary: 'summary.json',
  histograms: 'histograms.hlog',
  timeline: 'timeline.ndjson',
  table: 'timeline.csv',
  scenario: 'scenario.yaml',
  report: 'report.html',
  latest: 'latest',
} as const;

/** What has to be known to open a folder for a run's results. */
export type ResultRequest = {
  /** Folder of all results, such as `results`; made if missing. */
  readonly outDir: string;
  readonly scenarioName: string;
  readonly seed: number;
  readonly startedAt: Date;
  /** What the result has of the whole run, at the end of its name; undefined: all of it. */
  readonly part: string | undefined;
  /** The effective scenario as YAML. */
  readonly scenarioText: string;
  /** What is known at the start of a run that has this name. */
  readonly startOf: (runId: string) => RunStart;
  /** Of a second of the run. */
  readonly factsOf: (second: number) => SecondFacts;
};

/** A run's folder of results while the run goes. Every method throws a UserError if the disk does not take it. */
export type ResultFolder = {
  readonly path: string;
  readonly start: RunStart;
  /**
   * Adds seconds to the histogram log and the timeline. They are with the operating system when this returns, so a
   * killed process loses nothing of them; no frame is kept.
   */
  append(frames: readonly TimelineFrame[]): void;
  /** Closes the logs: with what is known at the end of a run whose seconds are all in them. */
  close(end: RunEnd | undefined): void;
  /** Removes the folder and all that is in it. */
  discard(): void;
};

/**
 * Makes `<outDir>/<scenario>/<run id>/` with the scenario and the opened logs in it.
 * Throws a UserError if that is not possible, so that no run starts whose results would be lost.
 */
export function openResultFolder(request: ResultRequest): ResultFolder {
  const parent = join(request.outDir, folderName(request.scenarioName));
  return writing(parent, () => {
    mkdirSync(parent, { recursive: true });
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

/** Turns the link `latest` beside a run's folder to it. Throws a UserError if the disk does not take it. */
export function pointLatest(path: string): void {
  const [parent, runId] = [dirname(path), basename(path)];
  writing(parent, () => {
    const link = join(parent, `.latest-${runId}`);
    symlinkSync(runId, link, 'dir');
    renameSync(link, join(parent, RESULT_FILES.latest));
  });
}

/** `2026-11-21T10-15-30Z-seed1`, `…-seed1-shard2of3`: sorts by time, and is a file name everywhere. */
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

function folderOf({ path, start, log, timeline, factsOf }: Opened): ResultFolder {
  return {
    path,
    start,
    append: (frames) =>
      writing(path, () => {
        for (const frame of frames) {
          // The log first: a second in the timeline has its histograms, whenever the process dies.
          appendFileSync(log, logLines(frame));
          appendFileSync(timeline, `${JSON.stringify(toTimelineRow(frame, factsOf(frame.second)))}\n`);
        }
      }),
    close: (end) =>
      writing(path, () => {
        if (end !== undefined) appendFileSync(log, logEnd(end));
        closeSync(log);
        closeSync(timeline);
      }),
    discard: () => writing(path, () => rmSync(path, { recursive: true, force: true })),
  };
}

/** Writes one more file of a run into its folder, whole or not at all. Throws a UserError if the disk does not take it. */
export function writeResultFile(path: string, fileName: string, text: string): void {
  writing(path, () => writeWhole(join(path, fileName), text));
}

/** Runs that start within the same second get `-2`, `-3` and so on; making the folder decides who is first. */
function makeRunFolder(parent: string, request: ResultRequest): string {
  const first = runIdOf(request);
  for (let attempt = 1; ; attempt++) {
    const runId = attempt === 1 ? first : `${first}-${attempt}`;
    try {
      mkdirSync(join(parent, runId));
      return runId;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }
}

/** Of runs that were killed while they wrote a file, what there is of it goes; the rest stays, `report` rebuilds from it. */
function sweepRuns(parent: string): void {
  for (const entry of readdirSync(parent, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    try {
      sweepAbandoned(join(parent, entry.name));
    } catch {
      // Another process may remove the folder, or it may belong to another user.
    }
  }
}

// A scenario's name may hold anything; a folder's may not, nor may it be hidden or lead upwards.
function folderName(scenarioName: string): string {
  return scenarioName.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^\.+/, '') || 'unnamed';
}

function writing<T>(folder: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    throw notWritten(error, folder);
  }
}

/** What to throw for an error while a folder was written to: a UserError if the disk did not take it. */
export function notWritten(error: unknown, folder: string): unknown {
  const errno = error instanceof Error && 'errno' in error ? error.errno : undefined;
  if (typeof errno !== 'number') return error;
  const path = error instanceof Error && 'path' in error ? String(error.path) : folder;
  const reason = getSystemErrorMessage(errno) ?? messageOf(error);
  return new UserError(
    `cannot write the results to ${path}: ${reason}; free disk space or choose another folder with --out`,
  );
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
