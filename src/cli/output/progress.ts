import { hostTimeMs } from '../../load/host-clock.ts';
import { timelineEndMs } from '../../load/timeline.ts';
import { createRunWatch, type LiveFigures } from '../../metrics/merging/run-watch.ts';
import type { TimelineFrame } from '../../metrics/merging/timeline.ts';
import { type LiveRun, liveView } from '../../report/live/live-view.ts';
import { progressLine } from '../../report/progress-line.ts';
import type { MachinesOfRun } from '../../run/run.ts';
import { shownTarget } from '../../scenario/base-urls.ts';
import { eventsInProgress } from '../../scenario/event-times.ts';
import type { Variables } from '../../scenario/reading/variables.ts';
import type { Scenario, ScenarioEvent } from '../../scenario/scenario.ts';
import type { RunRequest } from '../flags/run.ts';
import type { Io, TextSink } from '../io.ts';
import { canMoveCursor, paletteFor } from './page.ts';
import { createPane } from './pane.ts';

/** Progress of a run. */
export type Progress = {
  /** Adds completed seconds of the timeline. */
  advance(seconds: readonly TimelineFrame[]): void;
  /** Replaces the events of the run. */
  happens(events: readonly ScenarioEvent[]): void;
  /** Shows a step before the start; hidden with --quiet. */
  preparing(text: string): void;
  /** Prints a permanent message. */
  note(text: string): void;
  end(): void;
};

type ShownRun = Pick<RunRequest, 'quiet'> & { readonly machines?: Pick<MachinesOfRun, 'present'> | undefined };

/** Shows a run on stderr: a live view on a terminal, otherwise a line at intervals. */
export function createProgress(
  scenario: Scenario,
  { quiet, machines }: ShownRun,
  { stderr, env }: Pick<Io, 'stderr' | 'env'>,
): Progress {
  if (quiet) {
    const note = (text: string) => stderr.write(`${text}\n`);
    return { advance: () => {}, happens: () => {}, preparing: () => {}, note, end: () => {} };
  }
  let { events } = scenario;
  const runOf = (figures: LiveFigures): LiveRun => ({
    ...liveRun({ ...scenario, events }, figures),
    machines: machines?.present() ?? [],
  });
  const everySeconds = Number.isFinite(timelineEndMs(scenario.phases)) ? EVERY_SECONDS : ENDLESS_EVERY_SECONDS;
  const display = canMoveCursor(stderr, env)
    ? liveDisplay(runOf, stderr, env)
    : progressLog(runOf, everySeconds, stderr);
  return {
    ...display,
    happens: (changed) => {
      events = changed;
    },
  };
}

function liveRun(
  { name, target, phases, events, validity: limits, hostClock }: Scenario,
  figures: LiveFigures,
): Omit<LiveRun, 'machines'> {
  const totalMs = timelineEndMs(phases);
  const elapsedMs = figures.elapsedSeconds * 1000;
  const index = elapsedMs < totalMs ? phases.findLastIndex(({ startMs }) => startMs < elapsedMs) : -1;
  const phase = phases[index];
  return {
    ...{ name, target: shownTarget(target), totalMs, limits, figures },
    hostTime: hostClock && timeOfDay(hostTimeMs(hostClock, Date.now() - elapsedMs, elapsedMs)),
    phase: phase && { name: phase.name, number: index + 1, of: phases.length },
    // Events in the last second of the figures.
    events: eventsInProgress(events, Math.max(0, elapsedMs - 1)),
  };
}

function timeOfDay(unixMs: number): string {
  return new Date(unixMs).toISOString().slice(11, 16);
}

// Short enough to show the current state, long enough for stable percentiles.
const WINDOW_SECONDS = 3;

/** A view at the bottom of the terminal, redrawn every second and when the terminal is resized. */
function liveDisplay(
  runOf: (figures: LiveFigures) => LiveRun,
  terminal: TextSink,
  env: Variables,
): Omit<Progress, 'happens'> {
  const watch = createRunWatch(WINDOW_SECONDS);
  const palette = paletteFor(terminal, env);
  const pane = createPane(terminal, (room) => liveView(runOf(watch.read()), { ...palette, ...room }));
  return {
    advance: (seconds) => {
      watch.add(seconds);
      pane.redraw();
    },
    preparing: pane.print,
    note: pane.print,
    end: pane.close,
  };
}

// In a log, a line every few seconds suffices. Each line covers the time since the previous one.
const EVERY_SECONDS = 10;
const ENDLESS_EVERY_SECONDS = 60;
const WIDEST_LINE = 160;

function progressLog(
  runOf: (figures: LiveFigures) => LiveRun,
  everySeconds: number,
  sink: TextSink,
): Omit<Progress, 'happens'> {
  const watch = createRunWatch(everySeconds);
  const write = () => {
    const run = runOf(watch.read());
    sink.write(`${run.name}: ${progressLine(run, WIDEST_LINE)}\n`);
  };
  const note = (text: string) => sink.write(`${text}\n`);
  write();
  return {
    advance: (seconds) => {
      for (const frame of seconds) {
        watch.add([frame]);
        if ((frame.second + 1) % everySeconds === 0) write();
      }
    },
    preparing: note,
    note,
    end: () => {},
  };
}
