import { printable } from '../../base/kernel/printable.ts';
import type { FleetEvent } from '../../load/events/event.ts';
import { hostTimeMs } from '../../load/host-clock.ts';
import { timelineEndMs } from '../../load/timeline.ts';
import { createRunWatch, type LiveFigures, type RecentActivity } from '../../metrics/merging/run-watch.ts';
import type { TimelineFrame } from '../../metrics/merging/timeline.ts';
import {
  droppedCount,
  failedCount,
  failuresOf,
  finishedCount,
  succeededCount,
  type Totals,
} from '../../metrics/merging/totals.ts';
import { percentileMs } from '../../metrics/recording/histogram.ts';
import { refusedCount } from '../../metrics/recording/listener-counts.ts';
import type { ListenerCounts } from '../../metrics/recording/schema.ts';
import { statesText, tallyText } from '../../report/figures.ts';
import {
  elapsedMsOf,
  isEndless,
  type LiveRun,
  liveView,
  unreachedText,
  wholeSecondsText,
} from '../../report/live/live-view.ts';
import { countText, latencyText, rateText, shareText } from '../../report/page/figures.ts';
import { machineCell, worstFirst } from '../../report/page/machines.ts';
import type { MachinesOfRun, Run, RunEvent } from '../../run/run.ts';
import { eventsInProgress } from '../../scenario/event-times.ts';
import type { Variables } from '../../scenario/reading/variables.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { displayTarget } from '../../scenario/server-urls.ts';
import type { RunRequest } from '../flags/run.ts';
import type { Io, TextSink } from '../io.ts';
import { canMoveCursor, paletteFor } from './page.ts';
import { createPane } from './pane.ts';

/** Shows what happens in a run, except its start and what is traced. */
export function showEvent(event: RunEvent, progress: Progress): void {
  if (event.kind === 'seconds') progress.advance(event.seconds);
  else if (event.kind === 'events') progress.happens(event.events);
  else if (event.kind === 'keys') progress.preparing(`generated key ${event.made} of ${event.of} for the agents`);
  else if (event.kind === 'warning') progress.note(`! ${printable(event.text)}`);
}

/** Stops a run at an interrupt, after operations in flight, and at the second one immediately. Returns a function that ends this. */
export function stopAtInterrupts(run: Pick<Run, 'send'>, { note }: Progress, { onInterrupt }: Io): () => void {
  let interrupts = 0;
  return onInterrupt(() => {
    note('stopping: waiting for operations in flight; interrupt again to stop immediately');
    run.send(++interrupts === 1 ? 'stop' : 'cancel');
  });
}

export type Progress = {
  /** Adds completed seconds of the timeline. */
  advance(seconds: readonly TimelineFrame[]): void;
  /** Replaces the events of the run. */
  happens(events: readonly FleetEvent[]): void;
  /** Shows a step before the start; hidden with --quiet. */
  preparing(text: string): void;
  note(text: string): void;
  end(): void;
};

type ProgressView = Pick<RunRequest, 'quiet'> & { readonly machines?: Pick<MachinesOfRun, 'present'> | undefined };

/** Shows a run on stderr: a live view on a terminal, otherwise a line at intervals. */
export function createProgress(
  scenario: Scenario,
  { quiet, machines }: ProgressView,
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
  const hostMs = hostClock && hostTimeMs(hostClock, Date.now() - elapsedMs, elapsedMs);
  return {
    name,
    target: displayTarget(target),
    totalMs,
    limits,
    figures,
    hostTime: hostMs === undefined ? undefined : new Date(hostMs).toISOString().slice(11, 16),
    phase: phase && { name: phase.name, number: index + 1, of: phases.length },
    // Events in the last second of the figures.
    events: eventsInProgress(events, Math.max(0, elapsedMs - 1)),
  };
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

/** One line of progress for a log, cut to `columns`, most important parts first. */
export function progressLine(run: LiveRun, columns: number): string {
  const { totalMs, phase, events, figures, hostTime } = run;
  const elapsed = wholeSecondsText(elapsedMsOf(run));
  const time = isEndless(run) ? `up ${elapsed}` : `${elapsed}/${wholeSecondsText(totalMs)}`;
  const name = phase?.name ?? (figures.elapsedSeconds === 0 ? 'starting' : 'finishing');
  const happening = events.map((event) => event.name).join(', ');
  const during = happening === '' ? name : `${name} (${happening})`;
  const clock = hostTime === undefined ? [] : [hostTime];
  const unreached = unreachedText(run) ?? [];
  const activity = activityParts(figures.recent, figures.listeners);
  const line = [time, ...clock, during, unreached, ...activity, ...slowestMachine(run.machines)].flat().join('  ');
  return line.length <= columns ? line : `${line.slice(0, Math.max(0, columns - 1))}…`;
}

/** The machine of a cluster that keeps up worst. */
function slowestMachine(machines: LiveRun['machines']): string[] {
  const [worst] = worstFirst(machines.filter(({ figures }) => figures?.schedulingDelayP99Ms !== undefined));
  return worst === undefined ? [] : [`slowest ${worst.name}, delay p99 ${machineCell(worst, 'scheduling delay p99')}`];
}

function activityParts(activity: RecentActivity | undefined, listeners: ListenerCounts): string[] {
  if (activity === undefined) return [];
  const { totals, seconds, inFlight, agents, listening, down } = activity;
  const [planned, achieved] = [totals.planned / seconds, succeededCount(totals) / seconds];
  const dropped = droppedCount(totals);
  const refused = refusedCount(listeners);
  const p99Ms = percentileMs(totals.histograms.response, 99);
  // Repeating the same rate adds nothing; a shortfall does.
  const isShort = achieved < planned * 0.95;
  return [
    `${rateText(achieved)}/s${isShort ? ` of ${rateText(planned)}/s` : ''}`,
    `p99 ${p99Ms === undefined ? '-' : latencyText(p99Ms)}`,
    `errors ${errorsText(totals)}`,
    dropped > 0 ? `dropped ${rateText(dropped / seconds)}/s` : '',
    `in flight ${countText(inFlight)}`,
    listening > 0 ? `${countText(listening)} listening` : '',
    down > 0 ? `${countText(down)} down` : '',
    refused > 0 ? `${countText(refused)} refused (${tallyText(listeners.refused)})` : '',
    listeners.unanswered > 0 ? `${countText(listeners.unanswered)} unanswered` : '',
    statesText(agents, listening),
  ].filter((part) => part !== '');
}

/** `2.1% (timeout 3)`: failures among finished operations, with the count of each outcome. */
function errorsText(totals: Totals): string {
  const [finished, failed] = [finishedCount(totals), failedCount(totals)];
  if (finished === 0) return '-';
  return `${shareText(failed / finished)}${failed > 0 ? ` (${tallyText(failuresOf(totals.outcomes))})` : ''}`;
}
