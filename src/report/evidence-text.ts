import { formatDuration } from '../base/kernel/units.ts';
import type { Evidence } from '../metrics/recording/schema.ts';
import type { Summary } from '../metrics/summary/summary-schema.ts';
import { besideColumns, fold, labeledLines, type Page } from './layout.ts';
import { firstOfEach, remediesOf } from './remedies.ts';

/** The agent and the time: `agent 7 at 2.3s`. */
export function witnessText({ agent, atMs }: Pick<Evidence, 'agent' | 'atMs'>): string {
  return `agent ${agent} at ${formatDuration(Math.round(atMs))}`;
}

/** The failure on one line: the reason, or the status line and the body. */
export function seenText({ reason, head, body }: Pick<Evidence, 'reason' | 'head' | 'body'>): string {
  const [statusLine = ''] = (head ?? '').split('\n', 1);
  const parts = [reason ?? '', statusLine, (body ?? '').replaceAll(/\s+/g, ' ').trim()];
  return parts.filter((part) => part !== '').join(' · ');
}

const MAX_SHOWN = 4;
// Enough for a certificate with its names and fingerprint.
const MAX_SEEN_CHARACTERS = 400;

/** Answer or connection error of the first failure of each operation and outcome, up to a limit. */
function evidenceTexts(evidence: readonly Evidence[]) {
  return firstOfEach(evidence)
    .slice(0, MAX_SHOWN)
    .map((one) => {
      const seen = seenText(one);
      return {
        title: `${one.operation} ${one.outcome}, first by ${witnessText(one)}, in phase ${one.phase}:`,
        seen: seen.length > MAX_SEEN_CHARACTERS ? `${seen.slice(0, MAX_SEEN_CHARACTERS)} …` : seen,
      };
    });
}

/** Where to find the other failures; `undefined` if there are none. */
function moreEvidenceText(evidence: readonly Evidence[]): string | undefined {
  const left = firstOfEach(evidence).length - MAX_SHOWN;
  return left > 0 ? `and ${left} more in summary.json and report.html` : undefined;
}

/** The evidence and what usually helps, for build servers. @param between separates a failure and what was seen. */
export function evidenceNotes(summary: Summary, between: string): readonly string[] {
  const { evidence } = summary;
  const texts = evidenceTexts(evidence).map(({ title, seen }) => `${title}${between}${seen}`);
  const remedies = remediesOf(summary).map((text) => `Remedy: ${text}`);
  return [...texts, moreEvidenceText(evidence) ?? [], ...remedies].flat();
}

/** The evidence for a terminal; at least one line. */
export function evidenceLines(evidence: readonly Evidence[], page: Page): string[] {
  const lines = evidenceTexts(evidence).flatMap(({ title, seen }) => [
    ...fold(title, besideColumns(page)).map(page.bad),
    ...fold(seen, besideColumns(page, 2)).map((line) => `  ${line}`),
  ]);
  const more = moreEvidenceText(evidence);
  return labeledLines('evidence', more === undefined ? lines : [...lines, more]);
}
