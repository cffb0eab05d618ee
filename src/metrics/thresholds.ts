import type { Operation } from '../protocol/operations.ts';

/** One condition such as `p(99) < 250ms` on an operation, over the counted phases or on one named phase. */
export type Threshold = {
  readonly operation: Operation;
  readonly phase: string | undefined;
  readonly statistic: Statistic;
  readonly comparator: '<' | '<=' | '>' | '>=' | '==';
  /** In the statistic's unit: milliseconds, operations, operations per second, or a share from 0 to 1. */
  readonly bound: number;
  /** As written, for reports. */
  readonly text: string;
};

export type Statistic =
  | { readonly kind: 'percentile'; readonly percentile: number }
  | { readonly kind: 'avg' | 'min' | 'max' | 'count' | 'rate' | 'error_rate' };
