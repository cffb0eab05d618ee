export const FONT = '12px system-ui, sans-serif';

/**
 * A colour of the style sheet as it is now: it differs between light, dark and print.
 * @param {string} name
 * @returns {string}
 */
export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
