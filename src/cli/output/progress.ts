import { timelineEndMs } from '../../load/timeline.ts';
import type { LiveFigures } from '../../metrics/merging/run-watch.ts';
import type { LiveRun } from '../../report/live/live-run.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import type { RunRequest } from '../flags/run.ts';
import type { Io } from '../io.ts';
import { createLiveDisplay } from './live-display.ts';
import { canMoveCursor } from './palette-choice.ts';
import type { ProgressDisplay } from './progress-display.ts';
import { createProgressLog } from './progress-log.ts';

/** Live words about a run on stderr: a view in its place on a terminal, a line now and then elsewhere. */
export function createProgress(
  scenario: Scenario,
  { quiet }: Pick<RunRequest, 'quiet'>,
  { stderr, env }: Pick<Io, 'stderr' | 'env'>,
): ProgressDisplay {
  if (quiet)
    return { advance: () => {}, preparing: () => {}, note: (text) => stderr.write(`${text}\n`), end: () => {} };
  const runOf = (figures: LiveFigures) => liveRun(scenario, figures);
  return canMoveCursor(stderr, env) ? createLiveDisplay(runOf, stderr, env) : createProgressLog(runOf, stderr);
}

function liveRun({ name, phases, validity: limits }: Scenario, figures: LiveFigures): LiveRun {
  const totalMs = timelineEndMs(phases);
  const elapsedMs = figures.elapsedSeconds * 1000;
  const index = elapsedMs < totalMs ? phases.findLastIndex(({ startMs }) => startMs < elapsedMs) : -1;
  const phase = phases[index];
  return { name, totalMs, limits, phase: phase && { name: phase.name, number: index + 1, of: phases.length }, figures };
}
