import { MEASURED_OPERATIONS, type MeasuredOperation } from '../../protocol/operations.ts';
import { createHistogram, decode, type Histogram, merge } from '../recording/histogram.ts';
import type { ProfileResponses } from '../recording/profile-recorder.ts';
import { latencyOf } from './latency.ts';
import type { ProfileSummary } from './summary-schema.ts';

/**
 * What the fleet is, and how each kind of host fared.
 * @param agents how many agents have each profile.
 * @param responses of all shards, in any order.
 */
export function profileSummaries(
  agents: Readonly<Record<string, number>>,
  responses: readonly ProfileResponses[],
): ProfileSummary[] {
  return Object.entries(agents).map(([profile, count]) => {
    const own = responses.filter((entry) => entry.profile === profile);
    const latencies = MEASURED_OPERATIONS.map((operation) => [operation, latencyOf(sumOf(own, operation))] as const);
    return {
      profile,
      agents: count,
      responseMs: Object.fromEntries(latencies.filter(([, latency]) => latency !== undefined)),
    };
  });
}

function sumOf(responses: readonly ProfileResponses[], operation: MeasuredOperation): Histogram {
  const sum = createHistogram();
  for (const entry of responses) if (entry.operation === operation) merge(sum, decode(entry.histogram));
  return sum;
}
