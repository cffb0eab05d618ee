import { UserError } from '../base/kernel/errors.ts';
import { timelineEndMs } from '../load/timeline.ts';
import { windowsOf } from '../metrics/judging/thresholds.ts';
import { isIncomplete } from '../metrics/judging/verdict.ts';
import { createRecordedTotals } from '../metrics/merging/run-totals.ts';
import type { RecordedSecond } from '../metrics/merging/timeline.ts';
import type { EventSummary } from '../metrics/summary/events.ts';
import { createHistory } from '../metrics/summary/history.ts';
import { lostOperations } from '../metrics/summary/summary.ts';
import type { Summary } from '../metrics/summary/summary-schema.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { type Conclusion, lastedMs, summaryOf, writeConclusion } from './conclusion.ts';
import { pointLatest, type ResultFolder } from './folder.ts';
import { type RunEnd, type RunStart, runEndSchema, runStartSchema } from './histogram-log.ts';
import { readResultScenario, readStart, readSummary } from './read.ts';
import { readRecording } from './recorded-seconds.ts';

/** Result of reading a results folder. */
export type Rebuilt =
  | ({ readonly kind: 'rebuilt' } & Conclusion)
  /** The log lacks the run's end, because the disk was full; the summary has it. */
  | { readonly kind: 'as_written'; readonly summary: Summary };

/**
 * Adds up a run's recorded seconds again. If the log lacks an end, the run was killed and is incomplete after its last whole second.
 * @throws UserError if the folder is not a result, was truncated or changed, or comes from another version.
 */
export async function rebuild(folder: string): Promise<Rebuilt> {
  const start = await readStart(folder);
  const written = readSummary(folder);
  const scenario = readResultScenario(folder);
  const names = new Set(scenario.phases.map(({ name }) => name));
  const sums = createSums(scenario, folder);
  const recording = readRecording(folder);
  let next = await recording.next();
  for (; !next.done; next = await recording.next()) {
    assertPhases(next.value, names, folder);
    sums.add(next.value);
  }
  if (next.value === undefined && written !== undefined && !isOfKilled(written))
    return { kind: 'as_written', summary: written };
  const end = next.value ?? killedEnd(scenario, start, sums.reached());
  return { kind: 'rebuilt', ...sums.conclude({ start, end }, next.value && lastedMs(start, end)) };
}

/** Adds up the recorded seconds of a run, in order. */
export function createSums(scenario: Scenario, folder: string) {
  const totals = createRecordedTotals(scenario.phases, windowsOf(scenario.thresholds));
  const history = createHistory();
  let seconds = 0;
  return {
    add(second: RecordedSecond): void {
      totals.add(second);
      history.add(second);
      seconds = Math.max(seconds, second.second + 1);
    },
    reached: (): Reached => ({ seconds, happened: totals.read().happened }),
    /** @param endMs as in `History`. @throws UserError if operations are missing in the counts */
    conclude(facts: { readonly start: RunStart; readonly end: RunEnd }, endMs: number | undefined): Conclusion {
      const { elapsedMs, reasons } = facts.end;
      const recording = { phases: scenario.phases, elapsedMs, run: totals.read() };
      const lost = isIncomplete(reasons) ? undefined : lostOperations(recording);
      if (lost !== undefined)
        throw new UserError(
          `${folder}: expected the counts of timeline.ndjson as written, but ${lost}; was it changed?`,
        );
      return { recording, history: history.read(endMs), summary: summaryOf(scenario, recording, facts) };
    },
  };
}

/** Ends results that no run has written: closes the logs, writes the conclusion, points the link to it. @throws UserError if writing fails */
export async function concludeFolder(
  folder: ResultFolder,
  sums: ReturnType<typeof createSums>,
  ended: RunEnd,
): Promise<Conclusion> {
  folder.close(ended);
  // Facts have their members in the order in which they are read back, so that a rebuilt summary has the same bytes.
  const [start, end] = [runStartSchema.parse(folder.start), runEndSchema.parse(ended)];
  const conclusion = sums.conclude({ start, end }, lastedMs(start, end));
  await writeConclusion(folder.path, conclusion);
  pointLatest(folder.path);
  return conclusion;
}

function assertPhases({ series }: RecordedSecond, names: ReadonlySet<string>, folder: string): void {
  const stranger = series.find(({ phase }) => !names.has(phase));
  if (stranger === undefined) return;
  throw new UserError(
    `${folder}: timeline.ndjson contains the phase ${stranger.phase}, which scenario.yaml does not have: ` +
      'the files are from different runs.',
  );
}

const KILLED = 'the run was killed or is still running: ';

/** Whether a summary was rebuilt from a log without an end, which may have grown since. */
function isOfKilled({ verdict }: Summary): boolean {
  return verdict.reasons.some(({ kind, text }) => kind === 'incomplete' && text.startsWith(KILLED));
}

/** How far a killed run got. */
type Reached = { readonly seconds: number; readonly happened: readonly EventSummary[] };

export function killedEnd(scenario: Scenario, start: RunStart, { seconds, happened }: Reached): RunEnd {
  const timelineMs = timelineEndMs(scenario.phases);
  const text = `${KILLED}it recorded ${seconds} s of ${Math.ceil(timelineMs / 1000)} s`;
  return {
    endedAt: new Date(Date.parse(start.startedAt) + seconds * 1000).toISOString(),
    elapsedMs: Math.min(seconds * 1000, timelineMs),
    reasons: [{ kind: 'incomplete', text }],
    delivery: { observed: false, reason: 'the run did not complete' },
    responses: [],
    events: [...happened],
    down: scenario.webServer && [],
  };
}
