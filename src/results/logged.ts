import { basename, dirname } from 'node:path';
import { UserError } from '../base/kernel/errors.ts';
import { unixMsOf } from '../base/notation/date.ts';
import { openLargeFile } from '../base/storage/text-files.ts';
import { timelineEndMs, traceOf } from '../load/timeline.ts';
import { openTrace } from '../load/traces/reader.ts';
import { createTraceFeed, traceStretch } from '../load/traces/stretch.ts';
import { createLoggedSeconds } from '../metrics/merging/logged-seconds.ts';
import { createRecordedTotals } from '../metrics/merging/run-totals.ts';
import type { RecordedSecond } from '../metrics/merging/timeline.ts';
import { createHistory } from '../metrics/summary/history.ts';
import { loggedFigures } from '../metrics/summary/summary.ts';
import {
  type LoggedFigures,
  RESULT_SCHEMA_VERSION,
  type RunEnvironment,
  type Summary,
} from '../metrics/summary/summary-schema.ts';
import { formatScenario } from '../scenario/file.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { openResultFolder, type ResultFolder } from './folder.ts';
import type { RunEnd, RunStart } from './histogram-log.ts';
import { concludeFolder, createSums } from './rebuild.ts';

/**
 * What the logs behind the traces of a run show, up to a time of the run; `undefined` if there are no traces, they can no longer be read,
 * or they do not tell the answers.
 */
export function loggedBeside(scenario: Scenario, elapsedMs: number): LoggedFigures | undefined {
  const { phases } = scenario;
  if (!phases.some((phase) => traceOf(phase) !== undefined)) return undefined;
  const totals = createRecordedTotals(phases);
  const history = createHistory();
  const known = unlessUnreadable(() =>
    readLogged(scenario, elapsedMs, (second) => {
      totals.add(second);
      history.add(second);
    }),
  );
  if (known === undefined || !(known.statuses || known.times)) return undefined;
  const replayed = phases.filter((phase) => traceOf(phase) !== undefined);
  const recording = { phases: replayed, elapsedMs, run: totals.read() };
  return loggedFigures(recording, history.read(undefined), known.statuses);
}

/** The run has read the same file, so only its figures are missing. */
function unlessUnreadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/** Returns what the logs tell of the answers. */
function readLogged({ phases, fleet }: Scenario, elapsedMs: number, visit: (second: RecordedSecond) => void) {
  const seconds = createLoggedSeconds(fleet.agents, visit);
  const known = { statuses: false, times: false };
  for (const phase of phases) {
    const model = traceOf(phase);
    if (model === undefined) continue;
    const file = openLargeFile('trace', model.file);
    if (file.sizeBytes !== (model.sizeBytes ?? file.sizeBytes))
      throw new UserError(`The trace ${model.file} has changed.`);
    try {
      const feed = createTraceFeed(openTrace(file), traceStretch(model, phase), () => true);
      for (let dueMs = feed.nextDueMs(); dueMs < elapsedMs; dueMs = feed.nextDueMs()) {
        const row = feed.take();
        if (row === undefined) continue;
        known.statuses ||= row.status !== 0;
        known.times ||= row.responseMs >= 0;
        seconds.add(phase.name, dueMs, row);
      }
    } finally {
      file.close();
    }
  }
  seconds.end(elapsedMs);
  return known;
}

/**
 * Writes what the logs behind the traces of a scenario show as the results of a run, for comparisons. Its thresholds are judged, too.
 * @param path folder of these results, such as `incident-then`
 * @throws UserError if it is not writable, or a trace not readable
 */
export async function writeLogged(scenario: Scenario, environment: RunEnvironment, path: string): Promise<Summary> {
  const startedAt = startOf(scenario);
  const folder = openResultFolder({
    outDir: dirname(path),
    scenarioName: basename(path),
    seed: scenario.fleet.seed,
    startedAt,
    part: undefined,
    scenarioText: formatScenario(scenario),
    startOf: (runId): RunStart => {
      return { schemaVersion: RESULT_SCHEMA_VERSION, runId, startedAt: startedAt.toISOString(), environment };
    },
    factsOf: () => ({ events: [], hostTime: undefined }),
  });
  try {
    return await concluded(folder, scenario);
  } catch (error) {
    folder.discard();
    throw error;
  }
}

/** Written together. */
const WRITTEN_SECONDS = 60;

/** When the run would have started, so that its first row is at the time of the log. */
function startOf({ phases }: Scenario): Date {
  const first = phases.find((phase) => traceOf(phase) !== undefined);
  const model = first && traceOf(first);
  if (first === undefined || model === undefined) throw new Error('a scenario without a trace has no log');
  const file = openLargeFile('trace', model.file);
  try {
    return new Date((unixMsOf(openTrace(file).header.start) ?? 0) + model.fromMs - first.startMs);
  } finally {
    file.close();
  }
}

async function concluded(folder: ResultFolder, scenario: Scenario): Promise<Summary> {
  const elapsedMs = timelineEndMs(scenario.phases);
  const sums = createSums(scenario, folder.path);
  let unwritten: RecordedSecond[] = [];
  const write = (): void => {
    folder.append(unwritten);
    unwritten = [];
  };
  readLogged(scenario, elapsedMs, (second) => {
    sums.add(second);
    if (unwritten.push(second) === WRITTEN_SECONDS) write();
  });
  write();
  const end: RunEnd = {
    endedAt: new Date(Date.parse(folder.start.startedAt) + elapsedMs).toISOString(),
    elapsedMs,
    reasons: [],
    delivery: { observed: false, reason: 'a log shows what arrived, not what was sent' },
    responses: [],
    events: [],
  };
  return (await concludeFolder(folder, sums, end)).summary;
}
