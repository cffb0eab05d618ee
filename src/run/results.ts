import { messageOf } from '../kernel/errors.ts';
import type { TimelineFrame } from '../metrics/merging/timeline.ts';
import type { Summary } from '../metrics/results/summary-schema.ts';
import { formatScenario } from '../scenario/meaning/effective-scenario.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { openResultFolder, type ResultFolder, runIdOf } from '../storage/result-folder.ts';

/** Where a run's results go while it goes; the run itself does not end with the disk. */
export type Results = {
  readonly runId: string;
  /** Undefined: none are kept. */
  readonly path: string | undefined;
  append(seconds: readonly TimelineFrame[]): void;
  finish(summary: Summary, distributions: ReadonlyMap<string, string>): void;
  /** What could not be written, and why; undefined: everything was. */
  problem(): string | undefined;
};

/** @param outDir folder of all results; undefined: none are kept. Throws `UserError` if it cannot be written to. */
export function openResults(scenario: Scenario, startedAt: Date, outDir: string | undefined): Results {
  const { name, fleet } = scenario;
  if (outDir === undefined) return keepNothing(runIdOf({ startedAt, seed: fleet.seed }));
  const scenarioText = formatScenario(scenario);
  return keep(openResultFolder({ outDir, scenarioName: name, seed: fleet.seed, startedAt, scenarioText }));
}

function keepNothing(runId: string): Results {
  return { runId, path: undefined, append: () => {}, finish: () => {}, problem: () => undefined };
}

/** After the first failure nothing more is appended: a log with a gap would pass for a whole one. */
function keep(folder: ResultFolder): Results {
  let problem: string | undefined;
  const attempt = (write: () => void): void => {
    try {
      write();
    } catch (error) {
      problem ??= messageOf(error);
    }
  };
  return {
    runId: folder.runId,
    path: folder.path,
    append: (seconds) => {
      if (problem === undefined) attempt(() => folder.append(seconds));
    },
    finish: (summary, distributions) => attempt(() => folder.finish(summary, distributions)),
    problem: () => problem,
  };
}
