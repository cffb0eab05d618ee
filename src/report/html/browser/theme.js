/** @import { PageData } from '../page-data.ts' */
/** @type {PageData} */
export const pageData = JSON.parse(document.getElementById('report-data')?.textContent ?? '');

export const FONT = '12px system-ui, sans-serif';

/**
 * A colour of the style sheet as it is now: it differs between light, dark and print.
 * @param {string} name
 * @returns {string}
 */
export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** So many shades has the style sheet for a heat map, from few to many. */
export const SHADES = 7;

/** @returns {readonly string[]} */
export function shades() {
  return Array.from({ length: SHADES }, (_, index) => colour(`heat-${index}`));
}
