import type { AverageBytes } from '../../machine/profile.ts';
import type { Pull } from '../scenario.ts';
import type { PlannedLoad } from './planned-load.ts';

// Status line, type, length and date of an agent's answer (docs/protocol.md, "Agent web server").
const ANSWER_HEAD_BYTES = 120;

/** What the embedded server asks of a fleet in every phase, by the answers that agents send. */
export function plannedPolls(
  pull: Pull | undefined,
  { agents, sizes }: { readonly agents: number; readonly sizes: AverageBytes },
): readonly PlannedLoad[] {
  if (pull === undefined) return [];
  const polls = (operation: 'poll' | 'poll-packages', everyMs: number, bodyBytes: number): PlannedLoad => {
    const peakPerSecond = agents / (everyMs / 1000);
    const requestBytes = ANSWER_HEAD_BYTES + bodyBytes;
    return { operation, peakPerSecond, requestBytes, bytesPerSecond: peakPerSecond * requestBytes, slots: undefined };
  };
  return [polls('poll', pull.everyMs, sizes.checkdata), polls('poll-packages', pull.packagesEveryMs, sizes.packages)];
}
