import { printable } from '../base/kernel/printable.ts';
import { counted } from '../base/kernel/units.ts';
import { STYLE } from '../report/html/assets.ts';
import {
  factList,
  html,
  htmlDocument,
  type Markup,
  NOTHING,
  pageSection,
  pageTop,
  table,
} from '../report/html/markup.ts';
import { casesJunitXml, type JunitCase } from '../report/junit.ts';
import type { Page } from '../report/layout.ts';
import {
  type CaseResult,
  RULE_LEVELS,
  type Rule,
  type RuleLevel,
  sectionOf,
  sourceOf,
  type WireBytes,
  type WireLog,
} from './case.ts';

export type ConformanceMode = 'server' | 'agent' | 'pushes';

/** What a run of cases found. */
export type ConformanceReport = {
  readonly mode: ConformanceMode;
  /** What was tried, for display: a URL without secrets, or an address. */
  readonly subject: string;
  /** The levels whose rules must hold. */
  readonly levels: readonly RuleLevel[];
  readonly results: readonly CaseResult[];
  /** What the run leaves behind, a sentence each. */
  readonly left: readonly string[];
  readonly startedAt: Date;
  readonly elapsedMs: number;
};

/** Results by what they mean for the verdict: `failed` ones are broken rules of a level that must hold, `deviating` ones of other levels. */
export function judged({ results, levels }: Pick<ConformanceReport, 'results' | 'levels'>) {
  const broken = results.filter(({ verdict }) => verdict.kind === 'broken');
  return {
    held: results.filter(({ verdict }) => verdict.kind === 'holds'),
    failed: broken.filter(({ rule }) => levels.includes(rule.level)),
    deviating: broken.filter(({ rule }) => !levels.includes(rule.level)),
    untried: results.filter(({ verdict }) => verdict.kind === 'untried'),
  };
}

/** The verdict in one line. */
function conformanceVerdict(report: ConformanceReport): string {
  const { held, failed, deviating, untried } = judged(report);
  const parts = [
    `${held.length} hold`,
    ...(failed.length === 0 ? [] : [`${failed.length} broken`]),
    ...(deviating.length === 0 ? [] : [`${deviating.length} deviate at levels that need not hold`]),
    ...(untried.length === 0 ? [] : [`${untried.length} not tried`]),
  ];
  return `${counted(report.results.length, 'rule')}: ${parts.join(', ')}`;
}

/** The report for people: each broken rule, what was not tried, and the verdict. */
export function conformanceText(report: ConformanceReport, page: Page): string {
  const { failed, deviating, untried } = judged(report);
  const whys = Map.groupBy(untried, ({ verdict }) => (verdict.kind === 'untried' ? verdict.why : ''));
  const lines = [
    ...failed.flatMap((result) => [...resultLines(result, page.bad('✕')), '']),
    ...deviating.flatMap((result) => [...resultLines(result, page.caution('○')), '']),
    ...[...whys].map(([why, some]) => `Not tried, because ${why}: ${some.map(({ rule }) => rule.id).join(', ')}`),
    ...report.left,
    conformanceVerdict(report),
  ];
  return `${lines.join('\n')}\n`;
}

function resultLines({ rule, verdict, repeat }: CaseResult, sign: string): readonly string[] {
  if (verdict.kind !== 'broken') return [];
  return [
    `${sign} ${rule.id} (${rule.level}) ${rule.rule}`,
    `  expected  ${verdict.expected}`,
    `  found     ${printable(verdict.found)}`,
    ...(rule.why === undefined ? [] : [`  matters   ${rule.why}`]),
    ...(rule.observed === undefined ? [] : [`  released  ${rule.observed}`]),
    ...repeat.map((line, index) => `  ${index === 0 ? 'repeat    ' : '          '}${line}`),
  ];
}

/** One line for a case that ended, as progress. */
export function resultLine({ rule, verdict }: CaseResult): string {
  if (verdict.kind === 'broken') return `✕ ${rule.id}: ${printable(verdict.found)}`;
  return verdict.kind === 'holds' ? `● ${rule.id}` : `– ${rule.id}: ${verdict.why}`;
}

/** The report for programs. */
export function conformanceJson(report: ConformanceReport): string {
  const { held, failed, deviating, untried } = judged(report);
  const document = {
    ...report,
    counts: { held: held.length, broken: failed.length, deviating: deviating.length, untried: untried.length },
    results: report.results.map(({ rule, verdict, elapsedMs, repeat, wire }) => ({
      ...ruleJson(rule),
      section: sectionOf(rule),
      verdict,
      elapsedMs: Math.round(elapsedMs),
      ...(verdict.kind === 'broken' && { repeat, wire: wire.map(wireJson) }),
    })),
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

/** The members of a rule that are data. */
function ruleJson(rule: Rule) {
  const { id, level, why, guess, observed } = rule;
  return { id, level, rule: rule.rule, source: sourceOf(rule), why, guess, observed };
}

function wireJson({ sent, received, startedMs, endedMs, end }: WireLog) {
  return {
    sent: shownBytes(sent),
    sentBytes: sent.sizeBytes,
    received: shownBytes(received),
    receivedBytes: received.sizeBytes,
    startedMs: Math.round(startedMs),
    endedMs: Math.round(endedMs),
    end,
  };
}

const MAX_SHOWN_BYTES = 4000;

/** Bytes as text: lines as they are, other control characters and bytes that are not UTF-8 as escapes. */
function shownBytes({ bytes, sizeBytes }: WireBytes): string {
  const lines = bytes.subarray(0, MAX_SHOWN_BYTES).toString('utf8').split(/\r?\n/).map(printable).join('\n');
  const left = sizeBytes - Math.min(bytes.length, MAX_SHOWN_BYTES);
  return left > 0 ? `${lines} … ${left} more bytes` : lines;
}

/** The report for build servers: a suite for each section. */
export function conformanceJunit({ results, levels, mode }: ConformanceReport): string {
  const sections = Map.groupBy(results, ({ rule }) => `${mode} ${sectionOf(rule)}`);
  const suites = [...sections].map(([name, some]) => [name, some.map((one) => junitCase(one, levels))] as const);
  return casesJunitXml(new Map(suites));
}

function junitCase({ rule, verdict, repeat, elapsedMs }: CaseResult, levels: readonly RuleLevel[]): JunitCase {
  const named = { name: `${rule.id} ${rule.rule}`, seconds: elapsedMs / 1000 };
  if (verdict.kind === 'holds') return { ...named, outcome: { kind: 'passed' } };
  if (verdict.kind === 'untried') return { ...named, outcome: { kind: 'skipped', text: verdict.why } };
  const text = [`expected ${verdict.expected}, found ${verdict.found}`, ...repeat].join('\n');
  const mustHold = levels.includes(rule.level);
  return { ...named, outcome: mustHold ? { kind: 'failure', text } : { kind: 'passed', note: text } };
}

/** The report as one self-contained HTML document without scripts. */
export function conformancePage(report: ConformanceReport): string {
  const { held, failed, deviating, untried } = judged(report);
  const verdict = conformanceVerdict(report);
  const title = failed.length > 0 ? 'Does not conform' : held.length > 0 ? 'Conforms' : 'Not judged';
  const body = html`${pageTop(`Conformance of ${report.subject}`, html`<p class="question">${verdict}</p>`)}<main>
${resultSection('broken', 'Broken rules', failed)}${resultSection('deviating', 'Deviations at levels that need not hold', deviating)}${untriedSection(untried)}${pageSection('rules', 'All rules', rulesTable(report))}
${report.left.map((line) => html`<p class="note">${line}</p>`)}</main>
`;
  return htmlDocument(`${title} · ${report.subject}`, STYLE, body);
}

function resultSection(id: string, title: string, results: readonly CaseResult[]): Markup {
  return results.length === 0 ? NOTHING : pageSection(id, title, html`${results.map(resultMarkup)}`);
}

function resultMarkup({ rule, verdict, wire, repeat, elapsedMs }: CaseResult): Markup {
  if (verdict.kind !== 'broken') return NOTHING;
  const facts = factList([
    ['level', `${rule.level}: ${RULE_LEVELS[rule.level]}`],
    ['source', sourceOf(rule)],
    ['expected', verdict.expected],
    ['found', verdict.found],
    ...(rule.why === undefined ? [] : [['why it matters', rule.why] as const]),
    ...(rule.observed === undefined ? [] : [['released programs', rule.observed] as const]),
    ['took', `${Math.round(elapsedMs)} ms`],
  ]);
  return html`<h3 id="${rule.id}">${rule.id} ${rule.rule}</h3>
${facts}${wire.map(wireMarkup)}${repeat.length === 0 ? NOTHING : html`<h4>Repeat</h4><pre>${repeat.join('\n')}</pre>`}
`;
}

function wireMarkup(log: WireLog): Markup {
  const { startedMs, endedMs, end } = log;
  return html`<details open><summary>Sent at ${Math.round(startedMs)} ms: ${log.sent.sizeBytes} bytes</summary><pre>${shownBytes(log.sent)}</pre></details>
<details open><summary>Received until ${Math.round(endedMs)} ms: ${log.received.sizeBytes} bytes, ${end}</summary><pre>${shownBytes(log.received)}</pre></details>
`;
}

function untriedSection(results: readonly CaseResult[]): Markup {
  if (results.length === 0) return NOTHING;
  const rows = results.map(({ rule, verdict }) => [rule.id, rule.rule, verdict.kind === 'untried' ? verdict.why : '']);
  return pageSection('untried', 'Not tried', table('Rules not tried', ['rule', 'says', 'why not'], rows));
}

const VERDICT_WORDS = { holds: '● holds', broken: '✕ broken', untried: '– not tried' } as const;

function rulesTable({ results }: ConformanceReport): Markup {
  const rows = results.map(({ rule, verdict }) => [rule.id, VERDICT_WORDS[verdict.kind], rule.level, rule.rule]);
  return table('Rules', ['rule', 'verdict', 'level', 'says'], rows);
}
