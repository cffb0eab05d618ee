import { type FleetEvent, isHostAction, type Span, TRAITS } from './event.ts';

type Times = Pick<FleetEvent, 'fromMs' | 'toMs' | 'repeat'>;

/** All occurrences of an event; repetitions have the same duration. */
export function occurrencesOf({ fromMs, toMs, repeat }: Times): readonly Span[] {
  const { everyMs, times } = repeat ?? { everyMs: 0, times: 1 };
  return Array.from({ length: times }, (_, n) => ({ fromMs: fromMs + n * everyMs, toMs: toMs + n * everyMs }));
}

/** The rest of an event, from the first occurrence that has not ended at `atMs`; `undefined` if none is left. */
export function remainderOf(event: FleetEvent, atMs: number): FleetEvent | undefined {
  const [next] = occurrencesIn(event, { fromMs: atMs, toMs: Number.POSITIVE_INFINITY }, 1);
  const { repeat, fromMs, untilMs = Number.POSITIVE_INFINITY } = event;
  if (next === undefined || untilMs <= atMs) return undefined;
  if (repeat === undefined) return event;
  const { everyMs, times } = repeat;
  return { ...event, ...next, repeat: { everyMs, times: times - Math.round((next.fromMs - fromMs) / everyMs) } };
}

/**
 * Occurrences of an event that overlap a span: they start before its end, and do not end for their last agent before its start. The span or
 * `most` must bound an endless event (`times: Infinity`).
 */
export function occurrencesIn(
  event: Times & Pick<FleetEvent, 'overMs' | 'untilMs'>,
  span: Span,
  most = Number.POSITIVE_INFINITY,
): readonly Span[] {
  const { fromMs, toMs, overMs, repeat = { everyMs: 1, times: 1 }, untilMs = Number.POSITIVE_INFINITY } = event;
  const { everyMs, times } = repeat;
  // Occurrences after the event was ended are left out.
  const beforeMs = Math.min(span.toMs, untilMs);
  const found: Span[] = [];
  const first = Math.max(0, Math.ceil((span.fromMs - toMs - overMs) / everyMs));
  for (let n = first; n < times && found.length < most && fromMs + n * everyMs < beforeMs; n++)
    found.push({ fromMs: fromMs + n * everyMs, toMs: toMs + n * everyMs });
  return found;
}

const RECENT_OCCURRENCES = 2;

/**
 * The first occurrence that matters in a run that starts at 0. Of the earlier occurrences, only the last two matter: an agent that the last
 * one has not reached yet is still affected by the one before. New identities accumulate, so for them every occurrence counts.
 */
export function firstOccurrence(event: FleetEvent, endMs: number): Span | undefined {
  const { fromMs, toMs, action, untilMs = 0, repeat } = event;
  const { everyMs, times } = repeat ?? { everyMs: 1, times: 1 };
  const begun =
    TRAITS[action.kind].isPermanent && !isHostAction(action) ? 0 : Math.ceil((Math.min(0, untilMs) - fromMs) / everyMs);
  const laterMs = everyMs * Math.max(0, Math.min(begun, times) - RECENT_OCCURRENCES);
  return fromMs + laterMs < endMs ? { fromMs: fromMs + laterMs, toMs: toMs + laterMs } : undefined;
}

/** The number of the occurrence in which an agent is hit at this time. */
export function occurrenceAt({ fromMs, repeat }: FleetEvent, atMs: number): number {
  if (repeat === undefined) return 0;
  return Math.max(0, Math.min(repeat.times - 1, Math.floor((atMs - fromMs) / repeat.everyMs)));
}

/** The following occurrence; `undefined` if there is none. */
export function occurrenceAfter(
  { fromMs, toMs }: Span,
  { repeat, fromMs: firstMs }: FleetEvent,
  endMs: number,
): Span | undefined {
  if (repeat === undefined) return undefined;
  const { everyMs, times } = repeat;
  const number = Math.round((fromMs - firstMs) / everyMs) + 1;
  // Computed from the first occurrence to avoid drift.
  const nextMs = firstMs + number * everyMs;
  return number < times && nextMs < endMs ? { fromMs: nextMs, toMs: nextMs + (toMs - fromMs) } : undefined;
}
