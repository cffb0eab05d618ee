import { colour } from '../../../page/browser/colours.js';

/** @import { PageData } from '../page-data.ts' */
/** @type {PageData} */
export const pageData = JSON.parse(document.getElementById('report-data')?.textContent ?? '');

/** So many shades has the style sheet for a heat map, from few to many. */
export const SHADES = 7;

/** @returns {readonly string[]} */
export function shades() {
  return Array.from({ length: SHADES }, (_, index) => colour(`heat-${index}`));
}
