export const FONT = '12px system-ui, sans-serif';

/**
 * Current value of a color in the style sheet, which differs between light, dark and print.
 * @param {string} name
 * @returns {string}
 */
export function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
