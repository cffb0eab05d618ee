import { isOperation } from '../ground/protocol/operations.ts';
import { type Reason, unreachableTarget } from '../metrics/judging/verdict.ts';
import type { Recording } from '../metrics/merging/run-totals.ts';
import { finishedCount } from '../metrics/merging/totals.ts';

/** Detects that a run never reaches its target. */
export type ReachWatch = {
  /** Called after each frame; `undefined` while the run should continue. Returns only the reasons that the recording does not contain. */
  unreachable(elapsedMs: number, recording: () => Recording): readonly Reason[] | undefined;
  /** Whether the target is known to have accepted a connection. */
  connected(): boolean;
};

// A target that refuses everything for this long is not expected to recover.
const UNREACHABLE_AFTER_MS = 4000;

/** @param connecting settles once: whether the target's port accepted a connection. */
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
      // Agents that are only polled send nothing to the target, which need not exist.
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
