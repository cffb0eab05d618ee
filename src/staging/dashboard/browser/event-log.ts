import { button, element, row, showChildren } from '../../../report/page/browser/elements.ts';
import type { Band } from '../../../report/page/chart-data.ts';
import type { EventAnswer } from '../../control-api/schemas.ts';
import type { TimeSpan } from '../time-range.ts';
import { around, spanAddress } from '../time-range.ts';
import { instantText } from './instants.ts';

const STATUS_TEXTS = { 'to-come': 'planned', 'under-way': 'in progress', over: 'over' };

/** End of events without a known end. */
const FAR_SECONDS = 1e11;

/** Shows events in a table, newest first. */
export function showEvents(body: HTMLTableSectionElement, events: readonly EventAnswer[], end: (name: string) => void) {
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
export function eventsAt(events: readonly EventAnswer[], nowMs: number): readonly EventAnswer[] {
  const stand = events.map((event) => {
    const { from, to, status } = event;
    const hasBegun = from !== null && nowMs >= Date.parse(from);
    const reached = to !== null && nowMs >= Date.parse(to) ? 2 : Number(hasBegun);
    const now = STATUSES[Math.max(reached, STATUSES.indexOf(status))] ?? status;
    return now === status ? event : { ...event, status: now };
  });
  return stand.some((event, index) => event !== events[index]) ? stand : events;
}

/** Events as bands for charts in Unix seconds. */
export function eventBandsOf(events: readonly EventAnswer[]): Band[] {
  return events
    .filter(({ from, status }) => from !== null && status !== 'to-come')
    .map((event) => {
      const { name, to, status } = event;
      const begun = fromSeconds(event);
      const ended = status === 'over' ? begun : FAR_SECONDS;
      return { kind: 'event', label: name, fromSeconds: begun, toSeconds: to === null ? ended : Date.parse(to) / 1000 };
    });
}

/**
 * Lists all events in a span, because the names of bands may hide each other.
 * @param span `undefined` for the current time
 */
export function textOfBands(bands: readonly Band[], span: TimeSpan | undefined): string {
  const nowSeconds = Date.now() / 1000;
  const { fromSeconds: from, toSeconds: to } = span ?? { fromSeconds: nowSeconds, toSeconds: nowSeconds };
  const isThen = (band: Band) => band.fromSeconds < to && (band.toSeconds > from || band.fromSeconds >= from);
  const names = bands.filter(isThen).map(({ label }) => label);
  return `${span === undefined ? 'In progress' : instantText(from * 1000)}: ${names.join(', ') || 'nothing'}`;
}

function fromSeconds({ from }: EventAnswer) {
  return from === null ? 0 : Date.parse(from) / 1000;
}
