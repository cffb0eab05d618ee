import { element, showChildren } from '../../../report/page/browser/elements.ts';
import type { Band } from '../../../report/page/chart-data.ts';
import { around, instantText, spanAddress, type TimeSpan } from '../time-range.ts';

/** Lists all events in a span, because the names of bands may hide each other. @param span `undefined` for the current time */
export function textOfBands(bands: readonly Band[], span: TimeSpan | undefined): string {
  const nowSeconds = Date.now() / 1000;
  const { fromSeconds: from, toSeconds: to } = span ?? { fromSeconds: nowSeconds, toSeconds: nowSeconds };
  const names = bandsIn(bands, { fromSeconds: from, toSeconds: to }).map(({ label }) => label);
  return `${span === undefined ? 'In progress' : instantText(from * 1000)}: ${names.join(', ') || 'nothing'}`;
}

/** The bands in a span; one without a length is in the span that begins with it. */
function bandsIn(bands: readonly Band[], { fromSeconds, toSeconds }: TimeSpan): readonly Band[] {
  return bands.filter(
    (band) => band.fromSeconds < toSeconds && (band.toSeconds > fromSeconds || band.fromSeconds >= fromSeconds),
  );
}

const FONT = '13px system-ui, sans-serif';
const GAP_PX = 12;
const measure = new OffscreenCanvas(1, 1).getContext('2d');

/** Shows the events of a span above each other, in as many lanes as their bands and names need, so that none hides another. */
export function showLanes(list: HTMLElement, bands: readonly Band[], span: TimeSpan) {
  // A hidden element has no width.
  list.hidden = false;
  const laid = layOut(bands, span, list.clientWidth);
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
  list.style.setProperty('--lanes', String(Math.max(0, ...laid.map(({ lane }) => lane + 1))));
  showChildren(list, items);
  list.hidden = items.length === 0;
}

/** Where bands and their names are, in px, and in which lanes. */
function layOut(bands: readonly Band[], { fromSeconds, toSeconds }: TimeSpan, widthPx: number) {
  const ends: number[] = [];
  const pixel = (seconds: number) =>
    Math.round(Math.min(1, Math.max(0, (seconds - fromSeconds) / (toSeconds - fromSeconds))) * widthPx);
  if (measure !== null) measure.font = FONT;
  return bandsIn(bands, { fromSeconds, toSeconds })
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
