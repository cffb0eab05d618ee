import type { Operation } from '../../protocol/operations.ts';

/** What the metrics need to know of a scenario's phase; a `Phase` of the scenario fits. */
export type PhaseSpan = {
  readonly name: string;
  readonly startMs: number;
  readonly durationMs: number;
  /** Left out of thresholds and of the overall figures. */
  readonly excluded: boolean;
  readonly loads: readonly { readonly operation: Operation; readonly model: { readonly kind: string } }[];
};

/** Names the phase that takes place at this instant of the timeline; undefined before the first, and after the last. */
export function phaseAt(
  phases: readonly Pick<PhaseSpan, 'name' | 'startMs' | 'durationMs'>[],
  elapsedMs: number,
): string | undefined {
  return phases.find(({ startMs, durationMs }) => startMs <= elapsedMs && elapsedMs < startMs + durationMs)?.name;
}

/**
 * How much of a phase took place when the timeline ended after `elapsedMs`: all of it, unless the run was cut short.
 */
export function elapsedOf(phase: PhaseSpan, elapsedMs: number): number {
  return Math.min(phase.durationMs, Math.max(0, elapsedMs - phase.startMs));
}

/**
 * Whether [second, second + 1) of the run belongs to the measurement: it touches a counted phase, or lies behind the
 * last phase and that one is counted. A generator that lags picks up a phase's last arrivals only after its end.
 */
export function countsSecond(phases: readonly PhaseSpan[], second: number): boolean {
  const last = phases.at(-1);
  return phases.some((phase) => {
    const endMs = phase === last ? Number.POSITIVE_INFINITY : phase.startMs + phase.durationMs;
    return !phase.excluded && phase.startMs < (second + 1) * 1000 && endMs > second * 1000;
  });
}
