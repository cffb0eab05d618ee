import { messageOf } from '../base/kernel/errors.ts';
import type { Shard } from '../load/shard.ts';
import type { Recording } from '../metrics/merging/measurement.ts';
import type { TimelineFrame } from '../metrics/merging/timeline.ts';
import { createHistory } from '../metrics/summary/history.ts';
import { RESULT_SCHEMA_VERSION, type RunEnvironment, type Summary } from '../metrics/summary/summary-schema.ts';
import { formatScenario } from '../scenario/file.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { attempts, lastedMs, summaryOf, writeConclusion } from './conclusion.ts';
import { openResultFolder, pointLatest, RESULT_FILES, type ResultFolder, runIdOf, writeResultFile } from './folder.ts';
import { type RunEnd, type RunStart, runEndSchema } from './histogram-log.ts';
import { loggedBeside } from './logged.ts';
import { secondFacts } from './timeline.ts';

/** What is needed to store a run's results. */
type ResultsOrder = {
  readonly scenario: Scenario;
  readonly shard: Shard;
  readonly startedAt: Date;
  readonly environment: RunEnvironment;
  /** Folder of all results; `undefined` to store none. */
  readonly outDir: string | undefined;
};

export type Results = ReturnType<typeof openResults>;

/** Stores the results of a run in progress. A full disk does not end the run. @throws UserError if the folder is not writable. */
export function openResults({ scenario, shard, startedAt, environment, outDir }: ResultsOrder) {
  const part = shard.count === 1 ? undefined : { number: shard.index + 1, of: shard.count };
  const startOf = (runId: string): RunStart => ({
    schemaVersion: RESULT_SCHEMA_VERSION,
    runId,
    startedAt: startedAt.toISOString(),
    environment,
    ...(part && { shard: part }),
  });
  const run = { seed: scenario.fleet.seed, startedAt, part: part && `shard${part.number}of${part.of}` };
  const present = { scenario };
  if (outDir === undefined) return keep(present, startOf(runIdOf(run)), undefined);
  const folder = openResultFolder({
    ...run,
    outDir,
    startOf,
    scenarioName: scenario.name,
    scenarioText: formatScenario(scenario),
    factsOf: (second) => secondFacts(present.scenario, startedAt, second),
  });
  pointLatest(folder.path);
  return keep(present, folder.start, folder);
}

/** Appends nothing after the first failure: a log with a gap would look complete. */
function keep(present: { scenario: Scenario }, start: RunStart, folder: ResultFolder | undefined) {
  const history = createHistory();
  let problem: string | undefined;
  const note = (error: unknown): void => {
    problem ??= messageOf(error);
  };
  const attempt = attempts(note);
  return {
    /** `undefined` if no results are stored. */
    path: folder?.path,
    append: (seconds: readonly TimelineFrame[]): void => {
      if (folder === undefined) return;
      for (const second of seconds) history.add(second);
      if (problem === undefined) attempt(() => folder.append(seconds));
    },
    /** Replaces the scenario, in its file and in the facts of later seconds. */
    change: (scenario: Scenario): void => {
      present.scenario = scenario;
      if (folder !== undefined)
        attempt(() => writeResultFile(folder.path, RESULT_FILES.scenario, formatScenario(scenario)));
    },
    /** Writes the conclusion once all seconds have been appended, and returns the summary. Throws like `summarize`. */
    conclude: async (recording: Recording, ended: RunEnd): Promise<Summary> => {
      const logged = loggedBeside(present.scenario, ended.elapsedMs);
      const end = { ...ended, ...(logged && { logged }) };
      // A log with missing seconds must not contain the end of the run.
      attempt(() => folder?.close(problem === undefined ? end : undefined));
      // With its members in the order in which they are read back, so that a rebuilt summary has the same bytes.
      const summary = summaryOf(present.scenario, recording, { start, end: runEndSchema.safeParse(end).data ?? end });
      if (folder === undefined) return summary;
      const conclusion = { summary, recording, history: history.read(lastedMs(start, end)) };
      await writeConclusion(folder.path, conclusion).catch(note);
      return summary;
    },
    /** What could not be written, and why; `undefined` if everything was. */
    problem: (): string | undefined => problem,
  };
}
