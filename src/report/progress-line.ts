import type { RecentActivity } from '../metrics/merging/run-watch.ts';
import {
  droppedCount,
  failedCount,
  failuresOf,
  finishedCount,
  succeededCount,
  type Totals,
} from '../metrics/merging/totals.ts';
import { percentileMs } from '../metrics/recording/histogram.ts';
import { refusedCount } from '../metrics/recording/listener-counts.ts';
import type { ListenerCounts } from '../metrics/recording/schema.ts';
import { statesText, tallyText } from './figures.ts';
import { elapsedMsOf, isEndless, type LiveRun, unreachedText, wholeSecondsText } from './live/live-view.ts';
import { countText, latencyText, rateText, shareText } from './page/figures.ts';
import { machineCells, worstFirst } from './page/machines.ts';

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
  return worst === undefined ? [] : [`slowest ${worst.name}, delay p99 ${machineCells(worst)[1]}`];
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
