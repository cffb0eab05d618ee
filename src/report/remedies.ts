import type { MeasuredOperation } from '../base/protocol/operations.ts';
import { thresholdOutcome } from '../metrics/judging/thresholds.ts';
import type { Evidence } from '../metrics/recording/schema.ts';
import type { Summary } from '../metrics/summary/summary-schema.ts';
import { targetText, withoutQuery } from './figures.ts';
import table from './remedies.json' with { type: 'json' };

/** What a scenario says about the target and the passwords of its agents. */
export type Circumstances = {
  /** An API key is set. */
  readonly hasKey: boolean;
  /** `fleet.identities` keeps the passwords in a file. */
  readonly isKept: boolean;
};

/** A failure that has a usual cause, and what a user can do about it. The page lists rows in this order; the first that fits counts. */
export type Remedy = {
  /** Outcomes, in which `N` stands for any digit. */
  readonly outcomes: readonly string[];
  /** Left out: all operations. */
  readonly operations?: readonly MeasuredOperation[];
  /** The evidence contains one of these texts, in any case. Left out: whatever it contains. */
  readonly evidence?: readonly string[];
  readonly when?: Partial<Circumstances>;
  /** `{target}` stands for the base URL. */
  readonly cause: string;
  readonly remedy: string;
};

/** Sources: docs/reference/wire.md, the servers of openITCOCKPIT, and what proxies answer in their place. */
export const REMEDIES = table as readonly Remedy[];

type Failure = Pick<Evidence, 'operation' | 'reason' | 'head' | 'body'> & { readonly outcome: string };

/** What usually helps against a failure; `undefined` if nothing is to be done. */
export function remedyOf(
  { operation, outcome, reason = '', head = '', body = '' }: Failure,
  circumstances: Circumstances,
): Remedy | undefined {
  const seen = [reason, head, body].join('\n').toLowerCase();
  return REMEDIES.find(
    ({ outcomes, operations, evidence, when = {} }) =>
      outcomes.some((pattern) => isLike(outcome, pattern)) &&
      (operations?.includes(operation) ?? true) &&
      (evidence?.some((text) => seen.includes(text.toLowerCase())) ?? true) &&
      Object.entries(when).every(([name, value]) => circumstances[name as keyof Circumstances] === value),
  );
}

/** A cause or remedy for this target. */
export function atTarget(text: string, target: string): string {
  return text.replaceAll('{target}', target);
}

function isLike(outcome: string, pattern: string): boolean {
  const isDigit = (index: number): boolean => pattern[index] === 'N' && /\d/.test(outcome[index] ?? '');
  return (
    outcome.length === pattern.length && [...outcome].every((one, index) => one === pattern[index] || isDigit(index))
  );
}

const WAS_TOO_BUSY =
  'this machine had too little time for the run: run it again when other programs are idle (muster doctor shows what they use), or with fewer agents';

/** What helps a busy machine, and against the failures, in their order, each once. The embedded server fails only as its scenario asks. */
export function remediesOf({ evidence, scenario, verdict, thresholds, phases }: Ended): readonly string[] {
  const { target, fleet } = scenario as Readonly<
    Partial<Record<'target' | 'fleet', Readonly<Record<string, unknown>>>>
  >;
  const circumstances = {
    hasKey: (target?.apiKey ?? '') !== '',
    isKept: (fleet?.identities ?? 'ephemeral') !== 'ephemeral',
  };
  const firsts = firstOfEach(evidence);
  const isForgotten = firsts.some(({ operation, outcome }) => operation === 'authorize' && outcome === 'http_404');
  const failures = firsts
    .filter(({ outcome }) => target?.url !== 'embedded' || OF_MACHINE.includes(outcome))
    // Its pushes fail because the server has forgotten the agent.
    .filter(({ outcome }) => !isForgotten || outcome !== 'http_400');
  const base = targetText(target, withoutQuery) ?? 'the target';
  const known = failures.flatMap((one) => {
    const remedy = remedyOf(one, circumstances);
    return remedy === undefined ? [] : [atTarget(`${remedy.cause}: ${remedy.remedy}`, base)];
  });
  // Then the machines had time, but no contact.
  const isCutOff = phases.some(({ operations }) =>
    operations.some(({ dropReasons }) => (dropReasons.no_lease ?? 0) > 0),
  );
  const isUnjudged = thresholds.some((result) => thresholdOutcome(result) === 'unjudged');
  const isBusy = isUnjudged && !isCutOff && verdict.kind !== 'unreachable';
  return [...(isBusy ? [WAS_TOO_BUSY] : []), ...new Set(known)];
}

type Ended = Pick<Summary, 'evidence' | 'scenario' | 'verdict' | 'thresholds' | 'phases'>;

/** Failures that neither a server nor its scenario causes. */
const OF_MACHINE: readonly string[] = ['no_file_descriptor', 'no_local_port'];

/** First failure of each operation and outcome, in order of arrival. */
export function firstOfEach(evidence: readonly Evidence[]): readonly Evidence[] {
  return [...Map.groupBy(evidence, ({ operation, outcome }) => `${operation} ${outcome}`).values()].flatMap(
    ([first]) => first ?? [],
  );
}
