import type { Summary } from '../../../src/metrics/summary/summary-schema.ts';

/** Sum of one figure of an operation over all phases. */
export function total(
  summary: Summary,
  operation: string,
  figure: 'planned' | 'started' | 'succeeded' | 'failed' | 'dropped',
): number {
  const operations = summary.phases.flatMap((phase) => phase.operations);
  return operations.filter((entry) => entry.operation === operation).reduce((sum, entry) => sum + entry[figure], 0);
}

/** Sum of one outcome of an operation over all phases. */
export function outcomes(summary: Summary, operation: string, outcome: string): number {
  const operations = summary.phases
    .flatMap((phase) => phase.operations)
    .filter((entry) => entry.operation === operation);
  return operations.reduce((sum, entry) => sum + (entry.outcomes[outcome as keyof typeof entry.outcomes] ?? 0), 0);
}
