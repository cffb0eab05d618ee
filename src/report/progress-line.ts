import { formatDuration } from '../kernel/units.ts';
import type { Activity } from '../metrics/merging/recent-activity.ts';
import { countText, latencyText, rateText, shareText } from './figures.ts';

export type Progress = {
  readonly elapsedMs: number;
  readonly totalMs: number;
  /** Undefined before the first and after the last phase. */
  readonly phase: string | undefined;
  /** Of the last few seconds; undefined until the first one is over. */
  readonly activity: Activity | undefined;
};

/** One line of live progress, cut to `columns`; what matters most stands first. */
export function progressLine({ elapsedMs, totalMs, phase, activity }: Progress, columns: number): string {
  const time = `${wholeSeconds(Math.min(elapsedMs, totalMs))}/${wholeSeconds(totalMs)}`;
  const parts = [time, phase ?? (elapsedMs < totalMs ? 'starting' : 'finishing'), ...activityParts(activity)];
  const line = parts.join('  ');
  return line.length <= columns ? line : `${line.slice(0, Math.max(0, columns - 1))}…`;
}

function activityParts(activity: Activity | undefined): string[] {
  if (activity === undefined) return [];
  const { plannedPerSecond, startedPerSecond, droppedPerSecond, responseP99Ms, errorShare } = activity;
  const { inFlight, agents, listening, down } = activity;
  // Agents that listen and have not registered may be there to be asked alone.
  const isAsked = listening > 0;
  // The same rate twice says nothing; a shortfall does.
  const isShort = startedPerSecond < plannedPerSecond * 0.95;
  const states = Object.entries(agents).filter(([state, count]) => count > 0 && !(isAsked && state === 'unregistered'));
  return [
    `${rateText(startedPerSecond)}/s${isShort ? ` of ${rateText(plannedPerSecond)}/s` : ''}`,
    `p99 ${responseP99Ms === undefined ? '-' : latencyText(responseP99Ms)}`,
    `errors ${errorShare === undefined ? '-' : shareText(errorShare)}`,
    droppedPerSecond > 0 ? `dropped ${rateText(droppedPerSecond)}/s` : '',
    `in flight ${countText(inFlight)}`,
    listening > 0 ? `${countText(listening)} listening` : '',
    down > 0 ? `${countText(down)} down` : '',
    states.map(([state, count]) => `${countText(count)} ${state}`).join(', '),
  ].filter((part) => part !== '');
}

function wholeSeconds(milliseconds: number): string {
  return formatDuration(Math.floor(milliseconds / 1000) * 1000);
}
