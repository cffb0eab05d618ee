import { HOUR_SECONDS } from '../../base/kernel/units.ts';
import { type CellValues, nth, type Row, slot } from '../document/nodes.ts';
import type { HostState } from '../host/host-state.ts';
import type { MacHardware } from '../host/macos/hardware.ts';
import { byWeight, inRange, keyOf, smoothNoise, streamLabel, unit, type ValueRange } from '../host/noise.ts';
import type { PartOf } from '../host/part.ts';
import { column, type HostTables, oncePerData, readTable, type TableRow } from '../host-data.ts';

/* Temperatures, shares and times without a source are chosen. */

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

type Sensor = Pick<TableRow<typeof CHIP>, 'label' | 'high' | 'critical' | 'heat' | 'least'> & {
  /** Reads 0. */
  readonly missing?: boolean;
};

/** The sensors of a host, how many degrees its room has and work adds, and whether it has a battery. */
type Sensors = {
  readonly list: readonly Sensor[];
  readonly room: ValueRange;
  readonly perBusy: number;
  readonly stepsPerDegree: number;
  readonly battery: boolean;
};

/** The sensors of one processor, and those of the drive. Virtual machines have none. */
export function linuxSensors({ data, cores, physical, flash, stream }: LinuxSensorsInput): Sensors {
  const rows = chipsOf(data);
  const processors = byWeight(rows);
  const processor = processors[stream % processors.length]?.set;
  const list = rows
    .filter(({ set }) => physical && (set === processor || (flash && set === FLASH)))
    .flatMap((row) => {
      const count = row.per === 'once' ? 1 : Math.max(1, Math.floor(cores / (row.per === 'core' ? 2 : 4)));
      const first = row.per === 'four' ? 1 : 0;
      return Array.from({ length: count }, (_, n) => ({ ...row, label: row.label.replace('{n}', String(first + n)) }));
    });
  return { list, room: [27, 9], perBusy: 45, stepsPerDegree: 1, battery: false };
}

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

/** Newer sensors count in 1/64 of a degree. Virtual machines have none. */
export function macSensors({ arm, laptop, virtual }: Pick<MacHardware, 'arm' | 'laptop' | 'virtual'>): Sensors {
  const labels = arm ? (laptop ? [...ARM, 'gas gauge battery'] : ARM) : INTEL;
  const list = labels.map((label): Sensor => {
    const missing = INTEL_MISSING.includes(label) || (!laptop && label.startsWith('Battery'));
    return { label, missing, high: 0, critical: 0, heat: heatShare(label), least: 0 };
  });
  return { list: virtual ? [] : list, room: [28, 6], perBusy: 50, stepsPerDegree: arm ? 64 : 1, battery: laptop };
}

/** The check `sensors`: temperatures that follow the load of the last minute, and the battery of laptops. */
export const sensorsCheck: PartOf<Sensors> = ({ list, room, perBusy, stepsPerDegree: steps, battery }, cells) => {
  const degrees = cells.column(list.length);
  const reading = steps === 1 ? slot.integer : slot.float;
  const charge = cells.row('percent', 'plugged');
  const Temperatures = list.map(({ label, high, critical, missing = false }, index) => {
    return { label, current: missing ? 0 : reading(nth(degrees, index)), high, critical };
  });
  const percent = slot.float(charge.percent);
  const Batteries = [{ id: 0, percent, secsleft: 0, power_plugged: slot.either(charge.plugged, [false, true]) }];
  return {
    node: { Temperatures, Batteries: battery ? Batteries : [] },
    fill(frame, host) {
      const key = keyOf(host.hostKey, SENSORS);
      const busy = host.busyMinute + (1 - host.busyMinute) * host.saturation.minute;
      const around = inRange(room, unit(key, -1));
      for (let i = 0; i < list.length; i++) {
        const { heat, least } = list[i] as Sensor;
        const drift = MAX_DRIFT * smoothNoise(key + i, host.checkMs / DRIFT_MS);
        frame[nth(degrees, i)] = Math.round((around + least + perBusy * busy * heat + drift) * steps) / steps;
      }
      if (battery) fillBattery(frame, charge, host);
    },
  };
};

function heatShare(label: string): number {
  if (/tdie|CPU|GPU/.test(label)) return 1;
  return /battery/i.test(label) ? 0.15 : 0.45;
}

/** Degrees that a sensor deviates, and the time within which it does. */
const MAX_DRIFT = 2.5;
const DRIFT_MS = 40_000;
/** A laptop may be away once in this time: for the first part of it, on battery, and then it charges. */
const CHARGE_SECONDS = 9 * HOUR_SECONDS;
const AWAY_PART = 0.6;
const AWAY_LIKELY = 0.4;
const LOWEST_LEVEL: ValueRange = [0.2, 0.5];

/** Laptops run on battery for some hours and are then plugged in. Many stay plugged in for days. */
function fillBattery(frame: CellValues, battery: Row<'percent' | 'plugged'>, { hostKey, checkMs }: HostState): void {
  const key = keyOf(hostKey, SENSORS);
  const turns = checkMs / 1000 / CHARGE_SECONDS + unit(key, -2);
  const turn = Math.floor(turns);
  const at = turns - turn;
  const isAway = unit(key, turn) < AWAY_LIKELY;
  const level = isAway ? levelAt(at, inRange(LOWEST_LEVEL, unit(key, ~turn))) : 1;
  const fullMah = 4000 + Math.floor(2000 * unit(key, -3));
  frame[battery.percent] = (Math.round(fullMah * level) / fullMah) * 100;
  frame[battery.plugged] = isAway && at < AWAY_PART ? 0 : 1;
}

/** Charge from full down to the lowest level while away, and then up again. */
function levelAt(at: number, lowest: number): number {
  if (at < AWAY_PART) return 1 - (at / AWAY_PART) * (1 - lowest);
  return lowest + ((at - AWAY_PART) / (1 - AWAY_PART)) * (1 - lowest);
}
