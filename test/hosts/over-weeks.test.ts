import { describe, expect, it } from 'vitest';
import { checkdata, documentsOverWeeks, type Parsed, usualFleet } from './any-machine.ts';

const START = Date.UTC(2026, 3, 1);
const MINUTE = 60_000;
const DAY = 86_400_000;

describe('the hosts of a fleet, over weeks', () => {
  it('have clocks that are mostly synchronized and sometimes not, with growing offsets', () => {
    const clocks = [...documentsOverWeeks('debian-12', 'lean', 3000)].map(({ ntp }) => ntp);
    const alone = clocks.filter(({ SyncStatus }) => !SyncStatus);
    expect(alone.length).toBeGreaterThan(3);
    expect(alone.length).toBeLessThan(60);
    for (const { Offset, SyncStatus } of clocks) expect(Math.abs(Offset)).toBeLessThan(SyncStatus ? 0.1 : 3);
    const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
    const offsets = (list: readonly Parsed[]) => median(list.map(({ Offset }) => Math.abs(Offset)));
    expect(offsets(alone)).toBeGreaterThan(10 * offsets(clocks));
  });

  it('have disks of which few are nearly full', () => {
    const percents = [...documentsOverWeeks('almalinux-9', 'lean', 1500)].map(({ disks }) => disks[0].usage.percent);
    const full = percents.filter((percent) => percent > 90).length;
    expect(full).toBeGreaterThan(3);
    expect(full).toBeLessThan(45);
  });

  it('are hotter under load', () => {
    const hot: number[] = [];
    const cool: number[] = [];
    for (const { sensors, system_load, cpu } of documentsOverWeeks('debian-12', 'typical', 600)) {
      if (sensors.Temperatures.length === 0) continue;
      const load = system_load['0'] / cpu.cpu_percentage.length;
      (load > 0.15 ? hot : cool).push(sensors.Temperatures[0].current);
    }
    const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
    expect(mean(hot)).toBeGreaterThan(mean(cool) + 3);
  });

  it('have more users at noon than at night', () => {
    const users = (hour: number) => {
      const counts = Array.from({ length: 300 }, (_, agent) => {
        const instantMs = START + (agent % 20) * DAY + hour * 60 * MINUTE;
        return checkdata({ fleet: usualFleet('debian-12', 'lean'), agent, instantMs }).users.length;
      });
      return counts.reduce((a, b) => a + b, 0);
    };
    expect(users(13)).toBeGreaterThan(2 * users(3));
  });
});
