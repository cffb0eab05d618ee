import { button, element, row, showChildren } from '../../../report/page/browser/elements.ts';
import { exactCount, latencyText, rateText, reasonsOfFailures, shareText } from '../../../report/page/figures.ts';
import { machineCells } from '../../../report/page/machines.ts';
import type { FiguresRow, FleetAnswer, HealthKindAnswer } from '../../control-api/schemas.ts';
import { instantText } from '../time-range.ts';

/** Shows the figures of each operation over a span, which are those of all its answers together. */
export function showOperations(body: HTMLTableSectionElement, figures: FiguresRow | undefined) {
  const rows = (figures?.operations ?? []).map(({ operation, planned, succeeded, failed, dropped, responseMs }) => {
    const lost = failed + Object.values(dropped).reduce((sum, count) => sum + count, 0);
    const times = [responseMs?.p50, responseMs?.p95, responseMs?.p99, responseMs?.max];
    return row([
      operation,
      `${rateText(planned / (figures?.seconds ?? 1))}/s`,
      exactCount(succeeded),
      lost === 0 ? '0' : element('b', { className: 'bad' }, [exactCount(lost)]),
      shareText(lost / Math.max(1, planned)),
      ...times.map((time) => (time === undefined ? '–' : latencyText(time))),
    ]);
  });
  showChildren(body, rows);
}

/** Shows why operations failed, most frequent first. */
export function showFailures(body: HTMLTableSectionElement, figures: FiguresRow | undefined) {
  const rows = reasonsOfFailures(figures?.operations).map(({ operation, reason, count, share }) =>
    row([reason, operation, exactCount(count), shareText(share)]),
  );
  showChildren(body, rows);
}

const PROBLEMS = ['refused', 'unreachable', 'late', 'unregistered'];

/** Shows what keeps agents from reporting, with a button that finds them. */
export function showProblems(
  body: HTMLTableSectionElement,
  kinds: readonly HealthKindAnswer[],
  find: (kind: HealthKindAnswer) => void,
) {
  const rows = kinds
    .filter(({ state }) => PROBLEMS.includes(state))
    .map((kind) => {
      const { label, operation, reason, agents, since } = kind;
      const finder = button(exactCount(agents), () => find(kind));
      finder.ariaLabel = `Find ${agents} ${label}`;
      return row([label, finder, operation ?? '–', reason ?? '–', since === null ? '–' : instantText(since)]);
    });
  showChildren(body, rows);
}

/** Shows how the machines of a cluster keep up; nothing for a single machine. */
export function showMachines(body: HTMLTableSectionElement, machines: NonNullable<FleetAnswer['machines']>) {
  const section = body.closest('section');
  if (section !== null) section.hidden = machines.length === 0;
  showChildren(
    body,
    machines.map((machine) => row([machine.name, exactCount(machine.agents), ...machineCells(machine)])),
  );
}
