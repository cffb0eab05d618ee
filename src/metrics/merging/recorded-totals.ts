import type { PhaseSpan } from './phases.ts';
import type { TotalsReading } from './run-totals.ts';
import { createSeriesSums } from './series-totals.ts';
import { type FleetState, stateOf, type TimelineFrame } from './timeline.ts';
import { createWorkerAccounts } from './worker-accounts.ts';

/** Seconds that were recorded, added up again: to the totals they were taken from. */
export type RecordedTotals = {
  /** In the order in which they were recorded. */
  add(second: TimelineFrame): void;
  read(): TotalsReading;
};

export function createRecordedTotals(phases: readonly PhaseSpan[]): RecordedTotals {
  const series = createSeriesSums(phases);
  const workers = createWorkerAccounts(phases);
  let latest: FleetState = stateOf([]);
  return {
    add(second) {
      series.add(second.series);
      for (const load of second.workers) workers.add(second.second, load);
      const { agents, inFlight, listening, down } = second;
      latest = { agents, inFlight, listening, down };
    },
    read: () => ({
      series: series.read(),
      workers: workers.read(),
      ...latest,
      mostListening: workers.mostListening(),
    }),
  };
}
