const LEVELS = '▁▂▃▄▅▆▇█';

/** One character per value, the largest as high as can be; a blank where there is none. */
export function sparkline(values: readonly (number | undefined)[]): string {
  const largest = Math.max(...values.map((value) => value ?? 0));
  return values.map((value) => (value === undefined ? ' ' : levelOf(value, largest))).join('');
}

function levelOf(value: number, largest: number): string {
  const share = largest === 0 ? 0 : value / largest;
  return LEVELS.charAt(Math.min(LEVELS.length - 1, Math.floor(share * LEVELS.length)));
}
