import { button, element, part, row, showChildren } from '../../../report/page/browser/elements.ts';
import type { Band } from '../../../report/page/chart-data.ts';
import type { EventAnswer } from '../../control-api/schemas.ts';
import { around, instantText, spanAddress } from '../time-range.ts';
import { Refused, requestJson } from './connection.ts';

const STATUS_TEXTS = { 'to-come': 'planned', 'under-way': 'in progress', over: 'over' };

/** End of events without a known end. */
const FAR_SECONDS = 1e11;

/** The table of events. @param onBands called with the events as bands for charts, whenever they change */
export function createEventLog(onBands: (bands: readonly Band[]) => void) {
  let events: readonly EventAnswer[] = [];
  const show = (all: readonly EventAnswer[]) => {
    events = all;
    showEvents(part('events', HTMLTableSectionElement), events, (name) => void end(name));
    part('no-events', HTMLElement).hidden = events.length > 0;
    onBands(eventBandsOf(events));
  };
  const read = async () => {
    const answer: { readonly events: readonly EventAnswer[] } = await requestJson('/api/v1/events');
    show(answer.events);
  };
  const end = async (name: string) => {
    const message = part('events-message', HTMLOutputElement);
    try {
      await requestJson(`/api/v1/events/${encodeURIComponent(name)}`, { method: 'DELETE' });
      message.textContent = `Ended ${name}.`;
      // The button disappears with the next line.
      message.focus();
      await read();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      message.textContent = error.message;
    }
  };
  return {
    read,
    /** @param nowMs in Unix time */
    passTo: (nowMs: number) => {
      const updated = eventsAt(events, nowMs);
      if (updated !== events) show(updated);
    },
  };
}

/** Shows events in a table, newest first. */
function showEvents(body: HTMLTableSectionElement, events: readonly EventAnswer[], end: (name: string) => void) {
  const inOrder = [...events].sort((a, b) => fromSeconds(b) - fromSeconds(a));
  const rows = inOrder.map((event) => {
    const { name, status, cohort, from, to } = event;
    const isOpen = status !== 'over';
    const ending = button('End', () => end(name));
    ending.ariaLabel = `End ${name}`;
    return row([
      name,
      event.do,
      cohort,
      element('span', { className: `status ${status}` }, [STATUS_TEXTS[status]]),
      from === null ? '–' : startLink(event, from),
      to === null ? '–' : instantText(to),
      isOpen ? ending : '',
    ]);
  });
  // Unchanged buttons must not be replaced, because they would lose the focus.
  showChildren(body, rows);
}

/** Shows the event in the charts. */
function startLink(event: EventAnswer, from: string) {
  const [band] = eventBandsOf([event]);
  if (band === undefined) return instantText(from);
  const link = element('a', { href: spanAddress(around(band, Date.now() / 1000)) }, [instantText(from)]);
  link.ariaLabel = `${event.name} in the charts: ${instantText(from)}`;
  return link;
}

/** In the order in which an event passes through them. */
const STATUSES = ['to-come', 'under-way', 'over'] as const;

/**
 * Updates the status of events to a time in Unix ms. A status never goes back, because completed seconds arrive late.
 * @returns the same list if nothing has changed
 */
function eventsAt(events: readonly EventAnswer[], nowMs: number): readonly EventAnswer[] {
  const updated = events.map((event) => {
    const { from, to, status } = event;
    const hasBegun = from !== null && nowMs >= Date.parse(from);
    const reached = to !== null && nowMs >= Date.parse(to) ? 2 : Number(hasBegun);
    const now = STATUSES[Math.max(reached, STATUSES.indexOf(status))] ?? status;
    return now === status ? event : { ...event, status: now };
  });
  return updated.some((event, index) => event !== events[index]) ? updated : events;
}

/** Events as bands for charts in Unix seconds. */
function eventBandsOf(events: readonly EventAnswer[]): Band[] {
  return events
    .filter(({ from, status }) => from !== null && status !== 'to-come')
    .map((event) => {
      const { name, to, status } = event;
      const begun = fromSeconds(event);
      const ended = status === 'over' ? begun : FAR_SECONDS;
      return { kind: 'event', label: name, fromSeconds: begun, toSeconds: to === null ? ended : Date.parse(to) / 1000 };
    });
}

function fromSeconds({ from }: EventAnswer) {
  return from === null ? 0 : Date.parse(from) / 1000;
}
