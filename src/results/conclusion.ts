import { createWriteStream, renameSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { partOf, removePart, wholeLines } from '../base/storage/whole-files.ts';
import { groupCounts } from '../hosts/groups.ts';
import { cohortText } from '../load/cohorts/cohort.ts';
import { hostTimeMs } from '../load/host-clock.ts';
import { isInShard, type Shard, shareOf, WHOLE_FLEET } from '../load/shard.ts';
import type { Recording } from '../metrics/merging/measurement.ts';
import type { History } from '../metrics/summary/history.ts';
import { profileSummaries, responseDistributions, spectraOf, summarize } from '../metrics/summary/summary.ts';
import type { Summary } from '../metrics/summary/summary-schema.ts';
import { readAssets } from '../report/html/assets.ts';
import { reportPage } from '../report/html/page.ts';
import { segmentsIn } from '../scenario/cohort-members.ts';
import { disturbancesOf } from '../scenario/event-times.ts';
import { plainScenario } from '../scenario/file.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { notWritten, RESULT_FILES, writeResultFile } from './folder.ts';
import type { RunEnd, RunStart } from './histogram-log.ts';
import type { TimelineRow } from './timeline.ts';
import { CSV_HEADER, csvLines } from './timeline-csv.ts';

/** Conclusion of a run: the same at its end and when its folder is read. */
export type Conclusion = { readonly summary: Summary; readonly recording: Recording; readonly history: History };

/** From a run's start to the end of its last answer. */
export function lastedMs(start: RunStart, end: RunEnd): number {
  return Date.parse(end.endedAt) - Date.parse(start.startedAt);
}

/** Summary of a run: the same at its end and from its files. Throws like `summarize`. */
export function summaryOf(
  scenario: Scenario,
  recording: Recording,
  { start, end }: { readonly start: RunStart; readonly end: RunEnd },
): Summary {
  const started = start.shard === undefined ? WHOLE_FLEET : { index: start.shard.number - 1, count: start.shard.of };
  return summarize(recording, {
    ...start,
    ...end,
    startedAt: new Date(start.startedAt),
    endedAt: new Date(end.endedAt),
    hostClock: hostClockOf(scenario, start),
    down: end.down?.map(({ host, reason }) => ({ host, reason })),
    scenarioName: scenario.name,
    seed: scenario.fleet.seed,
    thresholds: scenario.thresholds,
    limits: scenario.validity,
    disturbances: disturbancesOf(scenario),
    profiles: profileSummaries(
      groupCounts(scenario.fleet, (agent) => isInShard(started, agent)),
      end.responses,
    ),
    cohorts: cohortCounts(scenario, started),
    scenario: plainScenario(scenario),
  });
}

/** The cohorts, with their agents in the shard. */
function cohortCounts(scenario: Scenario, shard: Shard) {
  const { list, of } = segmentsIn(scenario, shard) ?? { list: [], of: () => 0 };
  const agents = new Map<string, number>();
  for (let n = 0; n < shareOf(shard, scenario.fleet.agents); n++)
    for (const name of list[of(n)] ?? []) agents.set(name, (agents.get(name) ?? 0) + 1);
  return scenario.cohorts.map(({ name, cohort }) => {
    return { name, cohort: cohortText(cohort), agents: agents.get(name) ?? 0 };
  });
}

function hostClockOf({ hostClock }: Scenario, { startedAt }: RunStart): Summary['hostClock'] {
  if (hostClock === undefined) return undefined;
  const hostMs = hostTimeMs(hostClock, Date.parse(startedAt), 0);
  return { factor: hostClock.factor, startedAt: new Date(hostMs).toISOString() };
}

/** Calls what may fail, and notes the error. */
export function attempts(note: (error: unknown) => void) {
  return (write: () => void): void => {
    try {
      write();
    } catch (error) {
      note(error);
    }
  };
}

/**
 * Writes the files of an ended run, each completely or not at all: the report, the timeline as a table, percentile distributions,
 * and finally the summary. A file that cannot be written does not prevent the others.
 * @throws UserError the first error, if a file cannot be written.
 */
export async function writeConclusion(folder: string, { summary, recording, history }: Conclusion): Promise<void> {
  const spectra = spectraOf(recording);
  const failures: unknown[] = [];
  const note = (error: unknown): void => void failures.push(error);
  const attempt = attempts(note);
  attempt(() => writeResultFile(folder, RESULT_FILES.report, reportPage({ summary, history, spectra }, readAssets())));
  await writeTimelineTable(folder, new Date(summary.startedAt)).catch(note);
  for (const [operation, text] of responseDistributions(recording))
    attempt(() => writeResultFile(folder, `${operation}.hgrm`, text));
  attempt(() => writeResultFile(folder, RESULT_FILES.summary, `${JSON.stringify(summary, undefined, 2)}\n`));
  if (failures.length > 0) throw failures[0];
}

/** Reads `timeline.ndjson` line by line, so memory does not depend on the length of the run. */
async function writeTimelineTable(folder: string, startedAt: Date): Promise<void> {
  const part = partOf(join(folder, RESULT_FILES.table));
  removePart(part);
  try {
    await pipeline(tableOf(join(folder, RESULT_FILES.timeline), startedAt), createWriteStream(part, { flags: 'wx' }));
    renameSync(part, join(folder, RESULT_FILES.table));
  } catch (error) {
    removePart(part);
    throw notWritten(error, folder);
  }
}

async function* tableOf(timeline: string, startedAt: Date): AsyncGenerator<string, undefined> {
  yield `${CSV_HEADER}\n`;
  for await (const { text } of wholeLines(timeline)) {
    yield csvLines(JSON.parse(text) as TimelineRow, startedAt.getTime());
  }
}
