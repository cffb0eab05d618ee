import { formatDuration } from '../base/kernel/units.ts';
import { type Finding, keyFinding, oneOfText, type Path, quoted, valueFinding } from '../base/notation/finding.ts';
import { valueAtPath } from '../base/notation/schema-findings.ts';
import { ATTACK_NAMES } from '../base/protocol/attacks.ts';
import {
  isMeasuredOperation,
  isOperation,
  isPullOperation,
  isServedOperation,
  MEASURED_OPERATIONS,
  type PullOperation,
} from '../base/protocol/operations.ts';
import { hasArrivals } from '../load/arrivals.ts';
import { type Load, type Phase, timelineEndMs } from '../load/timeline.ts';
import { recoveriesOf, worstRecovery } from '../metrics/judging/recovery.ts';
import { traitsOf } from '../metrics/judging/statistics.ts';
import { type Threshold, thresholdSubject } from '../metrics/judging/thresholds.ts';
import { durationOf } from '../metrics/merging/phases.ts';
import { arrivalFactsOf } from './agents.ts';
import { cohortNames, type PartialCohorts } from './cohorts.ts';
import {
  kindOf,
  NOTATIONS,
  type ParsedCondition,
  parseCondition,
  parseSubject,
  type Subject,
  type SubjectParts,
} from './conditions.ts';
import { eventNames, type PartialEvents } from './event-findings.ts';
import { disturbancesOf } from './event-times.ts';
import { readCohort } from './events.ts';
import { keysOfPhases, phaseNames, phasesText, plannedBy } from './phase-findings.ts';
import type { Scenario } from './scenario.ts';
import { WHOLE_RUN } from './thresholds.ts';
import type { WebServerFile } from './web-server.ts';

/** Conditions with `abort` that apply only after the run has ended. */
export function idleStops({ thresholds, phases }: Pick<Scenario, 'thresholds' | 'phases'>): readonly Finding[] {
  return thresholds.flatMap((threshold) => {
    if (threshold.kind !== 'operation' || threshold.abortAfterMs === undefined) return [];
    const { operation, phase, spans, abortAfterMs } = threshold;
    const scope = phases.filter(({ name, excluded }) => (phase === undefined ? !excluded : name === phase));
    const driven = scope.filter(({ loads }) => loads.some((load) => load.operation === operation));
    const phasesMs = (driven.length === 0 ? scope : driven).reduce((sum, { durationMs }) => sum + durationMs, 0);
    const lastsMs = spans === undefined ? phasesMs : durationOf({ spans }, timelineEndMs(phases));
    if (scope.length === 0 || abortAfterMs < lastsMs) return [];
    const subject = thresholdSubject(threshold);
    const of = thresholds.filter((other) => thresholdSubject(other) === subject);
    const path = ['thresholds', subject, of.indexOf(threshold), 'after'];
    const expected = `less than the ${formatDuration(lastsMs)} that ${subject} runs; a longer time can never end the run`;
    return [valueFinding(path, expected, formatDuration(abortAfterMs))];
  });
}

type PartialThresholds = PartialEvents & PartialCohorts & { readonly webServer?: Partial<WebServerFile> };

/** Malformed conditions, and thresholds whose subject does not exist, or that no phase plans. */
export function thresholdFindings(file: PartialThresholds, raw: unknown): readonly Finding[] {
  const thresholds = valueAtPath(raw, ['thresholds']);
  if (typeof thresholds !== 'object' || thresholds === null || Array.isArray(thresholds)) return [];
  return Object.entries(thresholds).flatMap(([key, conditions]: [string, unknown]) => {
    const misread = Array.isArray(conditions)
      ? conditions.flatMap((written, index) => conditionFindings(key, written, ['thresholds', key, index]))
      : [];
    const subject = parseSubject(key);
    const path = ['thresholds', key];
    if ('expected' in subject) return [...misread, keyFinding(path, subject.expected, subject.found)];
    const unknown = unknownNames(subject, file);
    const strange =
      unknown.length > 0 ? unknown : [...idleSubject(subject, file, raw), ...neverDone(subject, file, raw)];
    return [...misread, ...strange.map((finding) => ({ ...finding, path }))];
  });
}

/** What is wrong with a condition under this key, except what its schema reports. */
function conditionFindings(key: string, written: unknown, path: Path): readonly Finding[] {
  const kind = kindOf(key);
  const stop = valueAtPath(written, ['condition']);
  const isStop = typeof stop === 'string';
  const text = isStop ? stop : written;
  const isOfWholeRun = WHOLE_RUN.some((one) => one === kind);
  if (typeof text !== 'string' || (isOfWholeRun && (isStop || key !== kind))) return [];
  if (isStop && kind !== 'operation') return [valueFinding(path, NOTATIONS[kind].form, 'a condition with abort')];
  const at = isStop ? [...path, 'condition'] : path;
  const isOfEvents = (['misbehave', 'recovery'] as const).some((other) => !('expected' in parseCondition(other, text)));
  if (kind === 'operation' && !isStop && isOfEvents) return [valueFinding(at, NOTATIONS.operation.form, quoted(text))];
  const read = parseCondition(kind, text);
  if ('expected' in read)
    return [{ ...valueFinding(at, read.expected, read.found), candidates: read.candidates ?? [] }];
  return isStop && read.kind === 'operation' && !canFailEarly(read)
    ? [valueFinding(at, EARLY, quoted(text.trim()))]
    : [];
}

const EARLY = 'a condition that can fail before the end, such as p(99) < 1s; this count still grows';

/** Whether a condition can fail before the end: it cannot if its count still grows. */
function canFailEarly({ statistic, comparator }: ParsedCondition<'operation'>): boolean {
  const grows = traitsOf(statistic).unit === 'operations';
  return !grows || ['<', '<='].includes(comparator) || (statistic.kind === 'dropped' && comparator === '==');
}

/** Thresholds on requests to agents, or on polls, in a scenario without a web server or `target.pull`. */
function neverDone({ name: operation }: Subject, { webServer }: PartialThresholds, raw: unknown): readonly Finding[] {
  const missing = meansOf(operation)
    .find((path) => valueAtPath(raw, path) === undefined)
    ?.join('.');
  const means = missing ?? (operation === 'exchange' && webServer?.autoTls === false ? AUTO_TLS : undefined);
  if (means === undefined) return [];
  const subject = operation === 'listeners' ? 'listening agents' : 'an operation of this scenario';
  return [keyFinding([], `${subject}; ${operation} needs ${means}`, quoted(operation))];
}

/** The keys that enable an operation. */
function meansOf(operation: string): readonly Path[] {
  if (isServedOperation(operation) || operation === 'listeners') return [WEB_SERVER];
  return isPullOperation(operation) ? [WEB_SERVER, PULL, ...(FURTHER_MEANS[operation] ?? [])] : [];
}

const WEB_SERVER = ['webServer'];
const PULL = ['target', 'pull'];
const AUTO_TLS = 'webServer.autoTls: true';

const FURTHER_MEANS: Readonly<Partial<Record<PullOperation, readonly Path[]>>> = {
  configure: [['target', 'pull', 'config']],
};

/** A threshold on an operation that no phase plans would never have data. */
function idleSubject(
  { name: operation, phase, event }: Subject,
  { phases = [] }: PartialThresholds,
  raw: unknown,
): readonly Finding[] {
  if (!isOperation(operation)) return [];
  const keys = keysOfPhases(raw).map((loads = []) => loads);
  const among = phases.flatMap((other, index) => {
    const isCounted = event !== undefined || other?.exclude !== true;
    const counts = phase === undefined ? isCounted : other?.name === phase;
    return counts ? [plannedBy(keys[index] ?? [])] : [];
  });
  if (among.length === 0 || among.some((operations) => operations.includes(operation))) return [];
  const where = phase === undefined ? 'a phase that is not excluded' : `the phase ${phase}`;
  const planned = [...new Set(among.flat())];
  const expected = `an operation that ${where} plans, ${planned.length === 0 ? 'but it plans none' : oneOfText(planned)}`;
  return [keyFinding([], expected, quoted(operation))];
}

/** Thresholds without data: the first operation would be due after the end of its phases. */
export function idleThresholds(scenario: Scenario): readonly Finding[] {
  const { thresholds, phases } = scenario;
  const fleet = arrivalFactsOf(scenario);
  const idle = thresholds.flatMap((threshold) => {
    if (threshold.kind !== 'operation' || !isOperation(threshold.operation)) return [];
    const { operation, phase: only, event, spans = [] } = threshold;
    if (event !== undefined)
      return spans.some(({ fromMs, toMs }) => fromMs < toMs) ? [] : [momentary(threshold, event)];
    const loads = phases
      .filter(({ name, excluded }) => (only === undefined ? !excluded : name === only))
      .flatMap((phase) => phase.loads.filter((load) => isFor(operation, load)).map((load) => ({ phase, load })));
    if (loads.length === 0 || loads.some(({ phase, load }) => hasArrivals(load, fleet, phase))) return [];
    const late = loads.map(({ phase, load }) => lateText(phase, load)).join(', ');
    const expected = `an operation that occurs in its phase; ${late}`;
    return [keyFinding(['thresholds', thresholdSubject(threshold)], expected, quoted(operation))];
  });
  return [...idle, ...unseenRecoveries(scenario)];
}

function momentary(threshold: Threshold, event: string): Finding {
  const expected = 'an event that lasts; an instantaneous event needs over:, the time over which it hits its agents';
  return keyFinding(['thresholds', thresholdSubject(threshold)], expected, quoted(event));
}

function isFor(operation: string, load: Load): boolean {
  return plannedBy([load.operation]).some((planned) => planned === operation);
}

function lateText({ name, durationMs }: Phase, { operation, model }: Load): string {
  const lasts = `${name} lasts ${formatDuration(durationMs)}`;
  if (model.kind === 'cadence' && model.standing) {
    const everyText = formatDuration(model.everyMs);
    return `${lasts}, and no agent is due for ${operation} (every ${everyText}) in it: extend the phase, or set first`;
  }
  const { firstMs, spreadMs } = model.kind === 'cadence' ? model : { firstMs: 0, spreadMs: 0 };
  const first = `the first ${operation} of an agent is due ${formatDuration(firstMs)} after its start`;
  const spread = firstMs < durationMs ? `, and agents start over ${formatDuration(spreadMs)}` : '';
  return `${lasts}, and ${first}${spread}: extend the phase, or shorten first`;
}

/** Names in a key that this scenario does not have. */
function unknownNames({ kind, name, ...parts }: Subject, file: PartialThresholds): readonly Finding[] {
  const [phases, events, cohorts] = [phaseNames(file), eventNames(file), cohortNames(file)];
  const known: { readonly [Part in keyof SubjectParts]-?: readonly [form: string, names: readonly string[]] } = {
    phase: [`the name of a phase; ${phasesText(phases)}`, phases],
    event: [`the name of an event; this scenario has ${events.join(', ') || 'none'}`, events],
    how: ['a kind of attack', ATTACK_NAMES],
    cohort: [`the name of a cohort; this scenario has ${cohorts.join(', ') || 'none'}`, cohorts],
  };
  const isUnknown = kind === 'operation' && !isMeasuredOperation(name);
  const operation = isUnknown ? [{ ...keyFinding([], ANY_SUBJECT, quoted(name)), candidates: SUBJECTS }] : [];
  const others = (['phase', 'event', 'how', 'cohort'] as const).flatMap((part) => {
    const [[expected, candidates], value] = [known[part], parts[part]];
    if (part === 'cohort' && value?.includes('=')) return invalidFact(value);
    const isKnown = value === undefined || candidates.includes(value);
    return isKnown ? [] : [{ ...keyFinding([], expected, quoted(value)), candidates }];
  });
  return [...operation, ...others];
}

/** A fact whose value no agent can have. */
function invalidFact(cohort: string): readonly Finding[] {
  const read = readCohort(cohort);
  if (read.kind === 'cohort') return [];
  const { expected, found, candidates } = read.mistake;
  return [{ ...keyFinding([], expected, found), candidates }];
}

const SUBJECTS = [...MEASURED_OPERATIONS, 'delivery', 'listeners', 'misbehave', 'recovery'];
const ANY_SUBJECT = `an operation, ${oneOfText(MEASURED_OPERATIONS)}, delivery, listeners, misbehave or recovery`;

/** Recovery conditions that no run can evaluate, because an event has no undisturbed time before it or no time after it. */
function unseenRecoveries(scenario: Scenario): readonly Finding[] {
  const { thresholds, phases } = scenario;
  const wanted = thresholds.flatMap((threshold) => (threshold.kind === 'recovery' ? [threshold] : []));
  const endMs = timelineEndMs(phases);
  if (wanted.length === 0 || !Number.isFinite(endMs)) return [];
  const steady = Array.from({ length: Math.floor(endMs / 1000) }, (_, second) => {
    const all = { due: [1], arrivals: 1, succeeded: 1, ended: 1 };
    return { second, ...all, inFlight: 0, leastInFlight: 0, p99Ms: undefined, delayP99Ms: 0 };
  });
  const best = recoveriesOf(steady, phases, disturbancesOf(scenario));
  const unseen = wanted.flatMap(({ event, figure }) => {
    const { timeMs, herd, unobserved = '' } = worstRecovery(best, event);
    return (figure === 'time' ? timeMs : herd) === undefined ? [[event, unobserved] as const] : [];
  });
  return [...new Map(unseen)].map(([event, unobserved]) => {
    const expected = `an event that leaves time before and after it in its phase; ${event} would always report: ${unobserved}`;
    return keyFinding(['thresholds', `recovery{event:${event}}`], expected, quoted(event));
  });
}
