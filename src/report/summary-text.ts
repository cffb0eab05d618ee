import { formatDuration } from '../kernel/units.ts';
import { observedText, thresholdSubject } from '../metrics/judging/evaluation.ts';
import type { Reason, ThresholdResult, Validity, VerdictKind } from '../metrics/judging/judgement.ts';
import type { Summary } from '../metrics/results/summary-schema.ts';
import { deliveryLines } from './delivery-text.ts';
import { countText, latencyText, shareText, tallyText } from './figures.ts';
import { besideLabel, hanging, labelled } from './layout.ts';
import { operationTable } from './operation-table.ts';
import type { Palette } from './palette.ts';
import { webServerLines } from './web-server-text.ts';

/** Verdicts as headlines. */
export const VERDICTS: Readonly<Record<VerdictKind, string>> = {
  pass: 'PASS',
  threshold_crossed: 'THRESHOLD CROSSED',
  invalid: 'INVALID',
  interrupted: 'INTERRUPTED',
  incomplete: 'INCOMPLETE',
  unreachable: 'TARGET UNREACHABLE',
  regression: 'REGRESSION',
};

/**
 * What the terminal shows at the end of a run, at most 100 columns wide apart from the path; ends with a line break.
 * @param resultsPath the folder of the run's results; undefined if none were kept.
 */
export function summaryText(summary: Summary, resultsPath: string | undefined, palette: Palette): string {
  const agents = tallyText(registeredAgents(summary));
  const blocks: string[][] = [
    headline(summary, palette),
    table(summary, palette),
    [
      ...labelled('hosts', besideLabel(hostsText(summary))),
      ...(agents === '' ? [] : labelled('agents', besideLabel(agents))),
      ...webServerLines(summary.webServers, palette),
      ...labelled('delivery', deliveryLines(summary.delivery, palette)),
      ...labelled('generator', generatorLines(summary.validity, palette)),
      ...labelled(
        'thresholds',
        summary.thresholds.flatMap((threshold) => thresholdLines(threshold, palette)),
      ),
    ],
    [...verdictLines(summary, palette), ...(resultsPath === undefined ? [] : resultsLines(resultsPath, palette))],
  ];
  return `\n${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** Agents by state; of a fleet that listens and never registers there is nothing to say. */
function registeredAgents({ agents, webServers }: Summary): Summary['agents'] {
  const { unregistered, ...others } = agents;
  const isAskedAlone = webServers !== undefined && Object.values(others).every((count) => count === 0);
  return isAskedAlone ? { ...agents, unregistered: 0 } : agents;
}

function headline({ scenarioName, seed, elapsedMs, agents, environment }: Summary, palette: Palette): string[] {
  const fleet = Object.values(agents).reduce((sum, count) => sum + count, 0);
  const workers = `${environment.workers} ${environment.workers === 1 ? 'worker' : 'workers'}`;
  const elapsed = formatDuration(Math.round(elapsedMs / 100) * 100);
  const facts = [`seed ${seed}`, elapsed, `${countText(fleet)} agents`, workers].join(' · ');
  return [`  ${palette.strong(scenarioName)}`, `  ${palette.faint(facts)}`];
}

function hostsText({ profiles }: Summary): string {
  return profiles.map(({ profile, agents }) => `${countText(agents)} ${profile}`).join(', ');
}

function table({ overall, phases }: Summary, palette: Palette): string[] {
  const excluded = phases.filter((phase) => phase.excluded).map((phase) => phase.name);
  const note = excluded.length === 0 ? [] : hanging(`not counted: ${excluded.join(', ')}`, '  ').map(palette.faint);
  if (overall.length === 0) return ['  nothing was planned in a counted phase', ...note];
  return [...operationTable(overall, palette), ...note];
}

function generatorLines(validity: Validity, palette: Palette): string[] {
  const { schedulingDelayP99Ms: p99, schedulingDelayMaxMs: max, busiestLoopUtilisation: busiest, problems } = validity;
  const delay =
    p99 === undefined || max === undefined ? [] : [`scheduling delay p99 ${latencyText(p99)}, max ${latencyText(max)}`];
  const load = busiest === undefined ? [] : [`busiest worker ${shareText(busiest)}`];
  const valid = problems.length === 0;
  const state = valid ? palette.good('✓ valid') : palette.bad('✗ invalid');
  const warnings = validity.warnings.flatMap((text) => marked('!', text).map(palette.caution));
  return [[state, ...delay, ...load].join(' · '), ...warnings];
}

function thresholdLines(threshold: ThresholdResult, palette: Palette): string[] {
  const { text, passed } = threshold;
  const [mark, paint] = passed ? ['✓', palette.good] : ['✗', palette.bad];
  const claim = `${thresholdSubject(threshold)} ${text}: ${observedText(threshold)}`;
  return marked(mark, claim).map(paint);
}

/** The verdict and what led to it, apart from crossed thresholds: those were listed above; then what to keep in mind. */
function verdictLines({ verdict: { kind, reasons }, warnings }: Summary, palette: Palette): string[] {
  const paint = kind === 'pass' ? (warnings.length === 0 ? palette.good : palette.caution) : palette.bad;
  const mark = kind === 'pass' ? '✓' : '✗';
  const reserve = kind === 'pass' && warnings.length > 0 ? ', with a warning' : '';
  const told = reasons.filter((reason: Reason) => reason.kind !== 'threshold_crossed');
  return [
    `  ${palette.strong(paint(`${mark} ${VERDICTS[kind]}${reserve}`))}`,
    ...told.flatMap((reason) => hanging(reason.text, '    ')),
    ...warnings.flatMap((text) => marked('!', text, '  ')).map(palette.caution),
  ];
}

/** Where the results are, and the file that is for people. */
function resultsLines(path: string, palette: Palette): string[] {
  return [...labelled('results', [palette.faint(path)]), ...labelled('report', [palette.faint(`${path}/report.html`)])];
}

function marked(mark: string, text: string, indent = ''): string[] {
  return besideLabel(text, 2).map((line, index) => `${indent}${index === 0 ? mark : ' '} ${line}`);
}
