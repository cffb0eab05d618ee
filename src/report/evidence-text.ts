import { formatDuration } from '../kernel/units.ts';
import type { Evidence } from '../metrics/recording/evidence.ts';

/** Who saw it, and when: `agent 7 at 2.3s`. */
export function witnessText({ agent, atMs }: Pick<Evidence, 'agent' | 'atMs'>): string {
  return `agent ${agent} at ${formatDuration(Math.round(atMs))}`;
}

/** What was seen, on one line: why it failed, or the status line and the body. */
export function seenText({ reason, head, body }: Pick<Evidence, 'reason' | 'head' | 'body'>): string {
  const [statusLine = ''] = (head ?? '').split('\n', 1);
  const parts = [reason ?? '', statusLine, (body ?? '').replaceAll(/\s+/g, ' ').trim()];
  return parts.filter((part) => part !== '').join(' · ');
}

/** The first of each operation and outcome, in the order in which they came up. */
export function firstOfEach(evidence: readonly Evidence[]): readonly Evidence[] {
  return [...Map.groupBy(evidence, ({ operation, outcome }) => `${operation} ${outcome}`).values()].flatMap(
    ([first]) => first ?? [],
  );
}
