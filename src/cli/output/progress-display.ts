import type { TimelineFrame } from '../../metrics/merging/timeline.ts';

/** What is told of a run while it goes. */
export type ProgressDisplay = {
  /** Seconds of the timeline that are complete. */
  advance(seconds: readonly TimelineFrame[]): void;
  /** What is done before the start; nobody who wants quiet is told. */
  preparing(text: string): void;
  /** A message that stays. */
  note(text: string): void;
  end(): void;
};
