import { type Clock, type Timer, within } from '../kernel/clock.ts';
import { UserError } from '../kernel/errors.ts';

/** Time for all shards to hear of the start before it comes. */
export const START_DELAY_MS = 100;

type Appointment = {
  /** Undefined: as soon as possible. */
  readonly startAt: Date | undefined;
  readonly clock: Clock;
  readonly unixClock: Clock;
  readonly timer: Timer;
};

/** One instant on the monotonic clock and on that of the world. */
type Start = { readonly startMs: number; readonly startedAt: Date };

/**
 * Resolves shortly before the start; a command ends the waiting. Throws a `UserError` if the fleet was ready too late for
 * the others that start at the same instant.
 */
export async function appointedStart(
  { startAt, clock, unixClock, timer }: Appointment,
  command: Promise<unknown>,
): Promise<Start> {
  const startIn = (delayMs: number) => ({ startMs: clock() + delayMs, startedAt: new Date(unixClock() + delayMs) });
  if (startAt === undefined) return startIn(START_DELAY_MS);
  const waitMs = startAt.getTime() - START_DELAY_MS - unixClock();
  if (waitMs < 0) throw tooLate(startAt, new Date(unixClock()));
  const isCommanded = await within(
    timer,
    waitMs,
    command.then(() => true),
  );
  return startIn(isCommanded === true ? START_DELAY_MS : Math.max(0, startAt.getTime() - unixClock()));
}

function tooLate(startAt: Date, now: Date): UserError {
  return new UserError(
    `--start-at: the run was to start at ${startAt.toISOString()}, and its fleet was ready at ${now.toISOString()} only; ` +
      'agree on a later instant.',
  );
}
