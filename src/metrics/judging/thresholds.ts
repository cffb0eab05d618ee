import type { MeasuredOperation } from '../../protocol/operations.ts';

/** One condition that a run must meet. */
export type Threshold = OperationThreshold | DeliveryThreshold;

/** Such as `p(99) < 250ms` on an operation, over the counted phases or on one named phase. */
export type OperationThreshold = Condition & {
  readonly kind: 'operation';
  readonly operation: MeasuredOperation;
  readonly phase: string | undefined;
  readonly statistic: Statistic;
};

/** Such as `lost == 0`, over the whole run. */
export type DeliveryThreshold = Condition & { readonly kind: 'delivery'; readonly figure: DeliveryFigure };

export type Condition = {
  readonly comparator: '<' | '<=' | '>' | '>=' | '==';
  /** In the unit of what is compared: milliseconds, operations, operations per second, or a share from 0 to 1. */
  readonly bound: number;
  /** As written, for reports. */
  readonly text: string;
};

export type Statistic =
  | { readonly kind: 'percentile'; readonly percentile: number }
  | { readonly kind: (typeof PLAIN_STATISTICS)[number] };

/** Statistics without a parameter. */
export const PLAIN_STATISTICS = [
  ...(['avg', 'min', 'max', 'count', 'planned', 'dropped'] as const),
  ...(['rate', 'error_rate', 'dropped_rate'] as const),
] as const;

/** Figures of the delivery accounting that thresholds can be about; all are counts of operations. */
export const DELIVERY_FIGURES = ['lost', 'duplicated', 'unknown'] as const;

export type DeliveryFigure = (typeof DELIVERY_FIGURES)[number];
