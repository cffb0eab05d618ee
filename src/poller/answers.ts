import type { Outcome } from '../metrics/recording/outcomes.ts';
import type { PullEnding } from '../protocol/pull.ts';

/** What counts as an answer to `GET /`, `GET /packages` and `GET /autotls`: 200, and JSON with this member. */
export type NeededMember = 'agent' | 'Stats' | 'csr';

/** The member's value where the answer is as it must be, or the outcome that it counts as. */
export type MemberRead =
  | { readonly kind: 'member'; readonly value: unknown }
  | { readonly kind: 'none'; readonly outcome: Outcome };

export function readMember(ending: PullEnding, name: NeededMember): MemberRead {
  const outcome = outcomeOf(ending);
  if (ending.kind !== 'answer' || outcome !== 'ok') return { kind: 'none', outcome };
  const value = memberOf(ending.body, name);
  return value === undefined || value === null
    ? { kind: 'none', outcome: 'unexpected_body' }
    : { kind: 'member', value };
}

/** Of an answer whose body does not matter. */
export function outcomeOf(ending: PullEnding): Outcome {
  if (ending.kind === 'failure') return ending.failure;
  return ending.status === 200 ? 'ok' : `http_${ending.status}`;
}

function memberOf(body: string, name: NeededMember): unknown {
  try {
    const document: unknown = JSON.parse(body);
    const isObject = typeof document === 'object' && document !== null && Object.hasOwn(document, name);
    return isObject ? (document as Readonly<Record<string, unknown>>)[name] : undefined;
  } catch {
    return undefined;
  }
}
