import { labeled } from '../base/kernel/random.ts';
import type { LoadModel } from './timeline.ts';

// Real agents took at least 4.006 s, usually 4.02 s and at most 4.43 s on a busy machine (docs/reference/wire.md, "When things are sent").
const MIN_LATE_MS = 6;
const USUAL_LATE_MS = 14;
const MAX_LATE_MS = 430;
/** Shorter intervals than this one scale the delay down. */
const USUAL_CHECKS_MS = 5000;

// Real agents took at least 0.63 ms, usually 0.9 and at most 12 (docs/reference/wire.md, "The agent's life").
const MIN_SAVING_MS = 0.6;
const MEAN_FURTHER_SAVING_MS = 0.4;

/**
 * Durations of an agent's check runs and collections. Pure functions of seed, agent and time on the agent's grid, so that all callers get
 * the same value.
 */
export type Durations = ReturnType<typeof durationsOf>;

export function durationsOf(seed: number) {
  const ofHost = labeled(seed, 'check run of host');
  const ofRun = labeled(seed, 'check run');
  const collecting = labeled(seed, 'collecting');
  const ofCollection = labeled(seed, 'collection');
  const saving = labeled(seed, 'saving');
  return {
    /**
     * Delay of a check run in milliseconds, relative to the shortest run of its host, which would end at `gridMs`. `everyMs` is the interval
     * of the runs.
     */
    lateMs: (agent: number, gridMs: number, everyMs: number): number => {
      const usualMs = USUAL_LATE_MS * (0.5 + ofHost(agent) / WHOLE);
      const quantile = ofRun(occasion(agent, gridMs)) / WHOLE;
      const lateMs = MIN_LATE_MS + usualMs * Math.sqrt(quantile / (1 - quantile));
      return Math.min(MAX_LATE_MS, lateMs) * Math.min(1, everyMs / USUAL_CHECKS_MS);
    },
    /** Duration of a package collection that starts at `gridMs`, in milliseconds. `share` scales it down for short intervals. */
    collectingMs: (agent: number, gridMs: number, share: number): number => {
      const usualMs = 2500 + (2500 * collecting(agent)) / WHOLE;
      return usualMs * (0.8 + (0.4 * ofCollection(occasion(agent, gridMs))) / WHOLE) * share;
    },
    /** Time from the answer that issues an agent's password to the push that follows it: the agent writes its password to a file. */
    savingMs: (agent: number): number => MIN_SAVING_MS - MEAN_FURTHER_SAVING_MS * Math.log(1 - saving(agent) / WHOLE),
  };
}

/** Minimum interval of collections in a real agent. Shorter intervals scale the duration down. */
const USUAL_COLLECTIONS_MS = 60_000;

/** Duration of a load's collections as a share of a real agent's. */
export function shareOfCollecting(model: LoadModel): number {
  if (model.kind !== 'cadence') return 1;
  return Math.min(1, model.everyMs / USUAL_COLLECTIONS_MS, model.firstMs / USUAL_COLLECTIONS_MS);
}

/** Hashes are below this. */
const WHOLE = 0x1_0000_0000;

// Tenths of a second in 310 days. Combined with an agent's index they remain an exact integer.
const OCCASIONS = 2 ** 28;

function occasion(agent: number, gridMs: number): number {
  const tenth = Math.floor(gridMs / 100) % OCCASIONS;
  return agent * OCCASIONS + (tenth < 0 ? tenth + OCCASIONS : tenth);
}
