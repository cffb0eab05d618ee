import { durationMs, type Stretch } from './late-spans.ts';

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

/** Duration of the seconds that belong to a window. */
export function durationOf(window: Pick<Window, 'spans'>, elapsedMs: number): number {
  return durationMs(wholeSeconds(window, elapsedMs));
}
