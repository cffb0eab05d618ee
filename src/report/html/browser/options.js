import { axisStyle, NICE_SECONDS, sizeOf } from '../../page/browser/axes.js';
import { clockText } from '../../page/browser/texts.js';
import { stripsHeight } from './bands.js';
import { phaseText, wallText } from './figures.js';
import { pageData } from './theme.js';
import { showAll } from './zoom.js';

/** @import uPlot from 'uplot' */

export const times = Array.from({ length: pageData.intervals }, (_, index) => index * pageData.secondsPerInterval);

/**
 * @param {HTMLElement} element
 * @returns {Pick<uPlot.Options, 'width' | 'height' | 'padding' | 'cursor'>}
 */
export function timeOptions(element) {
  return {
    ...sizeOf(element),
    padding: [stripsHeight, 26, 0, 0],
    cursor: {
      sync: { key: 'time' },
      points: { size: 6 },
      drag: { x: true, y: false },
      bind: { dblclick: () => onDoubleClick },
    },
  };
}

/** @returns {uPlot.Axis} */
export function timeAxis() {
  const text = (/** @type {number} */ seconds) => `${clockText(seconds)}\n${wallText(seconds)}`;
  return { ...axisStyle(), size: 50, incrs: NICE_SECONDS, space: 72, values: (_plot, splits) => splits.map(text) };
}

/** @returns {uPlot.Series} */
export function timeSeries() {
  return { label: 'time', value: (_plot, value) => (value === null ? '–' : instantText(value)) };
}

/**
 * @param {number} seconds
 * @returns {string}
 */
function instantText(seconds) {
  return [clockText(seconds), `${wallText(seconds)} ${pageData.clockName}`, phaseText(seconds)]
    .filter((text) => text !== '')
    .join(' · ');
}

/** @returns {null} */
function onDoubleClick() {
  showAll();
  return null;
}
