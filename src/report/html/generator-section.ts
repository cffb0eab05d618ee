import { formatDuration } from '../../base/kernel/units.ts';
import type { PhaseValidity, Validity } from '../../metrics/judging/validity-schema.ts';
import type { Summary } from '../../metrics/summary/summary-schema.ts';
import { exactCount, latencyText, shareText } from '../page/figures.ts';
import { MACHINE_HEADINGS, machineCells, worstFirst } from '../page/machines.ts';
import { factList, figure, type HtmlCell, html, list, type Markup, NOTHING, pageSection, table } from './markup.ts';

/** How well the generator kept up. */
export function generatorSection({ validity, environment, machines }: Summary, charts: Markup): Markup {
  const { schedulingDelayP99Ms, schedulingDelayMaxMs, busiestLoopUtilization, stalledMs } = validity;
  const facts: [string, Markup][] = [
    ['scheduling delay p99', figure(schedulingDelayP99Ms, latencyText)],
    ['scheduling delay max', figure(schedulingDelayMaxMs, latencyText)],
    ['busiest worker', figure(busiestLoopUtilization, shareText)],
    ['stalled', figure(stalledMs, latencyText)],
    ['machine', html`${environment.cpuCount} × ${environment.cpuModel}`],
    ['software', html`Muster ${environment.muster}, Node ${environment.node}, ${environment.platform}`],
  ];
  return pageSection(
    'generator',
    'Generator',
    html`${factList(facts)}\n${charts}${machinesTable(machines)}${validityTable(validity)}`,
  );
}

/** Machines that ran the fleet together, the worst first; nothing for a single machine. */
function machinesTable(machines: Summary['machines'] = []): Markup {
  if (machines.length === 0) return NOTHING;
  const rows = worstFirst(machines).map((machine): HtmlCell[] => {
    const { name, part, agents, workers, fromMs, toMs } = machine;
    const end = toMs === undefined ? 'the end' : html`<strong class="bad">lost at ${formatDuration(toMs)}</strong>`;
    const counts = [part, agents, workers].map((count) => figure(count, exactCount));
    return [name, ...counts, figure(fromMs, formatDuration), end, ...machineCells(machine)];
  });
  return table('Machines', ['machine', 'part', 'agents', 'workers', 'from', 'until', ...MACHINE_HEADINGS], rows);
}

const VALID = html`<span class="good">✓<span class="unseen"> valid</span></span>`;
const INVALID = html`<strong class="bad">✗<span class="unseen"> invalid</span></strong>`;
const VALIDITY_HEADINGS = [
  ...['phase', 'operation', 'arrivals', 'scheduling delay p99', 'scheduling delay max'],
  ...['stalled', 'left out', 'busiest worker', 'garbage collection'],
];

/** Criteria of validity, with a row for each operation and phase, invalid ones first, below the limits of the scenario. */
function validityTable({ phases, limits, problems }: Validity): Markup {
  const { schedulingDelayMs, leaveOutShare, busyShare, collectionShare } = limits;
  const delay = ['limit', '', '', latencyText(schedulingDelayMs), '', ''];
  const shares = [`${shareText(leaveOutShare)} of a window`, shareText(busyShare), shareText(collectionShare)];
  const limit = [...delay, ...shares].map((text) => (text === '' ? '' : html`<em>${text}</em>`));
  const worstFirst = phases.toSorted((a, b) => Math.sign(b.problems.length) - Math.sign(a.problems.length));
  const rows: HtmlCell[][] = [limit, ...worstFirst.flatMap(validityRows)];
  return html`${list(problems)}${table('Validity of each phase and operation', VALIDITY_HEADINGS, rows)}
<p class="note">Checked: counted phases, and excluded phases in which a threshold or its event is. Thresholds leave out what the generator delayed by more than the limit. With open loads, a busy worker only causes a warning.</p>`;
}

function validityRows({ phase, operations, problems, ...load }: PhaseValidity): HtmlCell[][] {
  const mark = problems.length === 0 ? VALID : INVALID;
  const workers = [
    figure(load.stalledMs, latencyText),
    figure(load.leftOutMs, latencyText),
    figure(load.busiestLoopUtilization, shareText),
    figure(load.collectionShare, shareText),
  ];
  const [first, ...others] = operations.map(validityCells);
  return [
    [html`${mark} ${phase}`, ...(first ?? ['', '', '', '']), ...workers],
    ...others.map((cells) => [html`${mark} ${phase}`, ...cells, '', '', '', '']),
  ];
}

function validityCells({ operation, valid, ...delays }: PhaseValidity['operations'][number]): HtmlCell[] {
  const p99 = figure(delays.schedulingDelayP99Ms, latencyText);
  return [
    html`${valid ? VALID : INVALID} <code>${operation}</code>`,
    figure(delays.arrivals, exactCount),
    valid ? p99 : html`<strong class="bad">${p99}</strong>`,
    figure(delays.schedulingDelayMaxMs, latencyText),
  ];
}
