import type { Operation } from '../../ground/protocol/operations.ts';

/** The part of a scenario's phase that metrics need; a `Phase` of the scenario fits. */
export type PhaseSpan = {
  readonly name: string;
  readonly startMs: number;
  readonly durationMs: number;
  /** Excluded from thresholds and from the overall figures. */
  readonly excluded: boolean;
  readonly loads: readonly { readonly operation: Operation; readonly model: { readonly kind: string } }[];
};

/** Name of the phase at this time of the timeline; `undefined` before the first phase and after the last. */
export function phaseAt(
  phases: readonly Pick<PhaseSpan, 'name' | 'startMs' | 'durationMs'>[],
  elapsedMs: number,
): string | undefined {
  return phases.find(({ startMs, durationMs }) => startMs <= elapsedMs && elapsedMs < startMs + durationMs)?.name;
}

/** How much of a phase took place before the timeline ended after `elapsedMs`: all of it, unless the run was cut short. */
export function elapsedOf(phase: PhaseSpan, elapsedMs: number): number {
  return Math.min(phase.durationMs, Math.max(0, elapsedMs - phase.startMs));
}

/**
 * Phases that [second, second + 1) of the run overlaps, or the last phase for later seconds. A slow
 * generator picks up a phase's last arrivals after its end.
 */
export function phasesOfSecond(phases: readonly PhaseSpan[], second: number): readonly PhaseSpan[] {
  return phases.filter((phase) => overlapMs(phase, phases, { fromMs: second * 1000, toMs: (second + 1) * 1000 }) > 0);
}

/** How much of an interval overlaps a phase; time after the last phase counts as part of it. */
export function overlapMs(
  phase: PhaseSpan,
  phases: readonly PhaseSpan[],
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): number {
  const endMs = phase === phases.at(-1) ? Number.POSITIVE_INFINITY : phase.startMs + phase.durationMs;
  return Math.max(0, Math.min(toMs, endMs) - Math.max(fromMs, phase.startMs));
}
