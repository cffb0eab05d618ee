import { either, float, integer } from '../document/nodes.ts';
import { concern, keyOf } from '../evolution/moment.ts';
import { scramble, smoothNoise, unit } from '../evolution/noise.ts';
import { type Incident, ofKind } from '../incidents/incident.ts';
import type { PartOf } from '../part.ts';

const NTP = concern('ntp');

/** How finely the clock's offset is known, in parts of a second. */
export type NtpInput = { readonly perSecond: number; readonly incidents: readonly Incident[] };

/** The check `ntp`, the last of a run: a synchronised clock whose offset (seconds) wanders by a few milliseconds. */
export const ntpCheck: PartOf<NtpInput> = ({ perSecond, incidents }, cells) => {
  const [seconds, micros, offset] = [cells.take(), cells.take(), cells.take()];
  const synchronised = cells.take();
  const skewable = ofKind(incidents, 'clock-skew').length > 0;
  return {
    node: {
      Timestamp: integer(seconds),
      TimestampMicro: integer(micros),
      SyncStatus: skewable ? either(synchronised, [false, true]) : true,
      Offset: float(offset),
    },
    fill(frame, { instantMs, clockEndMs, hostKey }) {
      const key = keyOf(hostKey, NTP);
      const wander = smoothNoise(key, instantMs / 900_000) * (0.0005 + 0.006 * unit(key, -1));
      const aheadMs = clockEndMs - instantMs;
      frame[seconds] = Math.floor(clockEndMs / 1000);
      frame[micros] = clockEndMs * 1000 + (scramble(key, instantMs % 0x4000_0000) % 1000);
      frame[synchronised] = aheadMs === 0 ? 1 : 0;
      // The offset is what the clock lacks.
      frame[offset] = Math.round((wander - aheadMs / 1000) * perSecond) / perSecond;
    },
  };
};

/** The check `ntp` where the system does not tell whether its clock is synchronised: on macOS. */
export const unsynchronisedNtpCheck: PartOf<unknown> = (_, cells) => {
  const [seconds, micros] = [cells.take(), cells.take()];
  return {
    node: { Timestamp: integer(seconds), TimestampMicro: integer(micros), SyncStatus: false, Offset: 0 },
    fill(frame, { instantMs, clockEndMs, hostKey }) {
      frame[seconds] = Math.floor(clockEndMs / 1000);
      frame[micros] = clockEndMs * 1000 + (scramble(keyOf(hostKey, NTP), instantMs % 0x4000_0000) % 1000);
    },
  };
};
