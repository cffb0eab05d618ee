/** Named time spans of a run, such as those of an event, in milliseconds from its start. */
export type Window = {
  readonly name: string;
  readonly spans: readonly { readonly fromMs: number; readonly toMs: number }[];
};

/** Whether a window overlaps [second, second + 1) of the run, so that the second belongs to it. */
export function touches({ spans }: Pick<Window, 'spans'>, second: number): boolean {
  return spans.some(({ fromMs, toMs }) => fromMs < toMs && fromMs < (second + 1) * 1000 && second * 1000 < toMs);
}

/** Duration of the seconds that belong to a window, for a timeline that ended after `elapsedMs`. */
export function durationOf(window: Pick<Window, 'spans'>, elapsedMs: number): number {
  let durationMs = 0;
  let second = 0;
  const spans = window.spans.filter(({ fromMs, toMs }) => fromMs < toMs);
  for (const { fromMs, toMs } of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    // A second that two spans touch counts once.
    for (second = Math.max(second, Math.floor(fromMs / 1000)); second * 1000 < Math.min(toMs, elapsedMs); second++)
      durationMs += Math.min(1000, elapsedMs - second * 1000);
  }
  return durationMs;
}
