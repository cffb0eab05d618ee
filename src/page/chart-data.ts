// What charts in pages are drawn from; scripts in browsers read it, and so this file imports nothing.

/** A stretch of time that is marked in every chart over it; its seconds count as those of the chart do. */
export type Band = {
  readonly kind: 'phase' | 'excluded' | 'fault' | 'event';
  readonly label: string;
  readonly fromSeconds: number;
  readonly toSeconds: number;
};

export type Unit = 'per second' | 'bytes per second' | 'milliseconds' | 'agents' | 'operations' | 'percent';

export type ChartLine = {
  readonly label: string;
  /** A variable of the style sheet, which has each color for light and for dark. */
  readonly color: 'blue' | 'red' | 'purple' | 'green' | 'orange' | 'gray';
  /** Lines are told apart by their dashes, too; empty: solid. */
  readonly dash: readonly number[];
  /** Null: nothing was measured. */
  readonly values: readonly (number | null)[];
};
