import { timelineEndMs } from '../../load/timeline.ts';
import { recentActivity } from '../../metrics/merging/recent-activity.ts';
import type { TimelineFrame } from '../../metrics/merging/timeline.ts';
import { progressLine } from '../../report/progress-line.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import type { RunRequest } from '../flags/run.ts';
import type { Io } from '../io.ts';
import { canMoveCursor } from './palette-choice.ts';

/** Live words about a run on stderr: one line kept up to date on a terminal, a line now and then elsewhere. */
export type ProgressDisplay = {
  /** Seconds of the timeline that are complete. */
  advance(seconds: readonly TimelineFrame[]): void;
  /** What is done before the start; nobody who wants quiet is told. */
  preparing(text: string): void;
  /** A message between two lines. */
  note(text: string): void;
  end(): void;
};

const WINDOW_SECONDS = 3;
// A log wants to see that a run is alive, not its every second.
const LOG_EVERY_SECONDS = 5;
const WIDEST_LOG_LINE = 160;
const CLEAR_LINE = '\r\u001b[K';

export function createProgress(scenario: Scenario, request: RunRequest, { stderr, env }: Io): ProgressDisplay {
  if (request.quiet)
    return { advance: () => {}, preparing: () => {}, note: (text) => stderr.write(`${text}\n`), end: () => {} };
  const terminal = canMoveCursor(stderr, env);
  const totalMs = timelineEndMs(scenario.phases);
  let recent: readonly TimelineFrame[] = [];
  const line = (elapsedMs: number): string => {
    const phase = scenario.phases.findLast(({ startMs }) => startMs < elapsedMs);
    const name = elapsedMs < totalMs ? phase?.name : undefined;
    const columns = terminal ? (stderr.columns ?? 80) : WIDEST_LOG_LINE;
    return progressLine({ elapsedMs, totalMs, phase: name, activity: recentActivity(recent) }, columns);
  };
  if (terminal) stderr.write(line(0));
  else stderr.write(`${scenario.name}: ${line(0)}\n`);
  const note = (text: string) => stderr.write(terminal ? `${CLEAR_LINE}${text}\n` : `${text}\n`);
  return {
    advance: (seconds) => {
      const last = seconds.at(-1);
      if (last === undefined) return;
      recent = [...recent, ...seconds].slice(-WINDOW_SECONDS);
      const elapsedMs = (last.second + 1) * 1000;
      if (terminal) stderr.write(`${CLEAR_LINE}${line(elapsedMs)}`);
      else if ((last.second + 1) % LOG_EVERY_SECONDS === 0) stderr.write(`${scenario.name}: ${line(elapsedMs)}\n`);
    },
    preparing: note,
    note,
    end: () => {
      if (terminal) stderr.write(CLEAR_LINE);
    },
  };
}
