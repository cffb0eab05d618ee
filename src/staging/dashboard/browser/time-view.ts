import { element, part, showChildren } from '../../../report/page/browser/elements.ts';
import type { Band } from '../../../report/page/chart-data.ts';
import type { FiguresRow } from '../../control-api/schemas.ts';
import type { RangeResolution, Shown, TimeSpan } from '../time-range.ts';
import {
  around,
  fieldValueOf,
  instantText,
  movedSpan,
  resolutionOf,
  spanAddress,
  spanInAddress,
  spanOf,
  spanOfFields,
} from '../time-range.ts';
import type { ChartFrame } from './charts.ts';
import { createCharts } from './charts.ts';
import { Refused, requestJson } from './connection.ts';
import { showFailures, showOperations } from './operations.ts';
import { CHARTS, pointOf } from './points.ts';

/** What is shown at first: the last ten minutes. */
const FIRST_SHOWN: Shown = { kind: 'last', seconds: 600 };

const nowSeconds = () => Date.now() / 1000;

/** A span with the resolution of its figures. */
type TimeFrame = ChartFrame & { readonly resolution: RangeResolution['name'] };

/**
 * The figures of the fleet over a span of time, as charts and tables, with the events in it.
 * @param firstSeconds returns the first start of the fleet, before which there is nothing to show
 */
export function createTimeView(firstSeconds: () => number) {
  let shown: Shown = spanInAddress(location.hash) ?? FIRST_SHOWN;
  let figures: readonly FiguresRow[] = [];
  let bands: readonly Band[] = [];
  let atCursor: TimeSpan | undefined;
  /** Counts changes of the span, because an answer may arrive after the next change. */
  let changes = 0;
  const frameNow = (): TimeFrame => frameOfSpan(spanOf(shown, nowSeconds(), firstSeconds()));
  const operation = part('operation', HTMLSelectElement);
  const read = async () => {
    changes += 1;
    const [change, frame] = [changes, frameNow()];
    showRange();
    try {
      const [rows, [whole]] = await Promise.all([
        requestFigures(frame.resolution, frame),
        requestFigures('whole', frame),
      ]);
      if (change !== changes) return;
      figures = rows;
      controls.showMessage(rows.length === 0 ? 'No figures are kept of this time.' : '', 'note');
      showWhole(whole);
      drawFigures();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (change === changes) controls.showMessage(error.message, 'bad');
    }
  };
  const show = (next: Shown) => {
    shown = next;
    history.replaceState(null, '', next.kind === 'fixed' ? spanAddress(next) : location.pathname);
    void read();
  };
  const controls = createSpanControls(frameNow, show);
  /** Lists all events at the cursor, or current ones. */
  const showEventNames = () => {
    part('events-then', HTMLElement).textContent = textOfBands(bands, atCursor);
  };
  const charts = createCharts(part('charts', HTMLElement), CHARTS, {
    onCursor: (span) => {
      atCursor = span;
      showEventNames();
    },
    onSelect: (span) => show({ kind: 'fixed', ...span }),
  });
  const drawLanes = () => showLanes(part('lanes', HTMLOListElement), bands, frameNow());
  const showRange = () => {
    controls.showRange(shown, frameNow());
    drawLanes();
  };
  const drawFigures = () => {
    offerOperations(operation, figures.at(-1));
    charts.setPoints(
      figures.map((entry) => pointOf(entry, operation.value)),
      frameNow(),
    );
  };
  operation.addEventListener('change', drawFigures);
  return {
    read,
    setBands: (all: readonly Band[]) => {
      bands = all;
      charts.setBands(all);
      drawLanes();
      showEventNames();
    },
    takeSecond: (second: FiguresRow) => {
      const { resolution, fromSeconds } = frameNow();
      if (shown.kind === 'fixed' || resolution !== 'second') return;
      figures = [...figures, second].filter(({ at }) => Date.parse(at) >= fromSeconds * 1000);
      drawFigures();
    },
    /** Shows the span in the address of the page, if there is one. */
    takeAddress: () => {
      shown = spanInAddress(location.hash) ?? shown;
      part('time', HTMLElement).scrollIntoView({ block: 'start' });
      void read();
    },
    /** The resolution in which the last seconds are shown; `undefined` if a fixed span is. */
    liveResolution: () => (shown.kind === 'last' ? frameNow().resolution : undefined),
    /** Reads the figures of the tables again, while the charts take each second as it comes. */
    readWhole: async () => {
      const change = changes;
      const [whole] = await requestFigures('whole', frameNow());
      if (change !== changes) return;
      showWhole(whole);
      showRange();
    },
    drawAnew: () => {
      charts.drawAnew();
      showRange();
    },
  };
}

function frameOfSpan({ fromSeconds, toSeconds }: TimeSpan): TimeFrame {
  const { name, stepSeconds } = resolutionOf({ fromSeconds, toSeconds }, nowSeconds());
  return { fromSeconds: fromSeconds - (fromSeconds % stepSeconds), toSeconds, stepSeconds, resolution: name };
}

async function requestFigures(
  resolution: string,
  { fromSeconds, toSeconds }: TimeSpan,
): Promise<readonly FiguresRow[]> {
  const [from, to] = [fromSeconds, toSeconds].map((seconds) => new Date(seconds * 1000).toISOString());
  const answer: { readonly rows: readonly FiguresRow[] } = await requestJson(
    `/api/v1/figures?resolution=${resolution}&from=${from}&to=${to}`,
  );
  return answer.rows;
}

function showWhole(whole: FiguresRow | undefined) {
  showOperations(part('operations', HTMLTableSectionElement), whole);
  showFailures(part('failures', HTMLTableSectionElement), whole);
}

/** Adds the operations of the figures to the field that selects one of them. */
function offerOperations(field: HTMLSelectElement, newest: FiguresRow | undefined) {
  const known = new Set([...field.options].map(({ value }) => value));
  for (const { operation } of newest?.operations ?? []) {
    if (!known.has(operation)) field.append(new Option(operation, operation));
  }
}

/** How far each button moves the start and the end of the span, as shares of its length. */
const MOVES = { earlier: [-0.5, -0.5], later: [0.5, 0.5], 'zoom-in': [0.25, -0.25], 'zoom-out': [-0.5, 0.5] } as const;

/** The fields and buttons that choose the span. */
function createSpanControls(frameNow: () => ChartFrame, onChoose: (shown: Shown) => void) {
  const range = part('range', HTMLSelectElement);
  const [from, to] = [part('from', HTMLInputElement), part('to', HTMLInputElement)];
  const message = part('span-message', HTMLOutputElement);
  const showMessage = (text: string, look: 'note' | 'bad') => {
    message.className = look;
    message.textContent = text;
  };
  range.addEventListener('change', () => {
    if (range.value === '') from.focus();
    else onChoose({ kind: 'last', seconds: Number(range.value) });
  });
  part('span', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault();
    const span = spanOfFields([from.value, to.value], nowSeconds());
    if (typeof span === 'string') showMessage(span, 'bad');
    else onChoose({ kind: 'fixed', ...span });
  });
  for (const [id, move] of Object.entries(MOVES)) {
    const choose = () => onChoose({ kind: 'fixed', ...movedSpan(frameNow(), move, nowSeconds()) });
    part(id, HTMLButtonElement).addEventListener('click', choose);
  }
  return {
    showMessage,
    /** Shows the span in the fields, unless someone is writing there. */
    showRange: (shown: Shown, { fromSeconds, toSeconds }: TimeSpan) => {
      range.value = shown.kind === 'fixed' ? '' : String(shown.seconds);
      if (document.activeElement !== from) from.value = fieldValueOf(fromSeconds);
      if (document.activeElement !== to) to.value = fieldValueOf(toSeconds);
      part('moment', HTMLAnchorElement).href = spanAddress({ fromSeconds, toSeconds });
    },
  };
}

/** Lists all events in a span, because the names of bands may hide each other. @param span `undefined` for the current time */
function textOfBands(bands: readonly Band[], span: TimeSpan | undefined): string {
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
function showLanes(list: HTMLElement, bands: readonly Band[], span: TimeSpan) {
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
