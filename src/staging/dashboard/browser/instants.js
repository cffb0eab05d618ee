/**
 * `14:03:20` for today, `2026-01-31 14:03:20` for other days; UTC, as everywhere in Muster.
 * @param {string | number} instant ISO, or Unix ms
 * @returns {string}
 */
export function instantText(instant) {
  const [day = '', time = ''] = new Date(instant).toISOString().split(/[T.]/);
  return day === new Date().toISOString().slice(0, 10) ? time : `${day} ${time}`;
}

/**
 * `3 d 4 h`, `4 h 2 min`, `20 s`: the two largest units.
 * @param {number} seconds
 * @returns {string}
 */
export function spanText(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  /** @type {readonly [number, string][]} */
  const units = [
    [86_400, 'd'],
    [3600, 'h'],
    [60, 'min'],
    [1, 's'],
  ];
  const from = units.findIndex(([size]) => whole >= size);
  if (from < 0) return '0 s';
  const parts = units.slice(from, from + 2).map(([size, unit], place) => {
    const above = place === 0 ? whole : whole % (units[from]?.[0] ?? 1);
    return [Math.floor(above / size), unit];
  });
  return parts
    .filter(([count]) => count !== 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}
