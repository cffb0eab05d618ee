import { messageOf } from '../kernel/errors.ts';
import type { Shard } from '../load/shard.ts';
import type { Recording } from '../metrics/merging/measurement.ts';
import type { TimelineFrame } from '../metrics/merging/timeline.ts';
import { createHistory } from '../metrics/results/history.ts';
import type { RunEnd, RunStart } from '../metrics/results/recorded-facts.ts';
import { responseDistributions } from '../metrics/results/summary.ts';
import { type Environment, RESULT_SCHEMA_VERSION, type Summary } from '../metrics/results/summary-schema.ts';
import { reportOf } from '../results/report-of.ts';
import { formatScenario } from '../scenario/meaning/effective-scenario.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { openResultFolder, pointLatest, RESULT_FILES, type ResultFolder, runIdOf } from '../storage/result-folder.ts';
import { writeTimelineTable } from '../storage/timeline-table.ts';

/** What has to be known to keep a run's results. */
export type ResultsOrder = {
  readonly scenario: Scenario;
  readonly shard: Shard;
  readonly startedAt: Date;
  readonly environment: Environment;
  /** Folder of all results; undefined: none are kept. */
  readonly outDir: string | undefined;
};

/** Where a run's results go while it goes; the run itself does not end with the disk. */
export type Results = {
  /** What is known of the run at its start. */
  readonly start: RunStart;
  /** Undefined: none are kept. */
  readonly path: string | undefined;
  append(seconds: readonly TimelineFrame[]): void;
  /** All seconds have been appended; comes before `finish`. */
  close(end: RunEnd): void;
  /** Writes what is known at the end: the report, the timeline as a table, percentile distributions, at last the summary. */
  finish(summary: Summary, recording: Recording): Promise<void>;
  /** What could not be written, and why; undefined: everything was. */
  problem(): string | undefined;
};

/** Throws `UserError` if the folder cannot be written to. */
export function openResults({ scenario, shard, startedAt, environment, outDir }: ResultsOrder): Results {
  const part = shard.count === 1 ? undefined : { number: shard.index + 1, of: shard.count };
  const startOf = (runId: string): RunStart => ({
    ...{ schemaVersion: RESULT_SCHEMA_VERSION, runId, startedAt: startedAt.toISOString(), environment },
    ...(part && { shard: part }),
  });
  const run = { seed: scenario.fleet.seed, startedAt, part: part && `shard${part.number}of${part.of}` };
  if (outDir === undefined) return keepNothing(startOf(runIdOf(run)));
  const folder = openResultFolder({
    ...{ ...run, outDir, startOf },
    scenarioName: scenario.name,
    scenarioText: formatScenario(scenario),
  });
  pointLatest(folder.path);
  return keep(folder);
}

function keepNothing(start: RunStart): Results {
  return {
    start,
    path: undefined,
    append: () => {},
    close: () => {},
    finish: async () => {},
    problem: () => undefined,
  };
}

/** After the first failure nothing more is appended: a log with a gap would pass for a whole one. */
function keep(folder: ResultFolder): Results {
  const history = createHistory();
  let problem: string | undefined;
  const note = (error: unknown): void => {
    problem ??= messageOf(error);
  };
  const attempt = (write: () => void): void => {
    try {
      write();
    } catch (error) {
      note(error);
    }
  };
  return {
    start: folder.start,
    path: folder.path,
    append: (seconds) => {
      for (const second of seconds) history.add(second);
      if (problem === undefined) attempt(() => folder.append(seconds));
    },
    // A log that lacks seconds must not say that the run ended with them.
    close: (end) => attempt(() => folder.close(problem === undefined ? end : undefined)),
    finish: async (summary, recording) => {
      attempt(() => folder.write(RESULT_FILES.report, reportOf(summary, recording, history.read())));
      await writeTimelineTable(folder.path, new Date(folder.start.startedAt)).catch(note);
      attempt(() => folder.finish(summary, responseDistributions(recording)));
    },
    problem: () => problem,
  };
}
