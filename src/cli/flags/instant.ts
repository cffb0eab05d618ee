import { UserError } from '../../kernel/errors.ts';
import { parseDuration } from '../../kernel/units.ts';

const ISO_INSTANT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** Unix milliseconds of `--at`: an ISO 8601 instant, a time from now, or now itself. Throws `UserError`. */
export function parseInstant(text: string | undefined, nowMs: number): number {
  if (text === undefined) return nowMs;
  const fromNowMs = parseDuration(text);
  if (fromNowMs !== undefined) return nowMs + fromNowMs;
  const instant = ISO_INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(instant)) return instant;
  throw new UserError(
    `--at: expected an instant such as 2026-01-31T12:00:00Z or a time from now such as 5m, found ${JSON.stringify(text)}.`,
  );
}
