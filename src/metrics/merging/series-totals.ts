import type { MeasuredOperation } from '../../protocol/operations.ts';
import type { SeriesFrame } from '../recording/frame.ts';
import type { Histogram } from '../recording/histogram.ts';
import type { PhaseSpan } from './phases.ts';
import { addSeries, emptyTotals, type Totals } from './totals.ts';

export type SeriesTotals = { readonly phase: string; readonly operation: MeasuredOperation; readonly totals: Totals };

/** Sums by operation and phase. */
export type SeriesSums = {
  /** Throws if something counts in a phase that the scenario does not have. */
  add(series: readonly SeriesFrame<Histogram>[]): void;
  read(): readonly SeriesTotals[];
};

export function createSeriesSums(phases: readonly PhaseSpan[]): SeriesSums {
  const names = new Set(phases.map((phase) => phase.name));
  const sums = new Map<string, SeriesTotals>();
  return {
    add(series) {
      for (const part of series) {
        const { phase, operation } = part;
        if (!names.has(phase)) throw new Error(`a frame counts in a phase the scenario does not have: ${phase}`);
        const key = `${operation} ${phase}`;
        const entry = sums.get(key) ?? { phase, operation, totals: emptyTotals() };
        addSeries(entry.totals, part);
        sums.set(key, entry);
      }
    },
    read: () => [...sums.values()],
  };
}
