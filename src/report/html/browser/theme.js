import { color } from '../../page/browser/colors.js';

/** @import { PageData } from '../page-data.ts' */
/** @type {PageData} */
export const pageData = JSON.parse(document.getElementById('report-data')?.textContent ?? '');

/** Number of shades of a heat map in the style sheet, from few to many. */
export const SHADES = 7;

/** @returns {readonly string[]} */
export function shades() {
  return Array.from({ length: SHADES }, (_, index) => color(`heat-${index}`));
}
