import { type Reason, unreachableTarget } from '../metrics/judging/verdict.ts';
import type { Recording } from '../metrics/merging/run-totals.ts';
import { finishedCount } from '../metrics/merging/totals.ts';
import { isOperation } from '../protocol/operations.ts';

/** Notices that nothing of a run ever reaches the target. */
export type ReachWatch = {
  /**
   * Asked after each frame; undefined while the run should go on. The reasons are those that the recording itself
   * does not show.
   */
  unreachable(elapsedMs: number, recording: () => Recording): readonly Reason[] | undefined;
  /** Whether the target has taken a connection, as far as is known. */
  connected(): boolean;
};

// A target that refuses everything for this long will not carry the rest of the timeline either.
const UNREACHABLE_AFTER_MS = 4000;

/** `connecting` settles once: whether the target's port took a connection at all. */
export function createReachWatch(connecting: Promise<boolean>): ReachWatch {
  let reached = false;
  let connected = false;
  connecting.then((answer) => {
    connected = answer;
  });
  return {
    connected: () => connected,
    unreachable: (elapsedMs, recording) => {
      if (reached || elapsedMs < UNREACHABLE_AFTER_MS) return undefined;
      const now = recording();
      // Agents that are only polled send the target nothing: it need not be there.
      if (now.phases.every(({ loads }) => loads.length === 0)) return undefined;
      const anyEnded = now.run.series.some(
        ({ operation, totals }) => isOperation(operation) && finishedCount(totals) > 0,
      );
      if (!anyEnded) return connected ? undefined : [noConnection(elapsedMs)];
      reached = unreachableTarget(now, connected).length === 0;
      return reached ? undefined : [];
    },
  };
}

function noConnection(elapsedMs: number): Reason {
  return { kind: 'unreachable', text: `the target accepted no connection in ${Math.round(elapsedMs / 1000)} s` };
}
