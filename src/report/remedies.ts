import type { MeasuredOperation } from '../base/protocol/operations.ts';
import type { Evidence } from '../metrics/recording/schema.ts';
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
