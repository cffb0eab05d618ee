import { UserError } from '../base/kernel/errors.ts';
import { oneOfText } from '../base/notation/finding.ts';
import { isOperation, type MeasuredOperation } from '../base/protocol/operations.ts';
import { traitsOf } from '../metrics/judging/statistics.ts';
import { type Threshold, thresholdSubject } from '../metrics/judging/thresholds.ts';
import { plannedBy } from '../scenario/phase-findings.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { RaisedLoad } from './raised-load.ts';

/** Conditions that a load must meet. */
export type Conditions = {
  readonly thresholds: readonly Threshold[];
  /** Thresholds of the scenario that do not apply to a step. */
  readonly leftOut: readonly Threshold[];
  /** The operation whose figures the curve shows. */
  readonly operation: MeasuredOperation;
};

type Searched = { readonly scenario: Scenario; readonly raised: RaisedLoad };

/** The requested conditions, or else the thresholds that apply to a step. @throws UserError if there are none, or a step does not do one */
export function conditionsOf(searched: Searched, until: readonly Threshold[] | undefined): Conditions {
  const thresholds = until ?? searched.scenario.thresholds.filter((threshold) => saysSomething(threshold, searched));
  const leftOut = until === undefined ? searched.scenario.thresholds.filter((own) => !thresholds.includes(own)) : [];
  if (thresholds.length === 0) {
    throw new UserError(
      'The scenario has no threshold that applies to the load: set one with --until "checkdata p(99) < 500ms and error_rate < 1%".',
    );
  }
  for (const threshold of thresholds) assertMeasured(threshold, searched);
  return { thresholds, leftOut, operation: measuredOperationOf(thresholds, searched.raised) };
}

/** Absolute counts depend on the scenario's own length and size, and phases after the measured one have no data. */
function saysSomething(threshold: Threshold, searched: Searched): boolean {
  if (threshold.kind === 'delivery') return true;
  if (threshold.kind === 'misbehave' || threshold.kind === 'recovery') return false;
  const isNumber =
    threshold.kind === 'operation'
      ? traitsOf(threshold.statistic).unit === 'operations'
      : ['accepted', 'handshakes'].includes(threshold.figure);
  return !isNumber && whyUnmeasured(threshold, searched) === undefined;
}

function assertMeasured(threshold: Threshold, searched: Searched): void {
  if (threshold.kind === 'delivery') return;
  const isOfEvents = threshold.kind === 'misbehave' || threshold.kind === 'recovery';
  const expected = isOfEvents ? 'a condition on operations, delivery or listeners' : whyUnmeasured(threshold, searched);
  if (expected === undefined) return;
  throw new UserError(`--until: expected ${expected}, found ${thresholdSubject(threshold)}.`);
}

/** What a condition without data should refer to instead; `undefined` if it may have data. */
function whyUnmeasured(
  threshold: Threshold<'operation' | 'listeners'>,
  { scenario, raised }: Searched,
): string | undefined {
  const unlistened = scenario.webServer === undefined ? 'agents that listen (webServer)' : undefined;
  if (threshold.kind === 'listeners') return unlistened;
  const { operation, phase, event } = threshold;
  if (event !== undefined) return 'a condition on an operation, because steps shift the times of events';
  const kept = scenario.phases.slice(0, scenario.phases.indexOf(raised.phase) + 1).map(({ name }) => name);
  if (phase !== undefined)
    return kept.includes(phase) ? undefined : `a phase up to the measured one, ${oneOfText(kept)}`;
  if (!isOperation(operation)) return unlistened;
  const planned = plannedBy(raised.phase.loads.map((load) => load.operation));
  if (planned.includes(operation)) return undefined;
  return `an operation that the phase ${raised.phase.name} plans, ${planned.length === 0 ? 'but it plans none' : oneOfText(planned)}`;
}

function measuredOperationOf(thresholds: readonly Threshold[], { phase }: RaisedLoad): MeasuredOperation {
  const about = thresholds.flatMap((threshold) =>
    threshold.kind === 'operation' && (threshold.phase ?? phase.name) === phase.name ? [threshold.operation] : [],
  );
  if (about.includes('checkdata')) return 'checkdata';
  return about[0] ?? phase.loads.at(-1)?.operation ?? 'poll';
}
