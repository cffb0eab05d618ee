import { counted } from '../base/kernel/units.ts';
import type { PhaseValidity, ValidityLimits } from '../metrics/judging/validity.ts';
import { isIncomplete } from '../metrics/judging/verdict.ts';
import type { Summary } from '../metrics/summary/summary-schema.ts';
import { marked, type Page, stateLines } from './layout.ts';
import { latencyText, shareText } from './page/figures.ts';

/** A larger share of the cores that other processes took may have delayed the generator or a server on this machine. */
const MUCH_TAKEN = 0.25;

export function generatorLines({ validity, verdict }: Summary, page: Page): string[] {
  const { schedulingDelayP99Ms: p99, schedulingDelayMaxMs: max, busiestLoopUtilization: busiest, problems } = validity;
  const delay =
    p99 === undefined || max === undefined ? [] : [`scheduling delay p99 ${latencyText(p99)}, max ${latencyText(max)}`];
  const load = busiest === undefined ? [] : [`busiest worker ${shareText(busiest)}`];
  const { cores = 0, otherCores = 0 } = validity.machine ?? {};
  const others =
    otherCores > MUCH_TAKEN * cores ? [`others used ${otherCores.toFixed(1)} of ${counted(cores, 'core')}`] : [];
  const valid = problems.length === 0;
  const state = isIncomplete(verdict.reasons) ? 'valid as far as counted' : 'valid';
  const phases = validity.phases.filter((phase) => phase.problems.length > 0);
  const warnings = validity.warnings.flatMap((text) => marked('!', text, page).map(page.caution));
  return [
    ...stateLines(valid, [valid ? state : 'invalid', ...delay, ...load, ...others], page),
    ...phases.slice(0, PHASES_SHOWN).flatMap((phase) => invalidPhaseLines(phase, validity.limits, page)),
    ...phasesLeftLines(phases.length, validity.phases.length, page),
    ...warnings,
  ];
}

const PHASES_SHOWN = 8;

/** What is invalid in a phase, by operation, and the state of its workers. The verdict gives the causes. */
function invalidPhaseLines(phase: PhaseValidity, { schedulingDelayMs }: ValidityLimits, page: Page): string[] {
  const { operations, stalledMs, busiestLoopUtilization: busiest, collectionShare: collection = 0 } = phase;
  const late = operations.flatMap(({ operation, valid, schedulingDelayP99Ms: p99 }) =>
    valid ? [] : [`${operation} p99 ${latencyText(p99)}`],
  );
  const facts = [
    ...(late.length === 0
      ? phase.problems.map((text) => claimOf(text, phase.phase))
      : [`${late.join(', ')}, limit ${latencyText(schedulingDelayMs)}`]),
    ...(stalledMs === 0 ? [] : [`stalled ${latencyText(stalledMs)}`]),
    ...(busiest === undefined ? [] : [`busiest worker ${shareText(busiest)}`]),
    ...(collection < 0.01 ? [] : [`garbage collection ${shareText(collection)}`]),
  ];
  return marked('✗', `${phase.phase}: ${facts.join(' · ')}`, page).map(page.bad);
}

/** What a problem says, without its cause and remedy. */
function claimOf(problem: string, phase: string): string {
  const where = `in ${phase} `;
  return problem.slice(problem.indexOf(where) + where.length).replace(/[:;] .*$/s, '');
}

/** Number of the other phases. */
function phasesLeftLines(invalid: number, judged: number, page: Page): string[] {
  if (invalid === 0) return [];
  const shown = Math.min(invalid, PHASES_SHOWN);
  const [more, valid] = [invalid - shown, judged - invalid];
  return [
    ...(more === 0 ? [] : [page.bad(`✗ and ${counted(more, 'more phase')}`)]),
    ...(valid === 0 ? [] : [page.good(`✓ ${counted(valid, 'other phase')}`)]),
  ];
}
