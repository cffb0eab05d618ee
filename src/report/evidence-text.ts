import { formatDuration } from '../base/kernel/units.ts';
import { ATTACK_ENDINGS } from '../base/protocol/attacks.ts';
import { thresholdOutcome } from '../metrics/judging/thresholds.ts';
import { attackCount } from '../metrics/recording/attacks.ts';
import type { Evidence } from '../metrics/recording/schema.ts';
import type { Summary } from '../metrics/summary/summary-schema.ts';
import { tallyText, targetText, withoutQuery } from './figures.ts';
import { besideColumns, fold, labeledLines, type Page } from './layout.ts';
import { countText, latencyText } from './page/figures.ts';
import { atTarget, remedyOf } from './remedies.ts';

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
type EvidenceText = { readonly title: string; readonly seen: string };

function evidenceTexts(evidence: readonly Evidence[]): readonly EvidenceText[] {
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

const WAS_TOO_BUSY =
  'this machine had too little time for the run: run it again when other programs are idle (muster doctor shows what they use), or with fewer agents';

/**
 * What to do about a machine that was too busy, and about the failures, each remedy once, in order of the failures. The embedded server
 * fails only as its scenario asks.
 */
export function remediesOf({
  evidence,
  scenario,
  verdict,
  thresholds,
  phases,
}: Pick<Summary, 'evidence' | 'scenario' | 'verdict' | 'thresholds' | 'phases'>): readonly string[] {
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

/** Failures that neither a server nor its scenario causes. */
const OF_MACHINE: readonly string[] = ['no_file_descriptor', 'no_local_port'];

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

/** First failure of each operation and outcome, in order of arrival. */
function firstOfEach(evidence: readonly Evidence[]): readonly Evidence[] {
  return [...Map.groupBy(evidence, ({ operation, outcome }) => `${operation} ${outcome}`).values()].flatMap(
    ([first]) => first ?? [],
  );
}

type Misbehavior = NonNullable<Summary['misbehavior']>[number];

export const MISBEHAVIOR_HEADINGS = ['how', 'attacks', ...ATTACK_ENDINGS, 'p50', 'max'] as const;

/** One row per kind of attack, for tables that exclude healthy agents. */
export function misbehaviorRow({ how, endings, latencyMs }: Misbehavior): readonly string[] {
  const times = [latencyMs?.p50, latencyMs?.max].map((time) => (time === undefined ? '-' : latencyText(time)));
  return [
    how,
    countText(attackCount(endings)),
    ...ATTACK_ENDINGS.map((ending) => countText(endings[ending])),
    ...times,
  ];
}

/** `broken-json 120: refused 120 (400)`: number of attacks of one kind, and how they ended. */
export function misbehaviorText({ how, endings, statuses }: Misbehavior): string {
  const answers = Object.keys(statuses).join(', ');
  return `${how} ${countText(attackCount(endings))}: ${tallyText(endings)}${answers === '' ? '' : ` (${answers})`}`;
}

/** `cable: recovered after 4s, herd 2.1 times`: how the target recovered from an event. */
export function recoveryText({ event, timeMs, herd, unobserved }: NonNullable<Summary['recoveries']>[number]): string {
  const time =
    timeMs === undefined ? (unobserved ?? 'not recovered') : `recovered after ${formatDuration(Math.round(timeMs))}`;
  return `${event}: ${time}${herd === undefined ? '' : `, herd ${Number(herd.toPrecision(3))} times`}`;
}
