import { isPullOperation, MEASURED_OPERATIONS, type MeasuredOperation } from '../../protocol/operations.ts';
import { countedPhases, measure, type Recording } from '../merging/measurement.ts';
import { droppedCount, plainTally, type Totals } from '../merging/totals.ts';
import type { DropReason } from '../recording/outcomes.ts';

/** More dropped work than this is worth a word beside the verdict: percentiles tell nothing of what never started. */
const DROPPED_SHARE_LIMIT = 0.01;

const CAUSES: Readonly<Record<DropReason, string>> = {
  agent_busy: 'agents were still busy with earlier operations, as the server answered too slowly',
  no_connection: 'no connection was free within the time limit',
  not_registered: 'agents had no password yet',
  run_ended: 'they still waited when the run ended',
};

const PULL_CAUSES: Readonly<Partial<Record<DropReason, string>>> = {
  agent_busy: 'agents were still busy with earlier requests of the server, as they answered too slowly',
};

/** What a reader of the counted figures has to know beside them: work that was planned and never done. */
export function loadWarnings(recording: Recording): string[] {
  const counted = countedPhases(recording);
  return MEASURED_OPERATIONS.flatMap((operation) =>
    droppedWork(operation, measure(recording, operation, counted).totals),
  );
}

function droppedWork(operation: MeasuredOperation, totals: Totals): string[] {
  const dropped = droppedCount(totals);
  const share = totals.planned === 0 ? 0 : dropped / totals.planned;
  if (share <= DROPPED_SHARE_LIMIT) return [];
  const [cause] = Object.entries(plainTally(totals.dropped)).sort(([, a], [, b]) => b - a);
  const because = cause === undefined ? '' : `: ${causeText(operation, cause[0] as DropReason)}`;
  return [
    `${operation}: ${Math.round(share * 100)}% of ${totals.planned} planned operations were never started${because}`,
  ];
}

function causeText(operation: MeasuredOperation, reason: DropReason): string {
  return (isPullOperation(operation) ? PULL_CAUSES[reason] : undefined) ?? CAUSES[reason];
}
