import type { Span } from '../load/events/event.ts';
import type { Frame } from '../metrics/recording/frame.ts';
import type { HealthReading } from '../metrics/recording/health-reading.ts';
import type { EventSummary } from '../metrics/summary/events.ts';
import { eventSince } from '../scenario/planning/staying.ts';
import type { FleetMessage, ShardAccount } from './messages.ts';
import type { AgentDetails, AnswerTo, Ask, ShardQuery } from './shard-query.ts';

/** Conversions for a shard that starts, and counts its times, `sinceMs` after its run, which is a whole number of seconds. */
export function frameLater(frame: Frame, sinceMs: number): Frame {
  if (sinceMs === 0) return frame;
  return {
    ...frame,
    second: frame.second + sinceMs / 1000,
    stalls: frame.stalls.map((stall) => spanLater(stall, sinceMs)),
    ...(frame.late && { late: frame.late.map((span) => ({ ...span, ...spanLater(span, sinceMs) })) }),
    ...(frame.evidence && { evidence: frame.evidence.map((one) => ({ ...one, atMs: one.atMs + sinceMs })) }),
    ...(frame.happened && { happened: frame.happened.map((event) => eventLater(event, sinceMs)) }),
  };
}

export function accountLater(account: ShardAccount, sinceMs: number): ShardAccount {
  return sinceMs === 0 ? account : { ...account, events: account.events.map((event) => eventLater(event, sinceMs)) };
}

function eventLater<Event extends EventSummary>(event: Event, sinceMs: number): Event {
  const { untilMs, resumedMs } = event;
  return {
    ...event,
    ...spanLater(event, sinceMs),
    ...(untilMs !== undefined && { untilMs: untilMs + sinceMs }),
    // 0: no agent started again.
    ...(resumedMs && { resumedMs: resumedMs.map((atMs) => (atMs === 0 ? 0 : atMs + sinceMs)) }),
  };
}

export function detailsLater(details: AgentDetails, sinceMs: number): AgentDetails {
  const later = <Part extends { readonly atMs: number }>(part: Part): Part => ({ ...part, atMs: part.atMs + sinceMs });
  const ended = <Last extends { readonly endedMs: number }>(last: Last | undefined): Last | undefined =>
    last && { ...last, endedMs: last.endedMs + sinceMs };
  const { history, seen, last, webServer } = details;
  const configured = webServer?.configured;
  return {
    ...later(details),
    history: history.map(later),
    last: ended(last),
    webServer: webServer && {
      ...webServer,
      configured: configured?.atMs === undefined ? configured : { atMs: configured.atMs + sinceMs },
      last: ended(webServer.last),
    },
    seen: { request: seen.request && later(seen.request), answer: seen.answer && later(seen.answer) },
  };
}

function healthLater({ kinds, codes }: HealthReading, laterMs: number): HealthReading {
  const later = kinds.map(({ sinceMs, ...kind }) => ({
    ...kind,
    ...(sinceMs !== undefined && { sinceMs: sinceMs + laterMs }),
  }));
  return { kinds: later, codes };
}

/** Converts queries to the shard's own times, and answers to those of the run. */
export function askSince(sinceMs: number, ask: Ask): Ask {
  if (sinceMs === 0) return ask;
  return async <Query extends ShardQuery>(query: Query) => {
    const answer = await ask(querySince(query, sinceMs));
    if (query.kind === 'agent_details') return detailsLater(answer as AgentDetails, sinceMs) as AnswerTo<Query>;
    return (query.kind === 'health' ? healthLater(answer as HealthReading, sinceMs) : answer) as AnswerTo<Query>;
  };
}

export function querySince<Query extends ShardQuery>(query: Query, sinceMs: number): Query {
  switch (query.kind) {
    case 'find_event':
      return { ...query, event: eventSince(query.event, sinceMs) };
    case 'affected_by':
      return { ...query, atMs: query.atMs - sinceMs };
    default:
      return query;
  }
}

export function messageSince(message: FleetMessage, sinceMs: number): FleetMessage {
  if (message.kind === 'event') return { ...message, event: eventSince(message.event, sinceMs) };
  return message.kind === 'end_event' ? { ...message, atMs: message.atMs - sinceMs } : message;
}

function spanLater({ fromMs, toMs }: Span, laterMs: number): Span {
  return { fromMs: fromMs + laterMs, toMs: toMs + laterMs };
}
