import { formatDuration } from '../kernel/units.ts';
import type { Evidence } from '../metrics/recording/evidence.ts';
import { besideColumns, fold, labelledLines, type Page } from './layout.ts';

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

const MOST_SHOWN = 4;
// A certificate with its names and its fingerprint takes so much.
const MOST_SEEN_CHARACTERS = 400;

/** What the server said, or why nothing came of it: the first failure of each operation and outcome; at least one line. */
export function evidenceLines(evidence: readonly Evidence[], page: Page): string[] {
  const firsts = firstOfEach(evidence);
  const left = firsts.length - MOST_SHOWN;
  const lines = firsts.slice(0, MOST_SHOWN).flatMap((one) => {
    const title = `${one.operation} ${one.outcome}, first by ${witnessText(one)}, in phase ${one.phase}:`;
    const text = seenText(one);
    const cut = text.length > MOST_SEEN_CHARACTERS ? `${text.slice(0, MOST_SEEN_CHARACTERS)} …` : text;
    return [
      ...fold(title, besideColumns(page)).map(page.bad),
      ...fold(cut, besideColumns(page, 2)).map((line) => `  ${line}`),
    ];
  });
  const more = left > 0 ? [`and ${left} more in summary.json and report.html`] : [];
  return labelledLines('evidence', [...lines, ...more]);
}

/** The first of each operation and outcome, in the order in which they came up. */
function firstOfEach(evidence: readonly Evidence[]): readonly Evidence[] {
  return [...Map.groupBy(evidence, ({ operation, outcome }) => `${operation} ${outcome}`).values()].flatMap(
    ([first]) => first ?? [],
  );
}
