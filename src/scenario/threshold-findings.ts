import { formatDuration } from '../base/kernel/units.ts';
import { type Finding, keyFinding, oneOfText, type Path, quoted, valueFinding } from '../base/notation/finding.ts';
import { valueAtPath } from '../base/notation/schema-findings.ts';
import { ATTACK_NAMES } from '../base/protocol/attacks.ts';
import { isOperation, isPullOperation, isServedOperation, MEASURED_OPERATIONS } from '../base/protocol/operations.ts';
import { hasArrivals } from '../load/arrivals.ts';
import { type Load, type Phase, timelineEndMs } from '../load/timeline.ts';
import { recoveriesOf, worstRecovery } from '../metrics/judging/recovery.ts';
import { type ThresholdKind, traitsOf } from '../metrics/judging/statistics.ts';
import { type OperationThreshold, thresholdSubject } from '../metrics/judging/thresholds.ts';
import { durationOf } from '../metrics/merging/phases.ts';
import { arrivalFactsOf } from './agents.ts';
import { cohortNames, type PartialCohorts } from './cohorts.ts';
import {
  kindOf,
  type Mistake,
  NOTATIONS,
  type ParsedCondition,
  parseCondition,
  parseSubject,
  type Subject,
} from './conditions.ts';
import { eventNames, type PartialEvents } from './event-findings.ts';
import { disturbancesOf } from './event-times.ts';
import { readCohort } from './events.ts';
import { keysOfPhases, namesText, phaseNames, plannedBy } from './phase-findings.ts';
import type { Scenario } from './scenario.ts';
import { WHOLE_RUN } from './thresholds.ts';
import type { WebServerFile } from './web-server.ts';

type PartialThresholds = PartialEvents & PartialCohorts & { readonly webServer?: Partial<WebServerFile> };

/** Malformed conditions, and keys whose subject does not exist, or whose operation nothing in the file leads to. */
export function thresholdFindings(file: PartialThresholds, raw: unknown): readonly Finding[] {
  const thresholds = valueAtPath(raw, ['thresholds']);
  if (typeof thresholds !== 'object' || thresholds === null || Array.isArray(thresholds)) return [];
  return Object.entries(thresholds).flatMap(([key, conditions]: [string, unknown]) => {
    const path = ['thresholds', key];
    const list: readonly unknown[] = Array.isArray(conditions) ? conditions : [];
    const ofConditions = list.flatMap((written, index) => conditionFindings(key, written, [...path, index]));
    const ofKey = keyMistakes(key, file, raw).map((mistake) => findingAt(path, 'key', mistake));
    return [...ofConditions, ...ofKey];
  });
}

/** What is wrong with a condition under this key, except what its schema reports. */
function conditionFindings(key: string, written: unknown, path: Path): readonly Finding[] {
  const kind = kindOf(key);
  const aborting = valueAtPath(written, ['condition']);
  const aborts = typeof aborting === 'string';
  const text = aborts ? aborting : written;
  const isReported = WHOLE_RUN.some((one) => one === kind) && (aborts || key !== kind);
  if (typeof text !== 'string' || isReported) return [];
  if (aborts && kind !== 'operation') return [valueFinding(path, NOTATIONS[kind].form, 'a condition with abort')];
  const mistake = conditionMistake(kind, text, aborts);
  return mistake === undefined ? [] : [findingAt(aborts ? [...path, 'condition'] : path, 'value', mistake)];
}

function findingAt(path: Path, focus: Finding['focus'], { expected, found, candidates = [] }: Mistake): Finding {
  return { path, focus, expected, found, candidates };
}

const FAILS_EARLY = 'a condition that can fail before the end, such as p(99) < 1s; this count still grows';

function conditionMistake(kind: ThresholdKind, text: string, aborts: boolean): Mistake | undefined {
  const isOfEvents = (['misbehave', 'recovery'] as const).some((other) => !('expected' in parseCondition(other, text)));
  // A figure of attacks or recoveries is no misspelled statistic.
  if (kind === 'operation' && !aborts && isOfEvents) return { expected: NOTATIONS.operation.form, found: quoted(text) };
  const read = parseCondition(kind, text);
  if ('expected' in read) return read;
  const failsLate = aborts && read.kind === 'operation' && !canFailEarly(read);
  return failsLate ? { expected: FAILS_EARLY, found: quoted(text.trim()) } : undefined;
}

/** Whether a condition can fail before the end: it cannot if its count still grows. */
function canFailEarly({ statistic, comparator }: ParsedCondition<'operation'>): boolean {
  const grows = traitsOf(statistic).unit === 'operations';
  return !grows || ['<', '<='].includes(comparator) || (statistic.kind === 'dropped' && comparator === '==');
}

function keyMistakes(key: string, file: PartialThresholds, raw: unknown): readonly Mistake[] {
  const subject = parseSubject(key);
  if ('expected' in subject) return [subject];
  const unknown = unknownNames(subject, file);
  return unknown.length > 0
    ? unknown
    : [...unplannedOperation(subject, file, raw), ...disabledOperation(subject, file, raw)];
}

const SUBJECTS = [...MEASURED_OPERATIONS, 'delivery', 'listeners', 'misbehave', 'recovery'];
const ANY_SUBJECT = `an operation, ${oneOfText(MEASURED_OPERATIONS)}, delivery, listeners, misbehave or recovery`;

/** Names in a key that this scenario does not have. */
function unknownNames({ kind, name, phase, event, how, cohort }: Subject, file: PartialThresholds): readonly Mistake[] {
  const [phases, events, cohorts] = [phaseNames(file), eventNames(file), cohortNames(file)];
  return [
    ...(kind === 'operation' ? unlessAmong(SUBJECTS, name, ANY_SUBJECT) : []),
    ...unlessAmong(phases, phase, `the name of a phase; ${namesText(phases)}`),
    ...unlessAmong(events, event, `the name of an event; ${namesText(events)}`),
    ...unlessAmong(ATTACK_NAMES, how, 'a kind of attack'),
    ...(cohort?.includes('=')
      ? invalidFact(cohort)
      : unlessAmong(cohorts, cohort, `the name of a cohort; ${namesText(cohorts)}`)),
  ];
}

function unlessAmong(candidates: readonly string[], name: string | undefined, expected: string): readonly Mistake[] {
  return name === undefined || candidates.includes(name) ? [] : [{ expected, found: quoted(name), candidates }];
}

/** A fact whose value no agent can have. */
function invalidFact(cohort: string): readonly Mistake[] {
  const read = readCohort(cohort);
  return read.kind === 'cohort' ? [] : [read.mistake];
}

/** An operation that no phase plans, so that it would never have data. */
function unplannedOperation(
  { name: operation, phase, event }: Subject,
  { phases = [] }: PartialThresholds,
  raw: unknown,
): readonly Mistake[] {
  if (!isOperation(operation)) return [];
  const keys = keysOfPhases(raw);
  const among = phases.flatMap((other, index) => {
    const isCounted = event !== undefined || other?.exclude !== true;
    const counts = phase === undefined ? isCounted : other?.name === phase;
    return counts ? [plannedBy(keys[index] ?? [])] : [];
  });
  if (among.length === 0 || among.some((operations) => operations.includes(operation))) return [];
  const where = phase === undefined ? 'a phase that is not excluded' : `the phase ${phase}`;
  const planned = [...new Set(among.flat())];
  const expected = `an operation that ${where} plans, ${planned.length === 0 ? 'but it plans none' : oneOfText(planned)}`;
  return [{ expected, found: quoted(operation) }];
}

/** Requests to agents, or polls, in a scenario without the section that enables them. */
function disabledOperation({ name }: Subject, { webServer }: PartialThresholds, raw: unknown): readonly Mistake[] {
  const missing = enablingSections(name).find((path) => valueAtPath(raw, path) === undefined);
  const isWithoutTls = name === 'exchange' && webServer?.autoTls === false;
  const needed = missing?.join('.') ?? (isWithoutTls ? 'webServer.autoTls: true' : undefined);
  if (needed === undefined) return [];
  const subject = name === 'listeners' ? 'listening agents' : 'an operation of this scenario';
  return [{ expected: `${subject}; ${name} needs ${needed}`, found: quoted(name) }];
}

/** The sections that an operation needs; none for those that phases plan. */
function enablingSections(operation: string): readonly Path[] {
  if (isServedOperation(operation) || operation === 'listeners') return [['webServer']];
  if (!isPullOperation(operation)) return [];
  const ofPolls = [['webServer'], ['target', 'pull']];
  return operation === 'configure' ? [...ofPolls, ['target', 'pull', 'config']] : ofPolls;
}

const LASTING_EVENT = 'an event that lasts; an instantaneous event needs over:, the time over which it hits its agents';

/** Thresholds without data: nothing becomes due in their phases, their event has no duration, or its recovery cannot be seen. */
export function idleThresholds(scenario: Scenario): readonly Finding[] {
  const fleet = arrivalFactsOf(scenario);
  const idle = scenario.thresholds.flatMap((threshold) => {
    if (threshold.kind !== 'operation' || !isOperation(threshold.operation)) return [];
    const { operation, event, spans = [] } = threshold;
    const path = ['thresholds', thresholdSubject(threshold)];
    if (event !== undefined)
      return spans.some(({ fromMs, toMs }) => fromMs < toMs) ? [] : [keyFinding(path, LASTING_EVENT, quoted(event))];
    const why = whyNeverDue(threshold, scenario.phases, fleet);
    const expected = `an operation that occurs in its phase; ${why}`;
    return why === undefined ? [] : [keyFinding(path, expected, quoted(operation))];
  });
  return [...idle, ...unobservableRecoveries(scenario)];
}

/** Why no operation becomes due in any of its phases; `undefined` if one does, or no load leads to it. */
function whyNeverDue(
  { operation, phase }: OperationThreshold,
  phases: readonly Phase[],
  fleet: ReturnType<typeof arrivalFactsOf>,
): string | undefined {
  const loads = judgedPhases(phase, phases)
    .flatMap((phase) => phase.loads.map((load) => ({ phase, load })))
    .filter(({ load }) => plannedBy([load.operation]).some((planned) => planned === operation));
  const isDue = loads.some(({ phase, load }) => hasArrivals(load, fleet, phase));
  return isDue || loads.length === 0 ? undefined : loads.map(({ phase, load }) => lateText(phase, load)).join(', ');
}

/** The phases that a threshold on an operation judges: the one that it names, or all counted ones. */
function judgedPhases(named: string | undefined, phases: readonly Phase[]): readonly Phase[] {
  return phases.filter(({ name, excluded }) => (named === undefined ? !excluded : name === named));
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

/** Recovery conditions that no run can evaluate, because an event has no undisturbed time before it or no time after it. */
function unobservableRecoveries(scenario: Scenario): readonly Finding[] {
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

/** Conditions with `abort` that apply only after the run has ended. */
export function idleStops({ thresholds, phases }: Pick<Scenario, 'thresholds' | 'phases'>): readonly Finding[] {
  return thresholds.flatMap((threshold) => {
    if (threshold.kind !== 'operation' || threshold.abortAfterMs === undefined) return [];
    const { operation, phase, spans, abortAfterMs } = threshold;
    const scope = judgedPhases(phase, phases);
    const driven = scope.filter(({ loads }) => loads.some((load) => load.operation === operation));
    const phasesMs = (driven.length === 0 ? scope : driven).reduce((sum, { durationMs }) => sum + durationMs, 0);
    const lastsMs = spans === undefined ? phasesMs : durationOf({ spans }, timelineEndMs(phases));
    if (scope.length === 0 || abortAfterMs < lastsMs) return [];
    const subject = thresholdSubject(threshold);
    const alike = thresholds.filter((other) => thresholdSubject(other) === subject);
    const path = ['thresholds', subject, alike.indexOf(threshold), 'after'];
    const expected = `less than the ${formatDuration(lastsMs)} that ${subject} runs; a longer time can never end the run`;
    return [valueFinding(path, expected, formatDuration(abortAfterMs))];
  });
}
