import { button, element, row, showChildren } from '../../../report/page/browser/elements.ts';
import type { Band } from '../../../report/page/chart-data.ts';
import type { EventAnswer } from '../../control-api/schemas.ts';
import { around, instantText, spanAddress, type TimeSpan } from '../time-range.ts';

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

const FONT = '13px system-ui, sans-serif';
const GAP_PX = 12;
const measure = new OffscreenCanvas(1, 1).getContext('2d');

/** A band, the place of its name, and its lane; in px. */
type Laid = {
  readonly band: Band;
  readonly left: number;
  readonly width: number;
  readonly name: number;
  readonly lane: number;
};

/** Shows the events of a span above each other, in as many lanes as their bands and names need, so that none hides another. */
export function showLanes(place: HTMLElement, bands: readonly Band[], span: TimeSpan) {
  // A hidden element has no width.
  place.hidden = false;
  const laid = laidOut(bands, span, place.clientWidth);
  const nowSeconds = Date.now() / 1000;
  const items = laid.map(({ band, left, width, name, lane }) => {
    const bar = element('span', { className: 'bar' });
    Object.assign(bar.style, { left: `${left}px`, width: `${width}px` });
    const link = element('a', { href: spanAddress(around(band, nowSeconds)) }, [band.label]);
    link.style.left = `${name}px`;
    const item = element('li', {}, [bar, link]);
    item.style.setProperty('--lane', String(lane));
    return item;
  });
  place.style.setProperty('--lanes', String(Math.max(0, ...laid.map(({ lane }) => lane + 1))));
  showChildren(place, items);
  place.hidden = items.length === 0;
}

function laidOut(bands: readonly Band[], { fromSeconds, toSeconds }: TimeSpan, widthPx: number): readonly Laid[] {
  const ends: number[] = [];
  const pixel = (seconds: number) =>
    Math.round(Math.min(1, Math.max(0, (seconds - fromSeconds) / (toSeconds - fromSeconds))) * widthPx);
  if (measure !== null) measure.font = FONT;
  return bands
    .filter((band) => band.fromSeconds < toSeconds && (band.toSeconds > fromSeconds || band.fromSeconds >= fromSeconds))
    .toSorted((a, b) => a.fromSeconds - b.fromSeconds)
    .map((band) => {
      const left = Math.min(pixel(band.fromSeconds), widthPx - 3);
      const width = Math.max(3, pixel(band.toSeconds) - left);
      const nameWidth = (measure?.measureText(band.label).width ?? 0) + GAP_PX;
      const name = Math.max(0, Math.min(left + 4, widthPx - nameWidth));
      const [begins, isOver] = [Math.min(left, name), Math.max(left + width, name + nameWidth)];
      const free = ends.findIndex((end) => end <= begins);
      const lane = free < 0 ? ends.length : free;
      ends[lane] = isOver;
      return { band, left, width, name, lane };
    });
}
