import { formatDuration } from '../kernel/units.ts';
import { observedText, type ThresholdResult, thresholdSubject } from '../metrics/judging/thresholds.ts';
import type { Validity } from '../metrics/judging/validity.ts';
import type { Reason } from '../metrics/judging/verdict.ts';
import type { Summary } from '../metrics/summary/summary-schema.ts';
import { deliveryLines } from './delivery-text.ts';
import { countText, latencyText, shareText, tallyText } from './figures.ts';
import { besideLabel, hanging, labelled, type Page } from './layout.ts';
import { operationTable } from './operation-table.ts';
import { runTitle, unjudgedText } from './run-title.ts';
import { verdictWords } from './verdict-line.ts';
import { webServerLines } from './web-server-text.ts';

/**
 * What the terminal shows at the end of a run, as wide as the page apart from the path; ends with a line break.
 * @param resultsPath the folder of the run's results; undefined if none were kept.
 */
export function summaryText(summary: Summary, resultsPath: string | undefined, page: Page): string {
  const agents = tallyText(registeredAgents(summary));
  const blocks: string[][] = [
    headline(summary, page),
    table(summary, page),
    [
      ...(summary.profiles.length === 0 ? [] : labelled('hosts', besideLabel(hostsText(summary), page))),
      ...(agents === '' ? [] : labelled('agents', besideLabel(agents, page))),
      ...webServerLines(summary.webServers, page),
      ...labelled('delivery', deliveryLines(summary.delivery, page)),
      ...labelled('generator', generatorLines(summary.validity, page)),
      ...labelled('thresholds', thresholdsLines(summary, page)),
    ],
    [...verdictLines(summary, page), ...(resultsPath === undefined ? [] : resultsLines(resultsPath, page))],
  ];
  return `\n${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** Agents by state; of a fleet that listens and never registers there is nothing to say. */
function registeredAgents({ agents, webServers }: Summary): Summary['agents'] {
  const { unregistered, ...others } = agents;
  const isAskedAlone = webServers !== undefined && Object.values(others).every((count) => count === 0);
  return isAskedAlone ? { ...agents, unregistered: 0 } : agents;
}

function headline(summary: Summary, page: Page): string[] {
  const { seed, elapsedMs, agents, environment, scenario, shards } = summary;
  const fleet = Object.values(agents).reduce((sum, count) => sum + count, 0);
  const workers = `${environment.workers} ${environment.workers === 1 ? 'worker' : 'workers'}`;
  const elapsed = formatDuration(Math.round(elapsedMs / 100) * 100);
  const merged = shards === undefined ? [] : [`${shards.length} shards`];
  const facts = [`seed ${seed}`, elapsed, `${countText(fleet)} agents`, ...merged, workers].join(' · ');
  const { question, target } = purpose(scenario);
  return [
    `  ${page.strong(runTitle(summary))}`,
    ...(question === '' ? [] : hanging(question, '  ', page)),
    ...(target === '' ? [] : hanging(`target ${target}`, '  ', page).map(page.faint)),
    ...hanging(facts, '  ', page).map(page.faint),
  ];
}

/** What the run is to answer, and of whom it is asked; the query of a URL may hold a key. */
function purpose(scenario: Summary['scenario']): { question: string; target: string } {
  const { description = '', target } = scenario as { description?: unknown; target?: { url?: unknown } };
  const question = String(description).replace(/\s+/g, ' ').trim();
  return { question, target: String(target?.url ?? '').replace(/\?.*$/s, '?…') };
}

function hostsText({ profiles }: Summary): string {
  return profiles.map(({ profile, agents }) => `${countText(agents)} ${profile}`).join(', ');
}

function table({ overall, phases }: Summary, page: Page): string[] {
  const excluded = phases.filter((phase) => phase.excluded).map((phase) => phase.name);
  const note = excluded.length === 0 ? [] : hanging(`not counted: ${excluded.join(', ')}`, '  ', page).map(page.faint);
  if (overall.length === 0) return ['  nothing was planned in a counted phase', ...note];
  return [...operationTable(overall, phases, page), ...note];
}

function generatorLines(validity: Validity, page: Page): string[] {
  const { schedulingDelayP99Ms: p99, schedulingDelayMaxMs: max, busiestLoopUtilisation: busiest, problems } = validity;
  const delay =
    p99 === undefined || max === undefined ? [] : [`scheduling delay p99 ${latencyText(p99)}, max ${latencyText(max)}`];
  const load = busiest === undefined ? [] : [`busiest worker ${shareText(busiest)}`];
  const valid = problems.length === 0;
  const state = valid ? '✓ valid' : '✗ invalid';
  const warnings = validity.warnings.flatMap((text) => marked('!', text, page).map(page.caution));
  const [first = '', ...more] = besideLabel([state, ...delay, ...load].join(' · '), page);
  const paint = valid ? page.good : page.bad;
  return [`${paint(state)}${first.slice(state.length)}`, ...more, ...warnings];
}

function thresholdsLines(summary: Summary, page: Page): string[] {
  const unjudged = unjudgedText(summary);
  if (unjudged !== undefined) return besideLabel(unjudged, page);
  return summary.thresholds.flatMap((threshold) => thresholdLines(threshold, page));
}

function thresholdLines(threshold: ThresholdResult, page: Page): string[] {
  const { text, passed } = threshold;
  const [mark, paint] = passed ? ['✓', page.good] : ['✗', page.bad];
  const claim = `${thresholdSubject(threshold)} ${text}: ${observedText(threshold)}`;
  return marked(mark, claim, page).map(paint);
}

/** The verdict and what led to it, apart from crossed thresholds: those were listed above; then what to keep in mind. */
function verdictLines(summary: Summary, page: Page): string[] {
  const told = summary.verdict.reasons.filter((reason: Reason) => reason.kind !== 'threshold_crossed');
  return [
    `  ${verdictWords(summary, page)}`,
    ...told.flatMap((reason) => hanging(reason.text, '    ', page)),
    ...summary.warnings.flatMap((text) => marked('!', text, page).map((line) => `  ${line}`)).map(page.caution),
  ];
}

/** Where the results are, and the file that is for people. */
function resultsLines(path: string, page: Page): string[] {
  return [...labelled('results', [page.faint(path)]), ...labelled('report', [page.faint(`${path}/report.html`)])];
}

function marked(mark: string, text: string, page: Page): string[] {
  return besideLabel(text, page, 2).map((line, index) => `${index === 0 ? mark : ' '} ${line}`);
}
