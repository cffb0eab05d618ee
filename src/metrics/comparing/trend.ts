import { MEASURED_OPERATIONS, type MeasuredOperation } from '../../base/protocol/operations.ts';
import type { VerdictKind } from '../judging/verdict.ts';
import { plannedIn, type Summary } from '../summary/summary-schema.ts';
import { COMPARED_FIGURES, type FigureName, figureOf } from './compare.ts';
import { changesSince } from './differences.ts';

/** One run of a scenario, over its counted phases. */
export type TrendRun = {
  readonly runId: string;
  readonly folder: string;
  readonly startedAt: string;
  readonly muster: string;
  readonly verdict: VerdictKind;
  /** Why it is not comparable with the previous run: `fleet.agents`, `Muster 0.1.0 → 0.2.0`. */
  readonly changes: readonly string[];
  /** Figures by operation; a figure is absent if no such operation ended, or none was answered. */
  readonly figures: Readonly<Partial<Record<MeasuredOperation, Readonly<Partial<Record<FigureName, number>>>>>>;
};

/** Runs of one scenario, oldest first. */
export type Trend = {
  readonly scenarioName: string;
  /** Operations of any run, in the order of an agent's life. */
  readonly operations: readonly MeasuredOperation[];
  readonly runs: readonly TrendRun[];
};

type StoredSummary = { readonly folder: string; readonly summary: Summary };

/** Groups runs by scenario and sorts the scenarios by name. A shard counts as a run that differs from other shards. */
export function trendsOf(stored: readonly StoredSummary[]): readonly Trend[] {
  const byScenario = Map.groupBy(stored, ({ summary }) => summary.scenarioName);
  return [...byScenario]
    .toSorted(([one], [other]) => one.localeCompare(other, 'en'))
    .map(([scenarioName, runs]) => trendOf(scenarioName, runs));
}

function trendOf(scenarioName: string, stored: readonly StoredSummary[]): Trend {
  const inOrder = stored.toSorted(
    (one, other) => Date.parse(one.summary.startedAt) - Date.parse(other.summary.startedAt),
  );
  const planned = new Set(
    stored.flatMap(({ summary }) => plannedIn(summary.overall).map(({ operation }) => operation)),
  );
  return {
    scenarioName,
    operations: MEASURED_OPERATIONS.filter((operation) => planned.has(operation)),
    runs: inOrder.map(({ folder, summary }, index) => {
      const { runId, startedAt, environment, verdict, overall } = summary;
      const before = inOrder[index - 1]?.summary;
      return {
        runId,
        folder,
        startedAt,
        muster: environment.muster,
        verdict: verdict.kind,
        changes: before === undefined ? [] : changesSince(before, summary),
        figures: Object.fromEntries(
          plannedIn(overall).map((run) => {
            const known = COMPARED_FIGURES.map((figure) => [figure, figureOf(run, figure)] as const);
            return [run.operation, Object.fromEntries(known.filter(([, value]) => value !== undefined))];
          }),
        ),
      };
    }),
  };
}
