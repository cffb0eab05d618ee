import { OPERATIONS, type Operation } from '../../protocol/operations.ts';
import { countedPhases, measure, type Recording } from '../merging/measurement.ts';
import { droppedCount, type Totals } from '../merging/totals.ts';
import type { DropReason } from '../recording/outcomes.ts';

/** More dropped work than this is worth a word beside the verdict: percentiles tell nothing of what never started. */
const DROPPED_SHARE_LIMIT = 0.01;

const CAUSES: Readonly<Record<DropReason, string>> = {
  agent_busy: 'agents were still busy with earlier operations, as the server answered too slowly',
  no_connection: 'no connection was free within the time limit',
  not_registered: 'agents had no password yet',
  run_ended: 'they still waited when the run ended',
};

/** What a reader of the counted figures has to know beside them: work that was planned and never done. */
export function loadWarnings(recording: Recording): string[] {
  const counted = countedPhases(recording);
  return OPERATIONS.flatMap((operation) => droppedWork(operation, measure(recording, operation, counted).totals));
}

function droppedWork(operation: Operation, totals: Totals): string[] {
  const dropped = droppedCount(totals);
  const share = totals.planned === 0 ? 0 : dropped / totals.planned;
  if (share <= DROPPED_SHARE_LIMIT) return [];
  const [cause] = Object.entries(totals.dropped).sort(([, a], [, b]) => b - a);
  const because = cause === undefined ? '' : `: ${CAUSES[cause[0] as DropReason]}`;
  return [
    `${operation}: ${Math.round(share * 100)}% of ${totals.planned} planned operations were never started${because}`,
  ];
}
