import { type Clock, type Timer, within } from '../base/kernel/clock.ts';
import { UserError } from '../base/kernel/errors.ts';

/** When the timeline of a run begins. */
export type StartOrder = {
  /** Scheduled start; `undefined`: as soon as all shards are ready. */
  readonly startAt: Date | undefined;
  /** Whether a run whose shards are ready too late may still start; its times then count from `startAt`. Otherwise it is refused. */
  readonly mayStartLate: boolean;
};

type Clocks = {
  readonly clock: Clock;
  /** Unix time in milliseconds. */
  readonly unixClock: Clock;
};

/**
 * Resolves shortly before the start, with its time on the monotonic and on the system clock. A command ends the wait.
 * @throws UserError if the fleet was ready too late for other machines that start at the same time.
 */
export async function scheduledStart(
  { startAt, mayStartLate, timer, clock, unixClock }: StartOrder & Clocks & { readonly timer: Timer },
  noticeMs: number,
  command: Promise<unknown>,
): Promise<{ readonly startMs: number; readonly startedAt: Date }> {
  const startIn = ({ monotonicMs, unixMs }: Instant, delayMs: number) => ({
    startMs: monotonicMs + delayMs,
    startedAt: new Date(unixMs + delayMs),
  });
  const ready = instantOf({ clock, unixClock });
  if (startAt === undefined) return startIn(ready, noticeMs);
  const waitMs = startAt.getTime() - noticeMs - ready.unixMs;
  if (waitMs < 0 && mayStartLate) return startIn(ready, startAt.getTime() - ready.unixMs);
  if (waitMs < 0) {
    throw new UserError(
      `--start-at: the run was scheduled for ${startAt.toISOString()}, but its fleet was ready only at ${new Date(ready.unixMs).toISOString()}; ` +
        'choose a later time.',
    );
  }
  const isCommanded = await within(
    timer,
    waitMs,
    command.then(() => true),
  );
  const now = instantOf({ clock, unixClock });
  return startIn(now, isCommanded === true ? noticeMs : Math.max(0, startAt.getTime() - now.unixMs));
}

type Instant = { readonly monotonicMs: number; readonly unixMs: number };

const READINGS = 5;

/** Reads both clocks at the same time: of several readings it takes the one with the shortest interruption. */
function instantOf({ clock, unixClock }: Clocks): Instant {
  const readings = Array.from({ length: READINGS }, () => {
    const monotonicMs = clock();
    const unixMs = unixClock();
    return { monotonicMs, unixMs, tookMs: clock() - monotonicMs };
  });
  return readings.reduce((best, reading) => (reading.tookMs < best.tookMs ? reading : best));
}
