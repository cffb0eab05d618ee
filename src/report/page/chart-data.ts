// Data of charts in pages. Scripts in browsers read it, so this file imports nothing.

/** A time span that is marked in every chart; its seconds are those of the chart. */
export type Band = {
  readonly kind: 'phase' | 'excluded' | 'fault' | 'event';
  readonly label: string;
  readonly fromSeconds: number;
  readonly toSeconds: number;
};

export type Unit = 'per second' | 'bytes per second' | 'milliseconds' | 'agents' | 'operations' | 'percent';

export type ChartLine = {
  readonly label: string;
  /** A variable of the style sheet, which defines each color for light and dark. */
  readonly color: 'blue' | 'red' | 'purple' | 'green' | 'orange' | 'gray';
  /** Dashes distinguish lines in addition to colors; empty for a solid line. */
  readonly dash: readonly number[];
  /** `null` if nothing was measured. */
  readonly values: readonly (number | null)[];
};
