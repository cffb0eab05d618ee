import uPlot from 'uplot';
import {
  axisStyle,
  drawLimit,
  legendOf,
  lineSeries,
  NICE_SECONDS,
  sizeOf,
  valueAxis,
  valueScale,
} from '../../../report/page/browser/axes.ts';
import { drawStrips, stripsOf } from '../../../report/page/browser/bands.ts';
import { element, row } from '../../../report/page/browser/elements.ts';
import type { Band, ChartLine, Unit } from '../../../report/page/chart-data.ts';
import { unitText } from '../../../report/page/figures.ts';
import { instantText } from './instants.ts';

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

/** A time span in Unix seconds; the end is exclusive. */
export type TimeSpan = { readonly fromSeconds: number; readonly toSeconds: number };

/** Maximum number of rows in the table of a chart; shows the newest. */
const MOST_ROWS = 60;

type LiveCharts<Point extends Timed> = {
  /** Replaces all points, which are sorted by time. */
  readonly setPoints: (points: readonly Point[]) => void;
  readonly setBands: (bands: readonly Band[]) => void;
  /** Call it when colors or sizes have changed. */
  readonly drawAnew: () => void;
};

/**
 * Creates charts over the same time span in `place`, with a shared cursor.
 * @param onCursor called with the span at the cursor; `undefined` when the cursor leaves
 */
export function createCharts<Point extends Timed>(
  place: HTMLElement,
  charts: readonly LiveChart<Point>[],
  onCursor: (span: TimeSpan | undefined) => void = () => {},
): LiveCharts<Point> {
  let points: readonly Point[] = [];
  let strips = stripsOf([]);
  const frames = charts.map((chart) => frameOf(chart, () => tableRows(chart, points)));
  place.replaceChildren(...frames.map(({ figure }) => figure));
  const drawn: ({ readonly lines: readonly Line<Point>[]; readonly plot: uPlot } | undefined)[] = charts.map(
    () => undefined,
  );

  const drawChart = (chart: LiveChart<Point>, index: number) => {
    const lines = chart.lines(points);
    const before = drawn[index];
    const data = dataOf(points, lines);
    if (before !== undefined && isSame(before.lines, lines)) return before.plot.setData(data);
    before?.plot.destroy();
    const target = frames[index]?.plot;
    if (target === undefined) return undefined;
    drawn[index] = {
      lines,
      plot: new uPlot(
        {
          ...optionsOf({ chart, lines, target, sync: place.id }, () => strips),
          plugins: [{ hooks: { setCursor: ({ cursor }) => onCursor(spanAt(points, cursor.idx)) } }],
        },
        data,
        target,
      ),
    };
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
    setPoints: (all) => {
      points = all;
      drawAll();
    },
    setBands: (bands) => {
      const before = strips.heightPx;
      strips = stripsOf(bands);
      if (strips.heightPx !== before) return drawAnew();
      for (const entry of drawn) entry?.plot.redraw(false);
    },
    drawAnew,
  };
}

/** The span of a point: up to the next one. */
function spanAt(points: readonly Timed[], index: number | null | undefined): TimeSpan | undefined {
  const at = points[index ?? -1];
  return at && { fromSeconds: at.seconds, toSeconds: points[(index ?? 0) + 1]?.seconds ?? at.seconds + 1 };
}

function dataOf<Point extends Timed>(points: readonly Point[], lines: readonly Line<Point>[]): uPlot.AlignedData {
  return [points.map(({ seconds }) => seconds), ...lines.map(({ read }) => points.map(read))];
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
  strips: () => ReturnType<typeof stripsOf>,
): uPlot.Options {
  const { unit, limit } = chart;
  return {
    ...sizeOf(target),
    padding: [strips().heightPx, 26, 0, 0],
    cursor: { sync: { key: sync }, points: { size: 6 }, drag: { x: false, y: false } },
    legend: legendOf(lines),
    scales: { x: { time: false }, y: valueScale(unit) },
    axes: [
      {
        ...axisStyle(),
        size: 36,
        incrs: NICE_SECONDS,
        space: 110,
        values: (_plot, splits) => splits.map((seconds) => instantText(seconds * 1000)),
      },
      valueAxis(unit),
    ],
    series: [
      { label: 'UTC', value: (_plot, value) => (value === null ? '–' : instantText(value * 1000)) },
      ...lines.map((line) => ({ ...lineSeries(line, unit), points: { show: false } })),
    ],
    hooks: {
      drawClear: [(plot) => drawStrips(plot, strips())],
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
  const newest = points.slice(-MOST_ROWS).reverse();
  return [
    heading,
    ...newest.map((point) =>
      row([instantText(point.seconds * 1000), ...own.map(({ read }) => unitText(read(point), unit))]),
    ),
  ];
}
