import type { MeasuredOperation } from '../base/protocol/operations.ts';
import { type OperationSummary, plannedIn, type Summary } from '../metrics/summary/summary-schema.ts';
import { OPERATION_HEADINGS, operationCells } from './figures.ts';
import { fittedTable, shortened, tableRow } from './fitted-table.ts';
import type { Page } from './layout.ts';
import { countText } from './page/figures.ts';

type CohortRow = {
  readonly name: string;
  readonly agents: number;
  /** The name of a phase; empty for all counted phases. */
  readonly phase: string;
  readonly entry: OperationSummary;
};

/** Figures of each operation by cohort, over the counted phases, and in each phase if there are several. */
export type CohortFigures = {
  readonly operation: MeasuredOperation;
  readonly rows: readonly CohortRow[];
  readonly phases: readonly CohortRow[];
};

/** In the order of the operations of the run; empty without cohorts. */
export function cohortFigures({ cohorts = [], overall, phases }: Summary): readonly CohortFigures[] {
  return plannedIn(overall)
    .map(({ operation }) => {
      const rowsOf = (isWhole: boolean) =>
        cohorts.flatMap(({ name, agents, ...figures }) => {
          const parts = isWhole ? [{ name: '', operations: figures.overall }] : figures.phases;
          return parts.flatMap(({ name: phase, operations }): readonly CohortRow[] => {
            const entry = plannedIn(operations).find((one) => one.operation === operation);
            return entry === undefined ? [] : [{ name, agents, phase, entry }];
          });
        });
      return { operation, rows: rowsOf(true), phases: phases.length > 1 ? rowsOf(false) : [] };
    })
    .filter(({ rows }) => rows.length > 0);
}

/** A report has all of them. */
const MAX_COHORTS_SHOWN = 12;

/** For the terminal; empty without cohorts. */
export function cohortLines(summary: Summary, page: Page): string[] {
  const figures = cohortFigures(summary);
  if (figures.length === 0) return [];
  const lines = figures.flatMap(({ operation, rows }) => {
    const more = rows.length - MAX_COHORTS_SHOWN;
    return [
      { note: `  ${page.strong(operation)}` },
      ...rows
        .slice(0, MAX_COHORTS_SHOWN)
        .map(({ name, agents, entry }) =>
          tableRow(`  ${shortened(name, MAX_NAME_COLUMNS)} (${countText(agents)})`, operationCells(entry)),
        ),
      ...(more > 0 ? [{ note: page.faint(`    and ${more} more in the report`) }] : []),
    ];
  });
  const dispensable = ['p95', 'ok/s', 'p50', 'max', 'planned'];
  return fittedTable({ name: 'cohort (agents)', headings: OPERATION_HEADINGS, dispensable }, lines, page);
}

const MAX_NAME_COLUMNS = 24;
