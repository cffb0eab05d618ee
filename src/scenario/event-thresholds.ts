import { DURATION_PATTERN, NUMBER_PATTERN } from '../ground/kernel/units.ts';
import { type Finding, oneOfText, onKey, onValue, type Path, quoted } from '../ground/notation/finding.ts';
import { ATTACK_ENDINGS, ATTACK_NAMES } from '../ground/protocol/attacks.ts';
import { timelineEndMs } from '../load/timeline.ts';
import { recoveriesOf, worstRecovery } from '../metrics/judging/recovery.ts';
import {
  type Condition,
  type MisbehaveThreshold,
  RECOVERY_FIGURES,
  type RecoveryThreshold,
} from '../metrics/judging/thresholds.ts';
import {
  CONDITION_FORM,
  conditionForm,
  countBound,
  durationBound,
  type Misreading,
  readBound,
  splitCondition,
} from './conditions.ts';
import { disturbancesOf } from './event-times.ts';
import type { Scenario } from './scenario.ts';

/** Subjects of conditions on events: attacks by misbehaving agents, and the recovery of the target. */
export const EVENT_SUBJECTS = ['misbehave', 'recovery'] as const;

type EventSubject =
  | { readonly kind: 'misbehave'; readonly how: string | undefined }
  | { readonly kind: 'recovery'; readonly event: string | undefined };

type EventThreshold = MisbehaveThreshold | RecoveryThreshold;

/** A condition on events without its subject. */
export type EventCondition = Omit<MisbehaveThreshold, 'how'> | Omit<RecoveryThreshold, 'event'>;

const SUBJECT = /^(misbehave|recovery)\s*(?:\{\s*(how|event):\s*([^{}]*?)\s*\})?$/;
const FORMS = {
  misbehave: `a condition such as accepted == 0; its figures are ${oneOfText(ATTACK_ENDINGS)}`,
  recovery: 'a condition such as time < 60s or herd < 3',
} as const;
const KEYS = { misbehave: 'misbehave or misbehave{how:name}', recovery: 'recovery{event:name}' } as const;

/** Parses a threshold's key, without checking the names in braces; `undefined` for a key of another kind. */
export function parseEventSubject(key: string): EventSubject | undefined {
  const [, kind, , name] = SUBJECT.exec(key.trim()) ?? [];
  if (kind === 'misbehave') return { kind, how: name };
  return kind === 'recovery' ? { kind, event: name } : undefined;
}

/** Parses `accepted == 0`, `time < 60s` and `herd < 3`; `undefined` for a statistic of another kind. */
export function parseEventCondition(written: string): EventCondition | Misreading | undefined {
  const parts = splitCondition(written);
  const ending = ATTACK_ENDINGS.find((figure) => figure === parts?.name);
  const figure = RECOVERY_FIGURES.find((candidate) => candidate === parts?.name);
  if (parts === undefined || (ending === undefined && figure === undefined)) return undefined;
  const bounded: Condition | Misreading = readBound(parts, figure === 'time' ? durationBound : countBound);
  if ('expected' in bounded) return bounded;
  if (ending !== undefined) return { kind: 'misbehave', figure: ending, ...bounded };
  return figure && { kind: 'recovery', figure, ...bounded };
}

/** The threshold of a key and one of its conditions. Throws if they do not match, which earlier checks rule out. */
export function eventThreshold(subject: EventSubject, condition: { readonly kind: string }): EventThreshold {
  const checked = condition as EventCondition;
  const how = ATTACK_NAMES.find((name) => subject.kind === 'misbehave' && name === subject.how);
  if (subject.kind === 'misbehave' && checked.kind === 'misbehave') return { ...checked, how };
  if (subject.kind === 'recovery' && checked.kind === 'recovery' && subject.event !== undefined)
    return { ...checked, event: subject.event };
  throw new Error(`the checks let a condition of ${checked.kind} on ${subject.kind} pass`);
}

/** Mistakes in a threshold's key about events. */
export function eventSubjectFindings(
  key: string,
  subject: EventSubject,
  events: readonly string[],
): readonly Finding[] {
  const at = (expected: string, found: string) => onKey(['thresholds', key], expected, found);
  const isOther = key.includes('{') && !key.includes(subject.kind === 'misbehave' ? 'how:' : 'event:');
  if (isOther || (subject.kind === 'recovery' && !subject.event)) return [at(KEYS[subject.kind], quoted(key))];
  if (subject.kind === 'recovery') {
    if (events.some((name) => name === subject.event)) return [];
    const known = events.length === 0 ? 'this scenario has none' : `this scenario has ${events.join(', ')}`;
    return [{ ...at(`the name of an event; ${known}`, quoted(subject.event ?? '')), candidates: events }];
  }
  if (subject.how === undefined || ATTACK_NAMES.some((name) => name === subject.how)) return [];
  return [{ ...at('a kind of attack', quoted(subject.how)), candidates: ATTACK_NAMES }];
}

/** Conditions under a key of another kind: `accepted == 0` on check data, `p(99) < 1s` on an event. */
export function misplacedConditions(key: string, conditions: unknown): readonly Finding[] {
  if (!Array.isArray(conditions)) return [];
  const wanted = parseEventSubject(key)?.kind;
  return conditions.flatMap((written: unknown, index) => {
    const path: Path = ['thresholds', key, index];
    const found = typeof written === 'string' ? parseEventCondition(written) : undefined;
    if (found !== undefined && 'expected' in found) return [];
    if (found?.kind === wanted) return [];
    const expected = wanted === undefined ? CONDITION_FORM : FORMS[wanted];
    return [onValue(path, expected, typeof written === 'string' ? quoted(written) : 'a condition with abort')];
  });
}

/** Recovery conditions that no run can evaluate, because an event has no undisturbed time before it or no time after it. */
export function unseenRecoveries(scenario: Scenario): readonly Finding[] {
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
    return onKey(['thresholds', `recovery{event:${event}}`], expected, quoted(event));
  });
}

const RECOVERY_KEY = String.raw`^\s*recovery\s*\{\s*event:[^{}]+\}\s*$`;

/** Keys and their conditions for the JSON Schema, by pattern. */
export const EVENT_PATTERNS = {
  [String.raw`^\s*misbehave\s*(\{\s*how:\s*(${ATTACK_NAMES.join('|')})\s*\})?\s*$`]: {
    title: 'misbehave{how:name}',
    description: 'Number of attacks with one ending, of one kind or of all; see docs/how-to/hostile-agents.md.',
    type: 'array',
    minItems: 1,
    items: conditionForm(ATTACK_ENDINGS.join('|'), NUMBER_PATTERN, {
      title: 'misbehave condition',
      description: 'A number of attacks that ended in one way, one of `<`, `<=`, `==`, `>=` and `>`, and a bound.',
      examples: ['accepted == 0', 'unanswered == 0'],
    }),
    examples: [['accepted == 0']],
  },
  [RECOVERY_KEY]: {
    title: 'recovery{event:name}',
    description: 'How the target recovers from an event, at its worst occurrence; see docs/explanation/measuring.md.',
    type: 'array',
    minItems: 1,
    items: {
      title: 'recovery condition',
      description: 'A figure, one of `<`, `<=`, `==`, `>=` and `>`, and a bound.',
      anyOf: [
        conditionForm('time', DURATION_PATTERN, {
          description:
            '`time`: from the end of the event, or the return of its agents, until the target works as before.',
          examples: ['time < 60s'],
        }),
        conditionForm('herd', NUMBER_PATTERN, {
          description: '`herd`: the most operations sent in one second, as a multiple of the mean before the event.',
          examples: ['herd < 3'],
        }),
      ],
    },
    examples: [['time < 60s', 'herd < 3']],
  },
};
