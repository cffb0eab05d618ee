import uPlot from 'uplot';
import {
  axisStyle,
  drawLimit,
  legendOf,
  lineSeries,
  sizeOf,
  valueAxis,
  valueScale,
} from '../../../report/page/browser/axes.ts';
import { tintBands } from '../../../report/page/browser/bands.ts';
import { element, row } from '../../../report/page/browser/elements.ts';
import type { Band, ChartLine, Unit } from '../../../report/page/chart-data.ts';
import { NICE_SECONDS, tickTexts, unitText } from '../../../report/page/figures.ts';
import type { TimeSpan } from '../time-range.ts';
import { instantText } from '../time-range.ts';

export type Line<Point> = Omit<ChartLine, 'values'> & { readonly read: (point: Point) => number | null };

/** A chart over time; its `lines` depend on the points. */
export type LiveChart<Point> = {
  readonly id: string;
  readonly title: string;
  readonly unit: Unit;
  readonly limit?: number;
  readonly lines: (points: readonly Point[]) => readonly Line<Point>[];
};

/** Data of a point in time, in Unix seconds. */
type Timed = { readonly seconds: number };

/** What charts show: a span, and the distance between its points. */
export type ChartFrame = TimeSpan & { readonly stepSeconds: number };

/** Maximum number of rows in the table of a chart; shows the newest. */
const MAX_ROWS = 60;

type LiveCharts<Point extends Timed> = {
  /** Replaces all points, which are sorted by time. */
  readonly setPoints: (points: readonly Point[], frame: ChartFrame) => void;
  readonly setBands: (bands: readonly Band[]) => void;
  /** Call it when colors or sizes have changed. */
  readonly drawAnew: () => void;
};

type ChartListeners = {
  readonly onCursor: (span: TimeSpan | undefined) => void;
  readonly onSelect: ((span: TimeSpan) => void) | undefined;
};

/** Point, or the middle of a gap in which the fleet did not run. */
type Place<Point> = { readonly seconds: number; readonly point: Point | undefined };

/**
 * Creates charts over the same time span in `place`, with a shared cursor.
 * @param onCursor called with the span at the cursor; `undefined` when the cursor leaves
 * @param onSelect called with the span that was selected with the mouse
 */
export function createCharts<Point extends Timed>(
  place: HTMLElement,
  charts: readonly LiveChart<Point>[],
  { onCursor, onSelect }: ChartListeners = { onCursor: () => {}, onSelect: undefined },
): LiveCharts<Point> {
  let points: readonly Point[] = [];
  let places: readonly Place<Point>[] = [];
  let frame: ChartFrame = { fromSeconds: 0, toSeconds: 1, stepSeconds: 1 };
  let bands: readonly Band[] = [];
  const frames = charts.map((chart) => frameOf(chart, () => tableRows(chart, points)));
  place.replaceChildren(...frames.map(({ figure }) => figure));
  const drawn: ({ readonly lines: readonly Line<Point>[]; readonly plot: uPlot } | undefined)[] = charts.map(
    () => undefined,
  );

  const pointing: uPlot.Plugin['hooks'] = {
    setCursor: ({ cursor }) => onCursor(spanAt(places, { index: cursor.idx, ...frame })),
    setSelect: (plot) => selected(plot, onSelect),
  };
  const drawChart = (chart: LiveChart<Point>, index: number) => {
    const lines = chart.lines(points);
    const before = drawn[index];
    const data = dataOf(places, lines);
    if (before !== undefined && isSame(before.lines, lines)) return before.plot.setData(data);
    before?.plot.destroy();
    const target = frames[index]?.plot;
    if (target === undefined) return undefined;
    const options = optionsOf({ chart, lines, target, sync: place.id }, () => ({ bands, frame }));
    drawn[index] = { lines, plot: new uPlot({ ...options, plugins: [{ hooks: pointing }] }, data, target) };
    return undefined;
  };
  const drawAll = () => charts.forEach(drawChart);
  const drawAnew = () => {
    for (const [index, entry] of drawn.entries()) {
      entry?.plot.destroy();
      drawn[index] = undefined;
    }
    drawAll();
  };
  return {
    setPoints: (all, shown) => {
      points = all;
      places = withGaps(all, shown.stepSeconds);
      frame = shown;
      drawAll();
    },
    setBands: (all) => {
      bands = all;
      for (const entry of drawn) entry?.plot.redraw(false);
    },
    drawAnew,
  };
}

function selected(plot: uPlot, onSelect: ChartListeners['onSelect']) {
  const { left, width, height } = plot.select;
  if (width === 0) return;
  const [fromSeconds, toSeconds] = [plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x')];
  plot.setSelect({ left: 0, top: 0, width: 0, height }, false);
  if (onSelect !== undefined && toSeconds - fromSeconds >= 2) onSelect({ fromSeconds, toSeconds });
}

/** Lines must not cross times in which nothing was measured. */
function withGaps<Point extends Timed>(points: readonly Point[], stepSeconds: number): readonly Place<Point>[] {
  return points.flatMap((point, index) => {
    const beforeSeconds = points[index - 1]?.seconds ?? point.seconds;
    const place = { seconds: point.seconds, point };
    // Some seconds come late.
    if (point.seconds - beforeSeconds <= 5 * stepSeconds) return [place];
    return [{ seconds: (point.seconds + beforeSeconds) / 2, point: undefined }, place];
  });
}

function spanAt(
  places: readonly Timed[],
  { index, stepSeconds }: { readonly index: number | null | undefined; readonly stepSeconds: number },
): TimeSpan | undefined {
  const at = places[index ?? -1];
  return at && { fromSeconds: at.seconds, toSeconds: at.seconds + stepSeconds };
}

function dataOf<Point>(places: readonly Place<Point>[], lines: readonly Line<Point>[]): uPlot.AlignedData {
  const valuesOf = ({ read }: Line<Point>) => places.map(({ point }) => (point === undefined ? null : read(point)));
  return [places.map(({ seconds }) => seconds), ...lines.map(valuesOf)];
}

function isSame(a: readonly { readonly label: string }[], b: readonly { readonly label: string }[]) {
  return a.length === b.length && a.every(({ label }, index) => label === b[index]?.label);
}

function optionsOf<Point extends Timed>(
  {
    chart,
    lines,
    target,
    sync,
  }: {
    readonly chart: LiveChart<Point>;
    readonly lines: readonly Line<Point>[];
    readonly target: HTMLElement;
    readonly sync: string;
  },
  shown: () => { readonly bands: readonly Band[]; readonly frame: ChartFrame },
): uPlot.Options {
  const { unit, limit } = chart;
  return {
    ...sizeOf(target),
    padding: [8, 26, 0, 0],
    cursor: { sync: { key: sync }, points: { size: 6 }, drag: { x: true, y: false, setScale: false } },
    legend: legendOf(lines),
    scales: {
      x: { time: false, range: () => [shown().frame.fromSeconds, shown().frame.toSeconds] },
      y: valueScale(unit),
    },
    axes: [
      {
        ...axisStyle(),
        size: 50,
        incrs: NICE_SECONDS,
        space: 90,
        values: (_plot, splits, _axis, _space, stepSeconds) => [...tickTexts(splits, stepSeconds)],
      },
      valueAxis(unit),
    ],
    series: [
      { label: 'UTC', value: (_plot, value) => (value === null ? '–' : instantText(value * 1000)) },
      ...lines.map((line) => lineSeries(line, unit)),
    ],
    hooks: {
      drawClear: [(plot) => tintBands(plot, shown().bands)],
      draw: [(plot) => drawLimit(plot, limit)],
    },
  };
}

function frameOf(
  { id, title, unit }: { readonly id: string; readonly title: string; readonly unit: Unit },
  rows: () => readonly HTMLTableRowElement[],
): { figure: HTMLElement; plot: HTMLElement } {
  const plot = element('div', {
    className: 'plot',
    role: 'img',
    ariaLabel: `${title}; the figures are in the table below`,
  });
  const table = element('div', { className: 'scroll', tabIndex: 0, role: 'region', ariaLabel: `Figures: ${title}` });
  const summary = element('summary', {}, ['Figures', element('span', { className: 'unseen' }, [` of ${title}`])]);
  const behind = element('details', { className: 'behind' }, [summary, table]);
  behind.addEventListener('toggle', () => {
    if (behind.open) table.replaceChildren(element('table', {}, rows()));
  });
  const caption = element('figcaption', {}, [title, element('span', { className: 'about' }, [unit])]);
  return { figure: element('figure', { className: 'chart', id: `chart-${id}` }, [caption, plot, behind]), plot };
}

/** Table rows, newest first. */
function tableRows<Point extends Timed>(
  { lines, unit }: LiveChart<Point>,
  points: readonly Point[],
): readonly HTMLTableRowElement[] {
  const own = lines(points);
  const heading = element(
    'tr',
    {},
    ['UTC', ...own.map(({ label }) => label)].map((text) => element('th', { scope: 'col' }, [text])),
  );
  const newest = points.slice(-MAX_ROWS).reverse();
  return [
    heading,
    ...newest.map((point) =>
      row([instantText(point.seconds * 1000), ...own.map(({ read }) => unitText(read(point), unit))]),
    ),
  ];
}
