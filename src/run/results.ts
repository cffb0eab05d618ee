import { messageOf } from '../kernel/errors.ts';
import type { Recording } from '../metrics/merging/measurement.ts';
import type { TimelineFrame } from '../metrics/merging/timeline.ts';
import { createHistory } from '../metrics/results/history.ts';
import { spectraOf } from '../metrics/results/spectrum.ts';
import { responseDistributions } from '../metrics/results/summary.ts';
import type { Summary } from '../metrics/results/summary-schema.ts';
import { readAssets } from '../report/html/assets.ts';
import { reportPage } from '../report/html/page.ts';
import { formatScenario } from '../scenario/meaning/effective-scenario.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { openResultFolder, RESULT_FILES, type ResultFolder, runIdOf } from '../storage/result-folder.ts';

/** Where a run's results go while it goes; the run itself does not end with the disk. */
export type Results = {
  readonly runId: string;
  /** Undefined: none are kept. */
  readonly path: string | undefined;
  append(seconds: readonly TimelineFrame[]): void;
  /** Writes what is known at the end: the report, percentile distributions, and at last the summary. */
  finish(summary: Summary, recording: Recording): void;
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
  const history = createHistory();
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
      for (const second of seconds) history.add(second);
      if (problem === undefined) attempt(() => folder.append(seconds));
    },
    finish: (summary, recording) => {
      const report = { summary, history: history.read(), spectra: spectraOf(recording) };
      attempt(() => folder.write(RESULT_FILES.report, reportPage(report, readAssets())));
      attempt(() => folder.finish(summary, responseDistributions(recording)));
    },
    problem: () => problem,
  };
}
