import uPlot from 'uplot';
import {
  axisStyle,
  decades,
  drawLimit,
  fromZero,
  legendOf,
  lineSeries,
  logarithmic,
  NICE_SECONDS,
  sizeOf,
  valueAxis,
} from '../../../report/page/browser/axes.js';
import { drawStrips, stripsOf } from '../../../report/page/browser/bands.js';
import { latencyText, unitText } from '../../../report/page/browser/texts.js';
import { element, row } from './elements.js';
import { instantText } from './instants.js';

/** @import { Band, ChartLine, Unit } from '../../../report/page/chart-data.ts' */

/**
 * @template Point
 * @typedef {Omit<ChartLine, 'values'> & { readonly read: (point: Point) => number | null }} Line
 */

/**
 * A chart over time; its `lines` depend on the points.
 * @template Point
 * @typedef {{ readonly id: string; readonly title: string; readonly unit: Unit; readonly limit?: number; readonly lines: (points: readonly Point[]) => readonly Line<Point>[] }} LiveChart
 */

/**
 * Data of a point in time, in Unix seconds.
 * @typedef {{ readonly seconds: number }} Timed
 */

/**
 * A time span in Unix seconds; the end is exclusive.
 * @typedef {{ readonly fromSeconds: number; readonly toSeconds: number }} Span
 */

/** Maximum number of rows in the table of a chart; shows the newest. */
const MOST_ROWS = 60;

/**
 * @template {Timed} Point
 * @typedef {object} LiveCharts
 * @property {(points: readonly Point[]) => void} setPoints replaces all points, which are sorted by time
 * @property {(bands: readonly Band[]) => void} setBands
 * @property {() => void} drawAnew call it when colors or sizes have changed
 */

/**
 * Creates charts over the same time span in `place`, with a shared cursor.
 * @template {Timed} Point
 * @param {HTMLElement} place
 * @param {readonly LiveChart<Point>[]} charts
 * @param {(span: Span | undefined) => void} [onCursor] called with the span at the cursor; `undefined` when the cursor leaves
 * @returns {LiveCharts<Point>}
 */
export function createCharts(place, charts, onCursor = () => {}) {
  /** @type {readonly Point[]} */
  let points = [];
  let strips = stripsOf([]);
  const frames = charts.map((chart) => frameOf(chart, () => tableRows(chart, points)));
  place.replaceChildren(...frames.map(({ figure }) => figure));
  /** @type {({ readonly lines: readonly Line<Point>[]; readonly plot: uPlot } | undefined)[]} */
  const drawn = charts.map(() => undefined);

  const drawChart = (/** @type {LiveChart<Point>} */ chart, /** @type {number} */ index) => {
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

/**
 * The span of a point: up to the next one.
 * @param {readonly Timed[]} points
 * @param {number | null | undefined} index
 * @returns {Span | undefined}
 */
function spanAt(points, index) {
  const at = points[index ?? -1];
  return at && { fromSeconds: at.seconds, toSeconds: points[(index ?? 0) + 1]?.seconds ?? at.seconds + 1 };
}

/**
 * @template {Timed} Point
 * @param {readonly Point[]} points
 * @param {readonly Line<Point>[]} lines
 * @returns {uPlot.AlignedData}
 */
function dataOf(points, lines) {
  return [points.map(({ seconds }) => seconds), ...lines.map(({ read }) => points.map(read))];
}

/**
 * @param {readonly { readonly label: string }[]} a
 * @param {readonly { readonly label: string }[]} b
 */
function isSame(a, b) {
  return a.length === b.length && a.every(({ label }, index) => label === b[index]?.label);
}

/**
 * @template {Timed} Point
 * @param {{ readonly chart: LiveChart<Point>; readonly lines: readonly Line<Point>[]; readonly target: HTMLElement; readonly sync: string }} what
 * @param {() => ReturnType<typeof stripsOf>} strips
 * @returns {uPlot.Options}
 */
function optionsOf({ chart, lines, target, sync }, strips) {
  const { unit, limit } = chart;
  const isLatency = unit === 'milliseconds';
  const asLines = lines.map((line) => ({ ...line, values: [] }));
  const text = (/** @type {number} */ value) => unitText(value, unit);
  return {
    ...sizeOf(target),
    padding: [strips().heightPx, 26, 0, 0],
    cursor: { sync: { key: sync }, points: { size: 6 }, drag: { x: false, y: false } },
    legend: legendOf(asLines),
    scales: {
      x: { time: false },
      y: isLatency ? { distr: 3, range: decades } : { range: (_plot, _min, max) => fromZero(max, unit) },
    },
    axes: [
      {
        ...axisStyle(),
        size: 36,
        incrs: NICE_SECONDS,
        space: 110,
        values: (_plot, splits) => splits.map((seconds) => instantText(seconds * 1000)),
      },
      isLatency ? logarithmic(valueAxis(latencyText)) : valueAxis(text),
    ],
    series: [
      { label: 'UTC', value: (_plot, value) => (value === null ? '–' : instantText(value * 1000)) },
      ...asLines.map((line) => ({ ...lineSeries(line, text), points: { show: false } })),
    ],
    hooks: {
      drawClear: [(plot) => drawStrips(plot, strips())],
      draw: [(plot) => drawLimit(plot, limit)],
    },
  };
}

/**
 * @param {{ readonly id: string; readonly title: string; readonly unit: Unit }} chart
 * @param {() => readonly HTMLTableRowElement[]} rows
 * @returns {{ figure: HTMLElement; plot: HTMLElement }}
 */
function frameOf({ id, title, unit }, rows) {
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

/**
 * Table rows, newest first.
 * @template {Timed} Point
 * @param {LiveChart<Point>} chart
 * @param {readonly Point[]} points
 * @returns {readonly HTMLTableRowElement[]}
 */
function tableRows({ lines, unit }, points) {
  const own = lines(points);
  const heading = element(
    'tr',
    {},
    ['UTC', ...own.map(({ label }) => label)].map((text) => element('th', { scope: 'col' }, [text])),
  );
  const text = (/** @type {number | null} */ value) => (value === null ? '–' : unitText(value, unit));
  const newest = points.slice(-MOST_ROWS).reverse();
  return [
    heading,
    ...newest.map((point) => row([instantText(point.seconds * 1000), ...own.map(({ read }) => text(read(point)))])),
  ];
}
