import { DAY_SECONDS, HOUR_SECONDS } from '../../base/kernel/units.ts';
import { slot } from '../document/nodes.ts';
import { secondsSinceEpoch } from '../host/calendar.ts';
import type { HostState } from '../host/host-state.ts';
import { inRange, keyOf, scramble, streamLabel, unit, type ValueRange } from '../host/noise.ts';
import type { PartOf } from '../host/part.ts';

/* Shares and ranges without a source are chosen. */

const NTP = streamLabel('ntp');
const FIRST_SYNC_SECONDS = 25;
/** A clock that has lost its server counts as synchronized for this long. */
const UNSYNCHRONIZED_AFTER_SECONDS = 2400;
/** In each of these spells, a host loses its server at most once, within the first part of the spell. */
const SPELL_SECONDS = 17 * DAY_SECONDS;
const LOSS_LIKELY = 0.25;
const LATEST_LOSS = 0.9;
const LOSS_HOURS: ValueRange = [1, 14];
/** Seconds between two corrections: a power of two, as in NTP, from this one to 16 times as much. */
const MIN_POLL_SECONDS = 64;
const POLL_STEPS = 5;
/** Largest error that a correction leaves on a host, in seconds. */
const MAX_ERROR: ValueRange = [0.0002, 0.002];
const DRIFT_PARTS_PER_MILLION: ValueRange = [0.3, 3];
/** Without a server, a clock drifts faster, because nothing adjusts its speed. */
const LOST_FACTOR = 8;

/**
 * The check `ntp`, the last one of a run: a clock that drifts between its corrections, and further when it loses its server.
 * `stepsPerSecond`: resolution of the offset; `undefined` on macOS, which reports neither it nor whether the clock is synchronized.
 */
export const ntpCheck: PartOf<{ readonly stepsPerSecond: number | undefined }> = ({ stepsPerSecond }, cells) => {
  const steps = stepsPerSecond ?? 1;
  const { seconds, micros, synchronized, offset } = cells.row('seconds', 'micros', 'synchronized', 'offset');
  return {
    node: {
      Timestamp: slot.integer(seconds),
      TimestampMicro: slot.integer(micros),
      SyncStatus: stepsPerSecond === undefined ? false : slot.either(synchronized, [false, true]),
      Offset: stepsPerSecond === undefined ? 0 : slot.float(offset),
    },
    fill(frame, host) {
      const { instantMs, clockEndMs, hostKey, uptimeSeconds } = host;
      const key = keyOf(hostKey, NTP);
      const lostSeconds = secondsWithoutServer(key, secondsSinceEpoch(instantMs));
      const aheadMs = clockEndMs - instantMs;
      const isSynchronized = uptimeSeconds > FIRST_SYNC_SECONDS && lostSeconds < UNSYNCHRONIZED_AFTER_SECONDS;
      frame[seconds] = Math.floor(clockEndMs / 1000);
      frame[micros] = clockEndMs * 1000 + (scramble(key, instantMs % 0x4000_0000) % 1000);
      frame[synchronized] = isSynchronized && aheadMs === 0 ? 1 : 0;
      frame[offset] = Math.round(ntpOffsetOf(host) * steps) / steps;
    },
  };
};

/** The correction that a host's clock needs, in seconds. */
export function ntpOffsetOf({ instantMs, clockEndMs, hostKey }: HostState): number {
  const key = keyOf(hostKey, NTP);
  const now = secondsSinceEpoch(instantMs);
  return offsetAt(key, now, secondsWithoutServer(key, now)) - (clockEndMs - instantMs) / 1000;
}

/** Seconds since the host lost contact with its time server: nearly always 0, occasionally up to 15 hours. */
function secondsWithoutServer(key: number, now: number): number {
  const phase = unit(key, -2) * SPELL_SECONDS;
  const spell = Math.floor((now + phase) / SPELL_SECONDS);
  if (unit(key + 1, spell) >= LOSS_LIKELY) return 0;
  const length = HOUR_SECONDS * inRange(LOSS_HOURS, unit(key + 2, spell) ** 2);
  const since = now + phase - (spell + LATEST_LOSS * unit(key + 3, spell)) * SPELL_SECONDS;
  return since > 0 && since < length ? since : 0;
}

/** Each correction leaves a small error, from which the clock drifts by some parts per million. */
function offsetAt(key: number, now: number, lostSeconds: number): number {
  const poll = MIN_POLL_SECONDS << Math.floor(POLL_STEPS * unit(key, -3));
  const polls = now / poll + unit(key, -4);
  const error = inRange(MAX_ERROR, unit(key, -1)) * (2 * unit(key, Math.floor(polls)) - 1);
  const partsPerMillion = inRange(DRIFT_PARTS_PER_MILLION, unit(key, -5));
  const drift = ((polls - Math.floor(polls)) * poll + LOST_FACTOR * lostSeconds) * partsPerMillion * 1e-6;
  return error + (unit(key, -6) < 0.5 ? drift : -drift);
}
