/**
 * `14:03:20` for today, `2026-01-31 14:03:20` for other days; UTC, as everywhere in Muster.
 * @param instant ISO, or Unix ms
 */
export function instantText(instant: string | number): string {
  const [day = '', time = ''] = new Date(instant).toISOString().split(/[T.]/);
  return day === new Date().toISOString().slice(0, 10) ? time : `${day} ${time}`;
}
