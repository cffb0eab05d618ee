import { element, row } from '../../page/browser/elements.ts';
import { countText, latencyText, percentileText, unitText } from '../../page/figures.ts';
import type { Chart } from '../page-data.ts';
import {
  cellStartMs,
  cellsOf,
  elapsedText,
  pageData,
  phaseText,
  RATE_LINES,
  rateFigures,
  sumOf,
  times,
  wallText,
} from './data.ts';

type Row = readonly string[];

const INSTANT = ['time', pageData.clockName, 'phase'];

function instant(time: number): Row {
  return [elapsedText(time), wallText(time), phaseText(time)];
}

/** The figures of a chart, for readers who cannot see it or want to copy them. */
function tableOf(chart: Chart): { headings: Row; rows: readonly Row[] } {
  switch (chart.kind) {
    case 'time':
      return {
        headings: [...INSTANT, ...chart.lines.map(({ label }) => label)],
        rows: times.map((time, index) => [
          ...instant(time),
          ...chart.lines.map(({ values }) => unitText(values[index], chart.unit)),
        ]),
      };
    case 'heat':
      return {
        headings: [...INSTANT, 'responses', 'fastest from', 'most from', 'slowest below', 'no answer'],
        rows: chart.cells.map((cells, index) => [...heatRow(cells, index), countText(chart.unanswered[index] ?? 0)]),
      };
    case 'rate':
      return {
        headings: ['planned', ...RATE_LINES.map(({ label }) => label), ...INSTANT],
        rows: rateFigures(chart).map(({ rate, values, time }) => [
          unitText(rate, 'per second'),
          ...values.map((value) => unitText(value, 'milliseconds')),
          ...instant(time),
        ]),
      };
    case 'spectrum':
      return {
        headings: ['percentile', ...chart.lines.map(({ label }) => label)],
        rows: chart.inverses.map((inverse, index) => [
          percentileText(inverse),
          ...chart.lines.map(({ values }) => unitText(values[index], 'milliseconds')),
        ]),
      };
  }
}

function heatRow(cells: readonly number[], index: number): Row {
  const pairs = cellsOf(cells);
  const time = instant(times[index] ?? 0);
  const [first, last] = [pairs[0], pairs.at(-1)];
  if (first === undefined || last === undefined) return [...time, '0', '–', '–', '–'];
  const most = pairs.reduce((best, pair) => (pair[1] > best[1] ? pair : best));
  const latencies = [cellStartMs(first[0]), cellStartMs(most[0]), cellStartMs(last[0] + 1)];
  return [...time, countText(sumOf(pairs)), ...latencies.map(latencyText)];
}

/** Fills a chart's table when it is first opened: filling all of them would slow the page down. */
export function fillWhenOpened(details: HTMLDetailsElement, chart: Chart) {
  details.addEventListener('toggle', () => {
    if (!details.open || details.querySelector('table') !== null) return;
    const { headings, rows } = tableOf(chart);
    const heading = headings.map((text) => element('th', { scope: 'col' }, [text]));
    const table = element('table', {}, [
      element('thead', {}, [element('tr', {}, heading)]),
      element('tbody', {}, rows.map(row)),
    ]);
    const ariaLabel = details.querySelector('summary')?.textContent ?? chart.title;
    details.append(element('div', { className: 'scroll', tabIndex: 0, role: 'region', ariaLabel }, [table]));
  });
}
