import type { FleetEvent, Span } from '../load/events/event.ts';
import { occurrencesIn } from '../load/events/occurrences.ts';
import { timelineEndMs } from '../load/timeline.ts';
import type { Disturbance } from '../metrics/judging/recovery.ts';
import type { Scenario } from './scenario.ts';

/** The spans of an event's occurrences before a time, each from its start until it ends for the last agent. */
export function eventSpans(event: FleetEvent, beforeMs: number): readonly Span[] {
  return spansIn(event, { fromMs: Number.NEGATIVE_INFINITY, toMs: beforeMs });
}

function spansIn(event: FleetEvent, span: Span): readonly Span[] {
  const { overMs, untilMs = Number.POSITIVE_INFINITY } = event;
  return occurrencesIn(event, span).map(({ fromMs, toMs }) => ({ fromMs, toMs: Math.min(toMs + overMs, untilMs) }));
}

/** The scenario with these events instead of its own. Thresholds on an event get its new spans. */
export function withEvents(scenario: Scenario, events: readonly FleetEvent[]): Scenario {
  const endMs = timelineEndMs(scenario.phases);
  const thresholds = scenario.thresholds.map((threshold) => {
    if (threshold.kind !== 'operation' || threshold.event === undefined) return threshold;
    const event = events.find(({ name }) => name === threshold.event);
    return event === undefined ? threshold : { ...threshold, spans: eventSpans(event, endMs) };
  });
  return { ...scenario, events, thresholds };
}

/** The scenario with endless repetitions limited to those that start before the run ends. */
export function withCountedEvents(scenario: Scenario): Scenario {
  const endMs = timelineEndMs(scenario.phases);
  if (!Number.isFinite(endMs)) return scenario;
  const counted = (event: FleetEvent): FleetEvent => {
    const { repeat, fromMs } = event;
    if (repeat?.times !== Number.POSITIVE_INFINITY) return event;
    return { ...event, repeat: { ...repeat, times: Math.ceil((endMs - fromMs) / repeat.everyMs) } };
  };
  return { ...scenario, events: scenario.events.map(counted) };
}

/** All occurrences of events before the end of the run; none for an endless run, whose recoveries are not evaluated. */
export function disturbancesOf({ events, phases }: Pick<Scenario, 'events' | 'phases'>): readonly Disturbance[] {
  const endMs = timelineEndMs(phases);
  if (!Number.isFinite(endMs)) return [];
  return events.flatMap((event) =>
    eventSpans(event, endMs).map(({ fromMs, toMs }) => ({ event: event.name, fromMs, toMs: Math.min(endMs, toMs) })),
  );
}

/** The start of an event, or its end for the last agent, in milliseconds from the start of the run. */
export type EventChange = { readonly name: string; readonly change: 'begins' | 'ends'; readonly atMs: number };

/** Starts and ends of events in [second, second + 1) of a run, in chronological order. */
export function eventChanges(events: readonly FleetEvent[], second: number): readonly EventChange[] {
  const span = { fromMs: second * 1000, toMs: (second + 1) * 1000 };
  const changes = events.flatMap((event) =>
    spansIn(event, span).flatMap(({ fromMs, toMs }): readonly EventChange[] => [
      { name: event.name, change: 'begins', atMs: fromMs },
      { name: event.name, change: 'ends', atMs: toMs },
    ]),
  );
  return changes.filter(({ atMs }) => Math.floor(atMs / 1000) === second).sort((a, b) => a.atMs - b.atMs);
}

/** Resolution of times: one microsecond. */
const MIN_MS = 0.001;

/** Events in progress at a time, with their remaining time. */
export function eventsInProgress(
  events: readonly FleetEvent[],
  atMs: number,
): readonly { readonly name: string; readonly leftMs: number }[] {
  return events.flatMap((event) => {
    const spans = spansIn(event, { fromMs: atMs, toMs: atMs + MIN_MS });
    const span = spans.find(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs);
    return span === undefined ? [] : [{ name: event.name, leftMs: span.toMs - atMs }];
  });
}
