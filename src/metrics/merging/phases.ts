import type { Operation } from '../../base/protocol/operations.ts';
import { durationMs, type Stretch } from './late-spans.ts';

/** The part of a scenario's phase that metrics need; a `Phase` of the scenario fits. */
export type PhaseSpan = {
  readonly name: string;
  readonly startMs: number;
  readonly durationMs: number;
  /** Excluded from thresholds and from the overall figures. */
  readonly excluded: boolean;
  readonly loads: readonly { readonly operation: Operation; readonly model: { readonly kind: string } }[];
};

/** Whether a phase has a load that sends as fast as answers come. */
export function isClosed({ loads }: PhaseSpan): boolean {
  return loads.some(({ model }) => model.kind === 'concurrency');
}

/** The phase at this time of the timeline; `undefined` before the first phase and after the last. */
export function phaseAt<Phase extends Pick<PhaseSpan, 'startMs' | 'durationMs'>>(
  phases: readonly Phase[],
  elapsedMs: number,
): Phase | undefined {
  return phases.find(({ startMs, durationMs }) => startMs <= elapsedMs && elapsedMs < startMs + durationMs);
}

/** How much of a phase took place before the timeline ended after `elapsedMs`: all of it, unless the run was cut short. */
export function elapsedOf(phase: PhaseSpan, elapsedMs: number): number {
  return Math.min(phase.durationMs, Math.max(0, elapsedMs - phase.startMs));
}

/** When a phase took place, as far as it did. */
export function stretchOf(phase: PhaseSpan, elapsedMs: number): Stretch {
  return { fromMs: phase.startMs, toMs: phase.startMs + elapsedOf(phase, elapsedMs) };
}

/** Phases that [second, second + 1) overlaps, or the last one for later seconds: a slow generator picks up arrivals after the end. */
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

/** Named time spans of a run, such as those of an event, in milliseconds from its start. */
export type Window = {
  readonly name: string;
  readonly spans: readonly { readonly fromMs: number; readonly toMs: number }[];
};

/** Whether a window overlaps [second, second + 1) of the run, so that the second belongs to it. */
export function touches({ spans }: Pick<Window, 'spans'>, second: number): boolean {
  return spans.some(({ fromMs, toMs }) => fromMs < toMs && fromMs < (second + 1) * 1000 && second * 1000 < toMs);
}

/** The seconds that belong to a window, disjoint and in order, for a timeline that ended after `elapsedMs`. */
export function wholeSeconds(window: Pick<Window, 'spans'>, elapsedMs: number): readonly Stretch[] {
  const stretches: Stretch[] = [];
  let second = 0;
  const spans = window.spans.filter(({ fromMs, toMs }) => fromMs < toMs);
  for (const { fromMs, toMs } of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    // A second that two spans touch counts once.
    const first = Math.max(second, Math.floor(fromMs / 1000));
    second = Math.max(first, Math.ceil(Math.min(toMs, elapsedMs) / 1000));
    if (first < second) stretches.push({ fromMs: first * 1000, toMs: Math.min(second * 1000, elapsedMs) });
  }
  return stretches;
}

export function durationOf(window: Pick<Window, 'spans'>, elapsedMs: number): number {
  return durationMs(wholeSeconds(window, elapsedMs));
}
