import { REFUSALS, type Refusal } from '../../base/protocol/refusals.ts';
import type { ListenerCounts } from './schema.ts';
import { tallySum } from './tally.ts';

export const NO_LISTENER_COUNTS: ListenerCounts = { accepted: 0, late: 0, handshakes: 0, refused: {}, unanswered: 0 };

/** Commutative and associative. Refusals are sorted, so that reading and writing them again gives the same text. */
export function sumListeners(one: ListenerCounts, other: ListenerCounts): ListenerCounts {
  const refused = REFUSALS.map(
    (reason) => [reason, (one.refused[reason] ?? 0) + (other.refused[reason] ?? 0)] as const,
  );
  return {
    accepted: one.accepted + other.accepted,
    late: one.late + other.late,
    handshakes: one.handshakes + other.handshakes,
    refused: Object.fromEntries(refused.filter(([, count]) => count > 0)),
    unanswered: one.unanswered + other.unanswered,
  };
}

export function refusedCount({ refused }: Pick<ListenerCounts, 'refused'>): number {
  return tallySum(refused);
}

/**
 * Counts events at the ports of a shard's agents between two frames.
 * @param heldUpMs returns how long the generator has not looked for new connections.
 * @param limitMs a connection that may have waited longer than this is late.
 */
export function createListenerRecorder(heldUpMs: () => number, limitMs: number) {
  let accepted = 0;
  let late = 0;
  let handshakes = 0;
  let unanswered = 0;
  const refused = new Map<Refusal, number>();
  return {
    accepted(): void {
      accepted++;
      if (heldUpMs() > limitMs) late++;
    },
    handshake(): void {
      handshakes++;
    },
    refused(reason: Refusal): void {
      refused.set(reason, (refused.get(reason) ?? 0) + 1);
    },
    unanswered(): void {
      unanswered++;
    },
    /** Returns the counts since the last call and resets them. */
    take(): ListenerCounts {
      const counts = sumListeners(NO_LISTENER_COUNTS, {
        accepted,
        late,
        handshakes,
        unanswered,
        refused: Object.fromEntries(refused),
      });
      [accepted, late, handshakes, unanswered] = [0, 0, 0, 0];
      refused.clear();
      return counts;
    },
  };
}
