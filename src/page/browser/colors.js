export const FONT = '12px system-ui, sans-serif';

/**
 * A color of the style sheet as it is now: it differs between light, dark and print.
 * @param {string} name
 * @returns {string}
 */
export function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
