import type { LateSpan } from '../recording/lateness.ts';

/** A stretch of the timeline, in milliseconds from its start. */
export type Stretch = { readonly fromMs: number; readonly toMs: number };

export function durationMs(stretches: readonly Stretch[]): number {
  return stretches.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
}

export type WorkerLateSpan = LateSpan & { readonly shard: number };

/** More spans than this leave nothing to judge; an endless run keeps the latest ones. */
const MAX_KEPT = 10_000;

/** Joins the pieces that frames report. */
export function createLateSpans() {
  const byShard = new Map<number, LateSpan[]>();
  return {
    add: (shard: number, pieces: readonly LateSpan[] = []): void => {
      if (pieces.length === 0) return;
      const spans = byShard.get(shard) ?? [];
      byShard.set(shard, spans);
      for (const piece of pieces) {
        const last = spans.at(-1);
        if (last !== undefined && piece.fromMs <= last.toMs && last.fromMs <= piece.toMs)
          spans[spans.length - 1] = joined(last, piece);
        else spans.push(piece);
      }
      spans.splice(0, spans.length - MAX_KEPT);
    },
    read: (): readonly WorkerLateSpan[] =>
      [...byShard].flatMap(([shard, spans]) => spans.map((span) => ({ shard, ...span }))),
  };
}

function joined(one: LateSpan, other: LateSpan): LateSpan {
  return {
    fromMs: Math.min(one.fromMs, other.fromMs),
    toMs: Math.max(one.toMs, other.toMs),
    heldMs: one.heldMs + other.heldMs,
  };
}

/** The parts of a stretch in which any worker was late, disjoint and in order. */
export function latePartsOf(late: readonly WorkerLateSpan[], { fromMs, toMs }: Stretch): readonly Stretch[] {
  const parts: Stretch[] = [];
  for (const span of late.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const part = { fromMs: Math.max(fromMs, span.fromMs), toMs: Math.min(toMs, span.toMs) };
    const last = parts.at(-1);
    if (part.fromMs >= part.toMs) continue;
    if (last === undefined || part.fromMs > last.toMs) parts.push(part);
    else parts[parts.length - 1] = { fromMs: last.fromMs, toMs: Math.max(last.toMs, part.toMs) };
  }
  return parts;
}

/** How much of these stretches was left out, as the mean of all workers: each has an equal part of the fleet. */
export function leftOutMs(late: readonly WorkerLateSpan[], stretches: readonly Stretch[], workers: number): number {
  const shards = [...Map.groupBy(late, ({ shard }) => shard).values()];
  const lostMs = shards.flatMap((own) => stretches.flatMap((stretch) => latePartsOf(own, stretch)));
  return durationMs(lostMs) / Math.max(1, workers);
}
