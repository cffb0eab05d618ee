import { clockText, countText, latencyText, unitText } from '../../page/browser/texts.js';
import { cellStartMs, pairsOf, percentileText, phaseText, wallText } from './figures.js';
import { sumOf } from './heat-map.js';
import { times } from './options.js';
import { RATE_LINES, rateFigures } from './rates.js';
import { pageData } from './theme.js';

/** @import { Chart } from '../page-data.ts' */

/** @typedef {readonly string[]} Row */

const INSTANT = ['time', pageData.clockName, 'phase'];

/**
 * @param {number} time
 * @returns {Row}
 */
function instant(time) {
  return [clockText(time), wallText(time), phaseText(time)];
}

/**
 * The figures of a chart, for readers who cannot see it or want to copy them.
 * @param {Chart} chart
 * @returns {{ headings: Row; rows: readonly Row[] }}
 */
function tableOf(chart) {
  switch (chart.kind) {
    case 'time': {
      const text = (/** @type {number | null | undefined} */ value) =>
        value == null ? '–' : unitText(value, chart.unit);
      return {
        headings: [...INSTANT, ...chart.lines.map(({ label }) => label)],
        rows: times.map((time, index) => [...instant(time), ...chart.lines.map(({ values }) => text(values[index]))]),
      };
    }
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
          ...values.map((value) => (value === null ? '–' : latencyText(value))),
          ...instant(time),
        ]),
      };
    case 'spectrum': {
      const text = (/** @type {number | null | undefined} */ value) => (value == null ? '–' : latencyText(value));
      return {
        headings: ['percentile', ...chart.lines.map(({ label }) => label)],
        rows: chart.inverses.map((inverse, index) => [
          percentileText(inverse),
          ...chart.lines.map(({ values }) => text(values[index])),
        ]),
      };
    }
  }
}

/**
 * @param {readonly number[]} cells
 * @param {number} index
 * @returns {Row}
 */
function heatRow(cells, index) {
  const pairs = pairsOf(cells);
  const time = instant(times[index] ?? 0);
  const [first, last] = [pairs[0], pairs.at(-1)];
  if (first === undefined || last === undefined) return [...time, '0', '–', '–', '–'];
  const most = pairs.reduce((best, pair) => (pair[1] > best[1] ? pair : best));
  const latencies = [cellStartMs(first[0]), cellStartMs(most[0]), cellStartMs(last[0] + 1)];
  return [...time, countText(sumOf(pairs)), ...latencies.map(latencyText)];
}

/**
 * Fills a chart's table when it is first opened: filling all of them would slow the page down.
 * @param {HTMLDetailsElement} details
 * @param {Chart} chart
 */
export function fillWhenOpened(details, chart) {
  details.addEventListener('toggle', () => {
    if (!details.open || details.querySelector('table') !== null) return;
    const { headings, rows } = tableOf(chart);
    const table = document.createElement('table');
    const heading = table.createTHead().insertRow();
    for (const text of headings) heading.append(cell('th', text, 'col'));
    const body = table.createTBody();
    for (const [first = '', ...rest] of rows) {
      const row = body.insertRow();
      row.append(cell('th', first, 'row'), ...rest.map((text) => cell('td', text)));
    }
    const frame = document.createElement('div');
    frame.className = 'scroll';
    frame.tabIndex = 0;
    frame.role = 'region';
    frame.ariaLabel = details.querySelector('summary')?.textContent ?? chart.title;
    frame.append(table);
    details.append(frame);
  });
}

/**
 * @param {'th' | 'td'} name
 * @param {string} text
 * @param {'col' | 'row'} [scope]
 * @returns {HTMLTableCellElement}
 */
function cell(name, text, scope) {
  const element = document.createElement(name);
  element.textContent = text;
  if (scope !== undefined) element.scope = scope;
  return element;
}
