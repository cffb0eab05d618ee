import { occurrencesOf, type Span } from '../events/event.ts';
import { timelineEndMs } from '../load/timeline.ts';
import type { Disturbance } from '../metrics/judging/recovery.ts';
import type { Scenario, ScenarioEvent } from './scenario.ts';

/** When an event takes place: from each time that it begins until it is over for the last agent. */
export function eventSpans(event: ScenarioEvent): readonly Span[] {
  return occurrencesOf(event).map(({ fromMs, toMs }) => ({ fromMs, toMs: toMs + event.overMs }));
}

/** Each time that an event takes place before the end of the run. */
export function disturbancesOf({ events, phases }: Pick<Scenario, 'events' | 'phases'>): readonly Disturbance[] {
  const endMs = timelineEndMs(phases);
  return events.flatMap((event) =>
    eventSpans(event)
      .filter(({ fromMs }) => fromMs < endMs)
      .map(({ fromMs, toMs }) => ({ event: event.name, fromMs, toMs: Math.min(endMs, toMs) })),
  );
}

/** An event begins, or is over for the last agent; in milliseconds from the start of the run. */
export type EventChange = { readonly name: string; readonly change: 'begins' | 'ends'; readonly atMs: number };

/** What begins and ends in [second, second + 1) of a run, in the order of time. */
export function eventChanges(events: readonly ScenarioEvent[], second: number): readonly EventChange[] {
  const changes = events.flatMap((event) =>
    eventSpans(event).flatMap(({ fromMs, toMs }): readonly EventChange[] => [
      { name: event.name, change: 'begins', atMs: fromMs },
      { name: event.name, change: 'ends', atMs: toMs },
    ]),
  );
  return changes.filter(({ atMs }) => Math.floor(atMs / 1000) === second).sort((a, b) => a.atMs - b.atMs);
}

/** The events that are under way at an instant, and for how long yet. */
export function eventsUnderWay(
  events: readonly ScenarioEvent[],
  atMs: number,
): readonly { readonly name: string; readonly leftMs: number }[] {
  return events.flatMap((event) => {
    const span = eventSpans(event).find(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs);
    return span === undefined ? [] : [{ name: event.name, leftMs: span.toMs - atMs }];
  });
}
