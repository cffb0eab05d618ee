import { type CellValues, type Node, nth, type Row, slot } from '../document/nodes.ts';
import type { HostState } from '../host/host-state.ts';
import { keyOf, smoothNoise, streamLabel, unit } from '../host/noise.ts';
import { fixedPart, type PartOf } from '../host/part.ts';
import { column, type HostTables, oncePerData, readTable } from '../host-data.ts';

const SENSORS = streamLabel('sensors');

type LinuxSensorsInput = {
  readonly data: HostTables;
  readonly cores: number;
  readonly physical: boolean;
  /** Whether its first disk is an NVMe drive, which has sensors, too. */
  readonly flash: boolean;
  /** Selects the processor. */
  readonly stream: number;
};

const CHIP = {
  set: column.text,
  weight: column.orEmpty(column.number),
  /** Once, for each core, or for every fourth one. */
  per: column.oneOf('once', 'core', 'four'),
  label: column.text,
  high: column.number,
  critical: column.number,
  /** Share of the processor's heat that reaches the sensor, and degrees that it is always warmer. */
  heat: column.number,
  least: column.number,
};
const chipsOf = oncePerData((data) => readTable(data, 'sensors/linux.tsv', CHIP));
const FLASH = 'flash';

/** The sensors of one processor, and those of the drive. */
function sensorsOn({ data, cores, flash, stream }: LinuxSensorsInput) {
  const rows = chipsOf(data);
  const sets = rows.flatMap(({ set, weight = 0 }) => Array.from({ length: weight }, () => set));
  const chosen = sets[stream % sets.length];
  return rows
    .filter(({ set }) => set === chosen || (flash && set === FLASH))
    .flatMap((row) => {
      const count = row.per === 'once' ? 1 : Math.max(1, Math.floor(cores / (row.per === 'core' ? 2 : 4)));
      const first = row.per === 'four' ? 1 : 0;
      return Array.from({ length: count }, (_, n) => ({ ...row, label: row.label.replace('{n}', String(first + n)) }));
    });
}

type MacSensorsInput = { readonly arm: boolean; readonly laptop: boolean; readonly virtual: boolean };

/** Virtual machines have no sensors. */
const NO_SENSORS = fixedPart({ Temperatures: [], Batteries: [] });

/** The check `sensors` of a Linux host: whole degrees that follow the load of the last minute. */
export const linuxSensorsCheck: PartOf<LinuxSensorsInput> = (input, cells) => {
  if (!input.physical) return NO_SENSORS;
  const sensors = sensorsOn(input);
  const degrees = cells.column(sensors.length);
  const Temperatures = sensors.map(({ label, high, critical }, index) => {
    return { label, current: slot.integer(nth(degrees, index)), high, critical };
  });
  return {
    node: { Temperatures, Batteries: [] },
    fill(frame, { hostKey, busyMinute, saturation, checkMs }) {
      const key = keyOf(hostKey, SENSORS);
      const busy = busyMinute + (1 - busyMinute) * saturation.minute;
      const room = 27 + 9 * unit(key, -1);
      for (let i = 0; i < sensors.length; i++) {
        const { heat, least } = sensors[i] as (typeof sensors)[number];
        const own = 2.5 * smoothNoise(key + i, checkMs / 40_000);
        frame[nth(degrees, i)] = Math.round(room + least + 45 * busy * heat + own);
      }
    },
  };
};

/** Sensors of the controller in Intel machines. Those that a model lacks read 0. */
const INTEL = `Ambient 1 (TA0P)|CPU 0 Proximity (TC0P)|CPU 0 Diode (TC0D)|CPU 0 Heatsink (TC0H)|Battery 1 (TB1T)|
  Battery 2 (TB2T)|GPU 0 Diode (TG0D)|GPU 0 Proximity (TG0P)|Memory Module 0 (TM0S)|Mainboard Proximity (TM0P)|
  Northbridge Diode (TN0D)|Thunderbolt 0 (TI0P)|Airport Proximity (TW0P)`.split(/\s*\|\s*/);

const INTEL_MISSING = ['CPU 0 Diode (TC0D)', 'Memory Module 0 (TM0S)', 'Northbridge Diode (TN0D)'];

const ARM = [
  ...Array.from({ length: 10 }, (_, index) => `PMU tdie${index + 1}`),
  ...Array.from({ length: 6 }, (_, index) => `PMU tdev${index + 1}`),
  'PMU tcal',
  'NAND CH0 temp',
];

/** The check `sensors` of a macOS host: temperatures that follow the load, and the battery of laptops. */
export const macSensorsCheck: PartOf<MacSensorsInput> = ({ arm, laptop, virtual }, cells) => {
  if (virtual) return NO_SENSORS;
  const labels = arm ? (laptop ? [...ARM, 'gas gauge battery'] : ARM) : INTEL;
  const readings = cells.column(labels.length);
  const battery = cells.row('percent', 'plugged');
  const reading = arm ? slot.float : slot.integer;
  const shares = Float64Array.from(labels, placeShare);
  const Temperatures = labels.map((label, place): Node => {
    const missing = INTEL_MISSING.includes(label) || (!laptop && label.startsWith('Battery'));
    return { label, current: missing ? 0 : reading(nth(readings, place)), high: 0, critical: 0 };
  });
  const charge: Node = {
    id: 0,
    percent: slot.float(battery.percent),
    secsleft: 0,
    power_plugged: slot.either(battery.plugged, [false, true]),
  };
  return {
    node: { Temperatures, Batteries: laptop ? [charge] : [] },
    fill(frame, host) {
      const key = keyOf(host.hostKey, SENSORS);
      const busy = host.busyMinute + (1 - host.busyMinute) * host.saturation.minute;
      const room = 28 + 6 * unit(key, -1);
      for (let place = 0; place < labels.length; place++) {
        const degrees =
          room + 50 * busy * (shares[place] as number) + 2.5 * smoothNoise(key + place, host.checkMs / 40_000);
        // Newer sensors count in 1/64 of a degree.
        frame[nth(readings, place)] = arm ? Math.round(degrees * 64) / 64 : Math.round(degrees);
      }
      if (laptop) fillBattery(frame, battery, host);
    },
  };
};

/** Share of the processor's heat that reaches a sensor. */
function placeShare(label: string): number {
  if (/tdie|CPU|GPU/.test(label)) return 1;
  return /battery/i.test(label) ? 0.15 : 0.45;
}

const CHARGE_SECONDS = 9 * 3600;

/** Laptops run on battery for some hours and are then plugged in. Many stay plugged in for days. */
function fillBattery(frame: CellValues, battery: Row<'percent' | 'plugged'>, { hostKey, checkMs }: HostState): void {
  const key = keyOf(hostKey, SENSORS);
  const turns = checkMs / 1000 / CHARGE_SECONDS + unit(key, -2);
  const turn = Math.floor(turns);
  const at = turns - turn;
  const away = unit(key, turn) < 0.4;
  const lowest = 0.2 + 0.5 * unit(key, ~turn);
  const level = !away ? 1 : at < 0.6 ? 1 - (at / 0.6) * (1 - lowest) : lowest + ((at - 0.6) / 0.4) * (1 - lowest);
  const fullMah = 4000 + Math.floor(2000 * unit(key, -3));
  frame[battery.percent] = (Math.round(fullMah * level) / fullMah) * 100;
  frame[battery.plugged] = away && at < 0.6 ? 0 : 1;
}
