import { formatDuration } from '../base/kernel/units.ts';
import { ATTACK_ENDINGS } from '../base/protocol/attacks.ts';
import { thresholdOutcome } from '../metrics/judging/thresholds.ts';
import { attackCount } from '../metrics/recording/attacks.ts';
import type { Evidence } from '../metrics/recording/schema.ts';
import type { Summary } from '../metrics/summary/summary-schema.ts';
import { tallyText } from './figures.ts';
import { besideColumns, fold, labeledLines, type Page } from './layout.ts';
import { countText, latencyText } from './page/figures.ts';

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

const MOST_SHOWN = 4;
// Enough for a certificate with its names and fingerprint.
const MOST_SEEN_CHARACTERS = 400;

/** Answer or connection error of the first failure of each operation and outcome, up to a limit. */
type EvidenceText = { readonly title: string; readonly seen: string };

function evidenceTexts(evidence: readonly Evidence[]): readonly EvidenceText[] {
  return firstOfEach(evidence)
    .slice(0, MOST_SHOWN)
    .map((one) => {
      const seen = seenText(one);
      return {
        title: `${one.operation} ${one.outcome}, first by ${witnessText(one)}, in phase ${one.phase}:`,
        seen: seen.length > MOST_SEEN_CHARACTERS ? `${seen.slice(0, MOST_SEEN_CHARACTERS)} …` : seen,
      };
    });
}

/** Where to find the other failures; `undefined` if there are none. */
function moreEvidenceText(evidence: readonly Evidence[]): string | undefined {
  const left = firstOfEach(evidence).length - MOST_SHOWN;
  return left > 0 ? `and ${left} more in summary.json and report.html` : undefined;
}

type Remedy = {
  /** Whether a failure is of this kind. */
  readonly answers: (failure: Evidence) => boolean;
  readonly text: string;
  /** Instead of the text, if the passwords are in a file. */
  readonly kept?: string;
};

/** What a user can do about answers that usually have one cause. Sources: docs/reference/wire.md, and the servers of openITCOCKPIT. */
const REMEDIES: readonly Remedy[] = [
  {
    answers: ({ outcome }) => outcome === 'http_401',
    text: 'the server does not accept the API key: set --api-key, MUSTER_API_KEY or target.apiKey',
  },
  {
    answers: ({ outcome, body = '' }) => outcome === 'http_403' && /csrf/i.test(body),
    text: 'the server expects an API key: set --api-key, MUSTER_API_KEY or target.apiKey',
  },
  {
    answers: ({ operation, outcome }) => operation === 'register' && outcome === 'http_403',
    text: 'the server already knows these agents, usually from an earlier run: use another --seed, keep their passwords with fleet.identities, or delete the agents on the server',
    kept: 'the server already knows these agents, usually from an earlier run: use another --seed, or delete the agents on the server; the identity file lacks their passwords, because that run was killed as they registered, or used another file',
  },
  {
    answers: ({ operation, outcome }) => ['checkdata', 'packages'].includes(operation) && outcome === 'http_400',
    text: 'released servers answer 400 until a host is assigned to the agent, or if they forgot its password: keep the passwords with fleet.identities, and use muster provision, which says which',
  },
  {
    answers: ({ operation, outcome }) => operation === 'authorize' && outcome === 'http_404',
    text: 'the server has forgotten these agents, as after muster cleanup: remove the file of fleet.identities, or use muster ctl do register-again while the fleet runs',
  },
  {
    answers: ({ operation, outcome }) => operation === 'packages' && outcome === 'http_404',
    text: 'servers before openITCOCKPIT 5.5 take no packages: remove packages from the phases',
  },
  {
    answers: ({ outcome }) => outcome === 'http_404',
    text: 'the server has nothing at this path: check target.url, to which agents add /agentconnector/…',
  },
  {
    answers: ({ outcome }) => outcome === 'http_413',
    text: 'the server, or a proxy in front of it, limits the size of requests: raise the limit (nginx: client_max_body_size), or choose a smaller fleet.payload',
  },
  {
    answers: ({ body = '' }) => /^\s*<(!doctype|html)/i.test(body),
    text: 'the answer is an HTML page, such as a login page or the page of a proxy: check target.url and target.proxy',
  },
];

const WAS_TOO_BUSY =
  'this machine had too little time for the run: run it again when other programs are idle (muster doctor shows what they use), or with fewer agents';

/**
 * What to do about a machine that was too busy, and about the failures whose usual cause is known, each remedy once, in order of the
 * failures. The embedded server fails only as its scenario asks.
 */
export function remediesOf({
  evidence,
  scenario,
  thresholds,
  phases,
}: Pick<Summary, 'evidence' | 'scenario' | 'thresholds' | 'phases'>): readonly string[] {
  const { target, fleet } = scenario as Readonly<
    Partial<Record<'target' | 'fleet', Readonly<Record<string, unknown>>>>
  >;
  const isKept = (fleet?.identities ?? 'ephemeral') !== 'ephemeral';
  const failures = target?.url === 'embedded' ? [] : firstOfEach(evidence);
  const remedies = failures.map((one) => REMEDIES.find(({ answers }) => answers(one)));
  const texts = remedies.map((one) => (isKept ? (one?.kept ?? one?.text) : one?.text));
  const known = [...new Set(texts)].filter((text) => text !== undefined);
  // Then the machines had time, but no contact.
  const isCutOff = phases.some(({ operations }) =>
    operations.some(({ dropReasons }) => (dropReasons.no_lease ?? 0) > 0),
  );
  const isUnjudged = thresholds.some((result) => thresholdOutcome(result) === 'unjudged');
  return isUnjudged && !isCutOff ? [WAS_TOO_BUSY, ...known] : known;
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
