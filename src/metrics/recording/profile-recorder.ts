import type { MeasuredOperation } from '../../protocol/operations.ts';
import { createHistogram, encode, type Histogram, record } from './histogram.ts';

/**
 * Response times by the profile of the agent. They are handed over once, at the end: by the second they would make a frame
 * as many times larger as a fleet has profiles.
 */
export type ProfileRecorder = {
  /** `agent` is numbered within the shard. */
  finished(agent: number, operation: MeasuredOperation, responseMs: number): void;
  take(): readonly ProfileResponses[];
};

/** `histogram` as in a frame. */
export type ProfileResponses = {
  readonly profile: string;
  readonly operation: MeasuredOperation;
  readonly histogram: string;
};

export function createProfileRecorder(profileOf: (agent: number) => string): ProfileRecorder {
  const byProfile = new Map<string, Map<MeasuredOperation, Histogram>>();
  return {
    finished(agent, operation, responseMs) {
      record(histogramOf(byProfile, profileOf(agent), operation), responseMs);
    },
    take: () =>
      [...byProfile].flatMap(([profile, histograms]) =>
        [...histograms].map(([operation, histogram]) => ({ profile, operation, histogram: encode(histogram) })),
      ),
  };
}

function histogramOf(
  byProfile: Map<string, Map<MeasuredOperation, Histogram>>,
  profile: string,
  operation: MeasuredOperation,
): Histogram {
  const histograms = byProfile.get(profile) ?? new Map<MeasuredOperation, Histogram>();
  byProfile.set(profile, histograms);
  const histogram = histograms.get(operation) ?? createHistogram();
  histograms.set(operation, histogram);
  return histogram;
}
