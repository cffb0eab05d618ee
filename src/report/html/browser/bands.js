import { drawStrips, stripsOf } from '../../page/browser/bands.js';
import { pageData } from './theme.js';

/** @import uPlot from 'uplot' */

const strips = stripsOf(pageData.bands);

/** Height reserved above a chart. */
export const stripsHeight = strips.heightPx;

/**
 * Draws phases, faults and events behind and above a chart.
 * @param {uPlot} plot
 */
export function drawBands(plot) {
  drawStrips(plot, strips);
}
