import stringWidth from 'string-width';
import type { ValidityLimits } from '../../metrics/judging/validity.ts';
import type { LiveFigures, RecentActivity } from '../../metrics/merging/run-watch.ts';
import { failedCount, finishedCount, succeededCount, type Totals } from '../../metrics/merging/totals.ts';
import { maxMs, percentileMs } from '../../metrics/recording/histogram.ts';
import { countText, latencyText, shareText } from '../figures.ts';
import { labelledParts, type Screen } from './screen.ts';
import { sparkline } from './sparkline.ts';

const GAP = '  ';
const LEAST_SPARKLINE_COLUMNS = 6;

/** Where the agents stand, in the order of their life, and what is under way. */
export function agentsLine({ agents, listening, down, inFlight }: RecentActivity, screen: Screen): string {
  // Agents that listen and have not registered may be there to be asked alone.
  const isAsked = listening > 0;
  const states = Object.entries(agents).filter(([state, count]) => count > 0 && !(isAsked && state === 'unregistered'));
  const parts = [
    states.map(([state, count]) => `${countText(count)} ${state}`).join(', '),
    down > 0 ? screen.bad(`${countText(down)} down`) : '',
    listening > 0 ? `${countText(listening)} listening` : '',
    `${countText(inFlight)} in flight`,
  ];
  return labelledParts('agents', parts, screen);
}

/** Response times of the last seconds, and how their p99 went. */
export function responseLine(
  { totals, seconds }: RecentActivity,
  { responseP99sMs }: LiveFigures,
  screen: Screen,
): string {
  const isOfFailures = failedCount(totals) > 0 && succeededCount(totals) === 0;
  const parts = [...percentiles(totals), isOfFailures ? screen.caution('of failures alone') : ''];
  const known = finishedCount(totals) > 0 ? parts : [`nothing finished in ${seconds} s`];
  const line = labelledParts('response', known, screen);
  return `${line}${history(responseP99sMs, screen.columns - stringWidth(line), screen)}`;
}

function percentiles({ histograms: { response } }: Totals): string[] {
  const figures = { p50: percentileMs(response, 50), p99: percentileMs(response, 99), max: maxMs(response) };
  return Object.entries(figures).map(([name, ms]) => `${name} ${ms === undefined ? '-' : latencyText(ms)}`);
}

/** The p99 of as many seconds as there is room for, and of how many where there is room for that, too. */
function history(p99sMs: LiveFigures['responseP99sMs'], columns: number, { faint }: Screen): string {
  const room = columns - GAP.length;
  const label = ` p99, ${p99sMs.length} s`;
  if (room < LEAST_SPARKLINE_COLUMNS || p99sMs.every((ms) => ms === undefined)) return '';
  if (room < LEAST_SPARKLINE_COLUMNS + label.length) return `${GAP}${sparkline(p99sMs.slice(-room))}`;
  const shown = p99sMs.slice(label.length - room);
  return `${GAP}${sparkline(shown)}${faint(` p99, ${shown.length} s`)}`;
}

/** Whether the generator keeps up, by the measures that make a run invalid or bring a warning. */
export function generatorLine(
  { totals, busiestLoopUtilisation }: RecentActivity,
  limits: ValidityLimits,
  screen: Screen,
): string {
  const delayMs = percentileMs(totals.histograms.delay, 99);
  return labelledParts(
    'generator',
    [delayText(delayMs, limits, screen), busyText(busiestLoopUtilisation, limits, screen)],
    screen,
  );
}

function delayText(p99Ms: number | undefined, { schedulingDelayMs: limitMs }: ValidityLimits, { bad }: Screen): string {
  if (p99Ms === undefined) return '';
  const text = `scheduling delay p99 ${latencyText(p99Ms)}`;
  return p99Ms > limitMs ? bad(`${text}, limit ${latencyText(limitMs)}`) : text;
}

function busyText(utilisation: number | undefined, { busyShare }: ValidityLimits, { caution }: Screen): string {
  if (utilisation === undefined) return '';
  const text = `busiest worker ${shareText(utilisation)}`;
  return utilisation > busyShare ? caution(`${text}, no reserve`) : text;
}
