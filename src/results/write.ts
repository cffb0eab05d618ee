import { messageOf } from '../kernel/errors.ts';
import type { Shard } from '../load/shard.ts';
import type { Recording } from '../metrics/merging/run-totals.ts';
import type { TimelineFrame } from '../metrics/merging/timeline.ts';
import { createHistory } from '../metrics/summary/history.ts';

import { RESULT_SCHEMA_VERSION, type RunEnvironment, type Summary } from '../metrics/summary/summary-schema.ts';
import { formatScenario } from '../scenario/file.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { lastedMs, summaryOf, writeConclusion } from './conclusion.ts';
import { openResultFolder, pointLatest, RESULT_FILES, type ResultFolder, runIdOf, writeResultFile } from './folder.ts';
import type { RunEnd, RunStart } from './histogram-log.ts';
import { secondFacts } from './timeline.ts';

/** What has to be known to keep a run's results. */
type ResultsOrder = {
  readonly scenario: Scenario;
  readonly shard: Shard;
  readonly startedAt: Date;
  readonly environment: RunEnvironment;
  /** Folder of all results; undefined: none are kept. */
  readonly outDir: string | undefined;
};

/** Where a run's results go while it goes; the run itself does not end with the disk. */
export type Results = {
  /** Undefined: none are kept. */
  readonly path: string | undefined;
  append(seconds: readonly TimelineFrame[]): void;
  /** Something else happens in the run from now on: the stored scenario says so, and so do the seconds that follow. */
  change(scenario: Scenario): void;
  /** Says what the run came to, and writes it, once all seconds have been appended. Throws like `summarize`. */
  conclude(recording: Recording, end: RunEnd): Promise<Summary>;
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
  if (outDir === undefined) return keepNothing(scenario, startOf(runIdOf(run)));
  const present = { scenario };
  const folder = openResultFolder({
    ...{ ...run, outDir, startOf },
    scenarioName: scenario.name,
    scenarioText: formatScenario(scenario),
    factsOf: (second) => secondFacts(present.scenario, startedAt, second),
  });
  pointLatest(folder.path);
  return keep(present, folder);
}

function keepNothing(first: Scenario, start: RunStart): Results {
  let scenario = first;
  return {
    path: undefined,
    append: () => {},
    change: (changed) => {
      scenario = changed;
    },
    conclude: async (recording, end) => summaryOf(scenario, recording, { start, end }),
    problem: () => undefined,
  };
}

/** After the first failure nothing more is appended: a log with a gap would pass for a whole one. */
function keep(present: { scenario: Scenario }, folder: ResultFolder): Results {
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
    path: folder.path,
    append: (seconds) => {
      for (const second of seconds) history.add(second);
      if (problem === undefined) attempt(() => folder.append(seconds));
    },
    change: (scenario) => {
      present.scenario = scenario;
      attempt(() => writeResultFile(folder.path, RESULT_FILES.scenario, formatScenario(scenario)));
    },
    conclude: async (recording, end) => {
      // A log that lacks seconds must not say that the run ended with them.
      attempt(() => folder.close(problem === undefined ? end : undefined));
      const summary = summaryOf(present.scenario, recording, { start: folder.start, end });
      await writeConclusion(folder.path, {
        summary,
        recording,
        history: history.read(lastedMs(folder.start, end)),
      }).catch(note);
      return summary;
    },
    problem: () => problem,
  };
}
