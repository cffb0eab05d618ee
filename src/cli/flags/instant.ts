import { UserError } from '../../ground/kernel/errors.ts';

/** The Unix ms of a flag such as `2026-01-31T12:00:00Z` or `2026-01-31 12:00`, in UTC unless it has an offset. */
export function givenInstant(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [day = '', time = '00:00', ...rest] = text.trim().split(/[T ]/);
  const zoned = /(Z|[+-]\d\d:\d\d)$/.test(time) ? time : `${time}Z`;
  const ms = rest.length > 0 || !/^\d{4}-\d\d-\d\d$/.test(day) ? Number.NaN : Date.parse(`${day}T${zoned}`);
  if (!Number.isNaN(ms)) return ms;
  throw new UserError(`${flag}: expected a time such as 2026-01-31T12:00:00Z, found ${JSON.stringify(text)}.`);
}
