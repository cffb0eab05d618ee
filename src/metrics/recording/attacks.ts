import type { z } from 'zod';
import type { AttackEnding, AttackName } from '../../base/protocol/attacks.ts';
import { createHistogram, type Histogram, merge, type PackedHistogram, pack, record, valueCount } from './histogram.ts';
import type { attackCountsSchema } from './schema.ts';
import { addTally } from './tally.ts';

export type AttackEndings = Readonly<Record<AttackEnding['kind'], number>>;

/**
 * Attacks of one kind during an interval. They are all that is recorded of misbehaving agents, which no figure of healthy agents
 * includes. Histograms are packed between threads and machines, as in `SeriesFrame`.
 */
export type AttackCounts<Values = PackedHistogram> = Readonly<z.infer<typeof attackCountsSchema>> & {
  /** From the first dial to the end, in microseconds; `undefined` if no attack started. */
  readonly latency: Values | undefined;
};

export type EndedAttack = {
  readonly how: AttackName;
  readonly ending: AttackEnding;
  readonly latencyMs: number;
  readonly sentBytes: number;
};

export type AttackRecorder = ReturnType<typeof createAttackRecorder>;

export const NO_ATTACKS: AttackEndings = { accepted: 0, refused: 0, closed: 0, unanswered: 0, failed: 0, skipped: 0 };

/** Counts a shard's attacks between two frames. */
export function createAttackRecorder() {
  let sums = createAttackSums();
  return {
    ended: ({ how, ending, latencyMs, sentBytes }: EndedAttack): void => {
      const latency = ending.kind === 'skipped' ? undefined : createHistogram();
      if (latency !== undefined) record(latency, latencyMs);
      const statuses = 'status' in ending ? { [ending.status]: 1 } : {};
      sums.add([{ how, endings: { ...NO_ATTACKS, [ending.kind]: 1 }, statuses, sentBytes, latency }]);
    },
    /** Returns the counts since the last call and resets them. */
    take: (): readonly AttackCounts[] => {
      const counts = packAttacks(sums.read());
      sums = createAttackSums();
      return counts;
    },
  };
}

export function createAttackSums() {
  const sums = new Map<AttackName, AttackCounts<Histogram> & { readonly latency: Histogram }>();
  return {
    add(parts: readonly AttackCounts<Histogram | PackedHistogram>[]): void {
      for (const part of parts) {
        const sum = sums.get(part.how);
        const latency = sum?.latency ?? createHistogram();
        if (part.latency !== undefined) merge(latency, part.latency);
        const [endings, statuses] = [{ ...NO_ATTACKS, ...sum?.endings }, { ...sum?.statuses }];
        addTally(endings, part.endings);
        addTally(statuses, part.statuses);
        sums.set(part.how, {
          how: part.how,
          endings,
          statuses,
          sentBytes: (sum?.sentBytes ?? 0) + part.sentBytes,
          latency,
        });
      }
    },
    /** Sums sorted by name. The histograms are not copies: do not change them. */
    read: (): readonly AttackCounts<Histogram>[] =>
      [...sums.values()]
        .sort((a, b) => a.how.localeCompare(b.how, 'en'))
        .map((sum) => (valueCount(sum.latency) === 0 ? { ...sum, latency: undefined } : sum)),
  };
}

export function packAttacks(attacks: readonly AttackCounts<Histogram>[]): readonly AttackCounts[] {
  return attacks.map((counts) => ({
    ...counts,
    latency: counts.latency === undefined ? undefined : pack(counts.latency),
  }));
}
