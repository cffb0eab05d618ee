/** Current value of a color in the style sheet, which differs between light, dark and print. */
export function color(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
