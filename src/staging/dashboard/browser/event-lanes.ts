import { element, showChildren } from '../../../report/page/browser/elements.ts';
import type { Band } from '../../../report/page/chart-data.ts';
import type { TimeSpan } from '../time-range.ts';
import { around, spanAddress } from '../time-range.ts';

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
