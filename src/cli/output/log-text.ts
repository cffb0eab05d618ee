import { counted, formatDuration } from '../../base/kernel/units.ts';
import { OPERATIONS } from '../../base/protocol/operations.ts';
import type { AgentNumbers } from '../../replay/agents.ts';
import type { LogCounts } from '../../replay/log-lines.ts';
import type { LoggedLoad } from '../../replay/logged-load.ts';
import { exactCount, utcText } from '../../report/page/figures.ts';
import { tableLines } from './table.ts';

export type ReadLog = {
  readonly files: number;
  readonly startMs: number;
  readonly counts: LogCounts;
  readonly observed: LoggedLoad;
  readonly numbers: AgentNumbers;
  /** Whether the user said how many agents there are. */
  readonly isGiven: boolean;
};

export function replayLines(log: ReadLog, columns: number | undefined): readonly string[] {
  const { counts, observed, startMs, files } = log;
  const { arrivals, operations, statuses, busiest, silences, lastUs } = observed;
  const timeText = (us: number): string => utcText(new Date(startMs + us / 1000).toISOString());
  const clockTime = (us: number): string => timeText(us).slice(11, 19);
  const spanUs = Math.max(1e6, lastUs);
  const byOperation = OPERATIONS.map((operation) => [operation, operations.get(operation) ?? 0] as const);
  const silent = silences.map(({ fromUs, toUs }) => `${secondsText(toUs - fromUs)} from ${clockTime(fromUs)}`);
  const rows = [
    ['read', `${counted(counts.lines, 'line', exactCount(counts.lines))} of ${counted(files, 'log')}`],
    ['span', `${timeText(0)} to ${timeText(lastUs)}, ${formatDuration(Math.round(lastUs / 1e6) * 1000)}`],
    ['agents', agentsText(log)],
    ['requests', `${exactCount(arrivals)}: ${listed(byOperation)}`],
    ['answers', listed([...statuses].sort(([a], [b]) => a - b).map(([status, count]) => [status || 'unknown', count]))],
    [
      'busiest',
      `${counted(busiest.arrivals, 'request', exactCount(busiest.arrivals))} in the second from ${clockTime(busiest.second * 1e6)}; on average ${((arrivals * 1e6) / spanUs).toFixed(1)}/s`,
    ],
    ['silent', silent.length === 0 ? 'never for long' : silent.join(', ')],
    ['times', timesText(counts)],
    ['clock', clockText(counts)],
    ['left out', leftOutText(counts)],
  ];
  return tableLines(rows, columns);
}

function listed(counts: readonly (readonly [name: string | number | undefined, count: number])[]): string {
  const present = counts.filter(([, count]) => count > 0);
  return present.map(([name, count]) => `${name} ${exactCount(count)}`).join(', ');
}

function secondsText(us: number): string {
  return formatDuration(Math.round(us / 1000));
}

function agentsText({ numbers, isGiven }: ReadLog): string {
  const { agents, known, addresses, shared, cadenceSeconds } = numbers;
  const fresh = agents - known;
  const introduced = fresh === 0 ? '' : `, ${exactCount(fresh)} of them new`;
  if (isGiven)
    return `${exactCount(agents)}, as given${introduced}; ${counted(addresses, 'client address', exactCount(addresses))}`;
  if (shared === 0) return `${exactCount(agents)}${introduced}, one for each client address`;
  const interval =
    cadenceSeconds === undefined
      ? 'no interval is visible'
      : `the interval is ${formatDuration(Math.round(cadenceSeconds * 1000))}`;
  return `${exactCount(agents)}${introduced}: an estimate, with several behind ${exactCount(shared)} of ${counted(addresses, 'client address', exactCount(addresses))} (${interval}); correct it with --agents`;
}

function timesText({ hasWholeSeconds, hasDurations, lacksDurations, zones }: LogCounts): string {
  const precision = hasWholeSeconds
    ? 'whole seconds; requests are distributed evenly over theirs'
    : 'fractions of a second';
  const some = lacksDurations ? 'some with response times' : 'with response times';
  const durations = hasDurations ? some : 'no response times';
  const sorted = [...zones].sort(([, a], [, b]) => a - b);
  const [, ...later] = sorted;
  const names = sorted.map(([minutes]) => (minutes === undefined ? 'none named, taken as UTC' : zoneText(minutes)));
  const changes = later.map(([, us]) => utcText(new Date(us / 1000).toISOString()));
  const saving = changes.length === 0 ? '' : ` (changed at ${changes.join(', ')}, as for daylight saving)`;
  return `${precision}; ${durations}; time zone ${names.join(', ')}${saving}`;
}

function zoneText(minutes: number): string {
  const size = Math.abs(minutes);
  const [hours, rest] = [Math.floor(size / 60), size % 60].map((value) => String(value).padStart(2, '0'));
  return `${minutes < 0 ? '-' : '+'}${hours}:${rest}`;
}

function clockText({ stepsBack, longestStepUs, firstStep }: LogCounts): string {
  if (firstStep === undefined) return 'no time is earlier than the one before';
  const where = `${firstStep.file}:${firstStep.line}`;
  return `${counted(stepsBack, 'step')} back by up to ${secondsText(longestStepUs)}, first at ${where}; requests are placed by their times, so what a clock repeated overlaps`;
}

function leftOutText({ others, strange, firstStrange }: LogCounts): string {
  const examples = firstStrange.map(({ file, line, why }) => `${file}:${line}, ${why}`).join('; ');
  const parts = [
    others > 0 && counted(others, 'other request', exactCount(others)),
    strange > 0 && `${counted(strange, 'line', exactCount(strange))} not understood: ${examples}`,
  ];
  return parts.filter((part) => part !== false).join('; ') || 'nothing';
}
