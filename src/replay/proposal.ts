import { counted, exactSum, formatDuration, formatPercent } from '../base/kernel/units.ts';
import type { AgentNumbers } from './agents.ts';
import type { LogPhase } from './breaks.ts';
import type { LoggedLoad } from './logged-load.ts';

export type Proposal = {
  /** The file of the trace, relative to the scenario. */
  readonly trace: string;
  readonly startMs: number;
  readonly observed: LoggedLoad;
  readonly phases: readonly LogPhase[];
  readonly numbers: AgentNumbers;
  /** Whether the user said how many agents there are. */
  readonly isGiven: boolean;
  readonly speed: number;
};

const ENROLLED_PER_SECOND = 200;
/** What a good server may need more than in the quiet part of the log. */
const ALLOWANCE = 2;
const MIN_ERROR_SHARE = 0.001;

/** The text of a scenario that replays a trace, with a comment for each choice. */
export function proposedScenario(proposal: Proposal): string {
  const { observed, startMs } = proposal;
  const from = new Date(startMs).toISOString();
  const span = formatDuration(Math.ceil(observed.lastUs / 1e6) * 1000);
  return `# How does the server carry the load of ${from} again?
#
# Written by muster replay from an access log: ${observed.arrivals} requests in ${span}. Preview it: muster plan <this file>
# Run it:  muster run <this file>  Against your server:  --target https://host --allow host
description: Replays the requests of ${span} from ${from}.

target:
  # "embedded" answers everything well. To see how a server copes, choose one like that of the log.
  url: \${MUSTER_TARGET:-embedded}
  apiKey: \${MUSTER_API_KEY:-}
  allow: []

fleet:
  # ${agentsReason(proposal)}
  agents: ${proposal.numbers.agents}
  # ${payloadReason(observed.sizeClass)}
  payload: ${payloadOf(observed.sizeClass)}

phases:
${enrollment(proposal)}${proposal.phases.map((phase) => phaseText(phase, proposal)).join('\n')}
${thresholds(proposal)}`;
}

function agentsReason({ numbers, isGiven }: Proposal): string {
  const { addresses, shared, cadenceSeconds } = numbers;
  if (isGiven) return `As given with --agents; the log has ${counted(addresses, 'client address')}.`;
  if (shared === 0) return `One for each client address of the log.`;
  const by =
    cadenceSeconds === undefined
      ? 'from registrations alone, because the log shows no interval'
      : `from registrations, and from how often an interval of ${formatDuration(Math.round(cadenceSeconds * 1000))} has requests`;
  return `An estimate: there are several agents behind ${shared} of ${counted(addresses, 'client address')}, ${by}.`;
}

/** Size classes of documents of 200, 40 and 3 KB are 17, 15 and 11. */
function payloadOf(sizeClass: number): string {
  if (sizeClass === 0) return 'typical';
  if (sizeClass >= 17) return 'full';
  return sizeClass >= 13 ? 'typical' : 'lean';
}

function payloadReason(sizeClass: number): string {
  if (sizeClass === 0)
    return 'The log has no sizes of requests ($request_length), so this is a guess: full, typical or lean.';
  return `Half of the pushes of check data have at least ${2 ** sizeClass} bytes; full, typical or lean are about 200, 40 or 3 KB.`;
}

function enrollment({ numbers: { known, agents } }: Proposal): string {
  if (known === 0) return '';
  const others = known < agents ? '; the others register when they did in the log' : '';
  const over = formatDuration(Math.ceil(known / ENROLLED_PER_SECOND) * 1000);
  return `  # The log begins with agents that are registered${others}.
  - name: enroll
    exclude: true
    register: { over: ${over}, agents: ${known} }

`;
}

function phaseText({ name, fromUs, toUs, why }: LogPhase, { trace, observed, phases, speed }: Proposal): string {
  const { arrivals, errors, meanMs } = stretch(observed, fromUs, toUs);
  const seconds = (toUs - fromUs) / 1e6;
  const figures = [
    `${(arrivals / seconds).toFixed(1)} requests/s`,
    `${formatPercent(Math.round((1000 * errors) / Math.max(1, arrivals)) / 1000)} errors`,
    ...(meanMs === undefined ? [] : [`${meanMs.toFixed(0)} ms on average`]),
  ].join(', ');
  const reason = why === '' ? '' : ` From here on, ${why}.`;
  const isLast = toUs === phases.at(-1)?.toUs;
  const duration = isLast ? '' : `\n    duration: ${formatDuration(exactSum((toUs - fromUs) / 1000 / speed))}`;
  return `  # In the log: ${figures}.${reason}
  - name: ${name}${duration}
    load: { trace: ${JSON.stringify(trace)}${speed === 1 ? '' : `, speed: ${speed}`} }
`;
}

function stretch({ binUs, stretchOf, bins }: LoggedLoad, fromUs: number, toUs: number) {
  const from = Math.min(bins - 1, Math.round(fromUs / binUs));
  return stretchOf(from, Math.max(from + 1, Math.round(toUs / binUs)));
}

/** From the quiet part: what is before the incident, or all. */
function thresholds({ observed, phases: [quiet] }: Proposal): string {
  if (quiet === undefined) throw new Error('a log without phases');
  const { binUs, stretchOf, percentileMs } = observed;
  const to = Math.max(1, Math.round(quiet.toUs / binUs));
  const { arrivals, errors } = stretchOf(0, to);
  const share = Math.max(MIN_ERROR_SHARE, ALLOWANCE * (errors / Math.max(1, arrivals)));
  const p99 = percentileMs(0, to, 0.99);
  const where = quiet.name === 'before' ? 'before the incident' : 'in the log';
  // A threshold without data would fail.
  const [[operation] = ['checkdata']] = [...observed.operations].sort(([, a], [, b]) => b - a);
  const conditions = [
    ...(p99 === undefined ? [] : [`"p(99) < ${roundUp(ALLOWANCE * p99)}ms"`]),
    `"error_rate < ${formatPercent(Math.min(1, Number(share.toPrecision(2))))}"`,
  ];
  const times =
    p99 === undefined
      ? 'The log has no response times ($request_time), so there is no threshold for them.'
      : `99% of the answers took up to ${Number(p99.toPrecision(2))} ms ${where}; twice that is allowed.`;
  return `# A proposal. ${times}
# ${formatPercent(Number((errors / Math.max(1, arrivals)).toPrecision(2)))} of the requests failed ${where}; twice that is allowed, and at least 0.1%.
thresholds:
  ${operation}: [${conditions.join(', ')}]
`;
}

/** To two digits. */
function roundUp(value: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return Math.ceil(value / unit) * unit;
}
