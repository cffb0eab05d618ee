import { counted } from '../../base/kernel/units.ts';
import type { Health, HealthKind, HealthReading, HealthState } from '../../metrics/recording/health-reading.ts';
import { atTarget, remedyOf } from '../../report/remedies.ts';
import { baseUrlsOf, displayUrl } from '../../scenario/server-urls.ts';
import type { ControlledFleet } from '../fleet/fleet.ts';
import type { AgentSummary, HealthAnswer, HealthKindAnswer } from './schemas.ts';

/** States that need the attention of an operator, and how they are said of agents. */
const PROBLEMS: Readonly<Partial<Record<HealthState, readonly [one: string, more: string]>>> = {
  refused: ['is not accepted', 'are not accepted'],
  unreachable: ['does not reach the server', 'do not reach the server'],
  late: ['is late', 'are late'],
  unregistered: ['is not registered', 'are not registered'],
};

/** The health of the whole fleet, and the place of each kind of the reading among the kinds of the answer. */
export function fleetHealth(
  { kinds }: HealthReading,
  { times, scenario }: Pick<ControlledFleet, 'times' | 'scenario'>,
): HealthAnswer & { readonly places: readonly number[] } {
  const startMs = times()?.startedAt.getTime() ?? 0;
  const order = kinds.map((_, code) => code).sort((a, b) => weightOf(kinds[b]) - weightOf(kinds[a]));
  const answers = order.map((code) => kindAnswer(kinds[code] as HealthKind, startMs));
  const total = kinds.reduce((sum, { agents }) => sum + agents, 0);
  const target = baseUrlsOf(scenario.target).map(displayUrl).join(', ');
  const [worst] = answers;
  const isWell = worst === undefined || PROBLEMS[worst.state] === undefined;
  return {
    sentence: isWell
      ? wellSentence(answers, total)
      : problemSentence(worst, { total, target, hasKey: scenario.target.apiKey !== '' }),
    isWell,
    kinds: answers,
    places: kinds.map((_, code) => order.indexOf(code)),
  };
}

/** Problems before others, larger ones before smaller ones; of equal ones, the first in `PROBLEMS`. */
function weightOf(kind: HealthKind | undefined): number {
  if (kind === undefined) return 0;
  const rank = Object.keys(PROBLEMS).indexOf(kind.state);
  return rank < 0 ? kind.agents : kind.agents * 2 ** 32 - rank;
}

export function agentHealthAnswer({ state, outcome }: Health): AgentSummary['health'] {
  return { state, label: labelOf(state, outcome) };
}

function kindAnswer(
  { state, operation, outcome, reason, agents, sinceMs }: HealthKind,
  startMs: number,
): HealthKindAnswer {
  const [, status] = /^http_(\d+)$/.exec(outcome ?? '') ?? [];
  return {
    state,
    agents,
    label: labelOf(state, outcome),
    operation: operation ?? null,
    outcome: outcome ?? null,
    reason: reason ?? null,
    status: status === undefined ? null : Number(status),
    since: sinceMs === undefined ? null : new Date(startMs + sinceMs).toISOString(),
  };
}

/** `refused 400`, `unreachable (timeout)`, `not registered` */
function labelOf(state: HealthState, outcome: string | undefined): string {
  if (state === 'unregistered') return outcome === undefined ? 'not registered' : `not registered (${outcome})`;
  if (outcome === undefined) return state;
  return outcome.startsWith('http_') ? `${state} ${outcome.slice(5)}` : `${state} (${outcome.replaceAll('_', ' ')})`;
}

function wellSentence(kinds: readonly HealthKindAnswer[], total: number): string {
  const reporting = kinds.find(({ state }) => state === 'reporting')?.agents ?? 0;
  if (reporting === total) return `All ${counted(total, 'agent')} ${total === 1 ? 'reports' : 'report'}.`;
  const others = kinds.filter(({ state }) => state !== 'reporting').map(({ agents, label }) => `${agents} ${label}`);
  return `${reporting} of ${counted(total, 'agent')} ${reporting === 1 ? 'reports' : 'report'}; ${others.join(', ')}.`;
}

function problemSentence(worst: HealthKindAnswer, { total, ...place }: Place & { readonly total: number }): string {
  const { state, agents, since, reason, status, outcome } = worst;
  const said = PROBLEMS[state]?.[agents === 1 ? 0 : 1];
  const quote = reason === null ? '' : ` "${reason}"`;
  const answer = status === null ? `: ${(outcome ?? '').replaceAll('_', ' ')}${quote}` : `: HTTP ${status}${quote}`;
  const why = outcome === null ? '' : answer;
  const from = since === null ? '' : ` since ${minuteOf(since)}`;
  return `${agents} of ${total} ${said}${why}${from}; ${remedyFor(worst, place)}.`;
}

/** The minute, with the day if it is not today. */
function minuteOf(instant: string): string {
  const isToday = instant.slice(0, 10) === new Date().toISOString().slice(0, 10);
  return `${isToday ? '' : `${instant.slice(0, 10)} `}${instant.slice(11, 16)} UTC`;
}

type Place = { readonly target: string; readonly hasKey: boolean };

function remedyFor(kind: HealthKindAnswer, place: Place): string {
  switch (kind.state) {
    case 'refused':
    case 'unreachable':
      return refusedRemedy(kind, place);
    case 'late':
      return 'check whether the server answers, and whether this machine keeps up (muster ctl figures)';
    default:
      return 'they register in the phase for it or with their next push; admit them on the server if it asks for that';
  }
}

/** A running fleet can do more than a run that ended: its agents can register again. */
function refusedRemedy({ operation, outcome, status, reason }: HealthKindAnswer, { target, hasKey }: Place): string {
  if (operation === 'register' && status === 403 && !/csrf (cookie|token)/i.test(reason ?? ''))
    return 'the server has other passwords for their UUIDs: if the fleet was killed while they registered, delete them on the server, and they register again; if they are of another fleet with this seed: choose another fleet.seed, or restore the identity file of this fleet';
  if (!operation?.startsWith('serve-') && (status === 400 || status === 404))
    return 'assign them to hosts on the server, or, after muster cleanup or its reset, use muster ctl do register-again';
  const failure = operation !== null && outcome !== null ? { operation, outcome, reason: reason ?? '' } : undefined;
  const remedy = failure && remedyOf(failure, { hasKey, isKept: true });
  return remedy === undefined
    ? 'read the log of the server; muster ctl agent shows the last request and answer of one agent'
    : atTarget(remedy.remedy, target);
}
