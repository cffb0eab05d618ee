import { describe, expect, it } from 'vitest';
import { EPOCH_SECONDS } from '../../src/hosts/host/calendar.ts';
import { checkdata, isUp, type Parsed } from './any-machine.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** A Monday at midnight, in a week without holidays. */
const MONDAY = EPOCH_SECONDS * 1000 + 131 * 7 * DAY;
const SEED = 21;

function fleetOf(profile: string, payload: 'typical' | 'lean' = 'lean') {
  return { seed: SEED, profiles: { [profile]: 1 }, payload, checkIntervalSeconds: 30 };
}

function at(profile: string, agent: number, instantMs: number): Parsed {
  return checkdata({ fleet: fleetOf(profile, 'typical'), agent, instantMs });
}

/** The hosts of a fleet over one hour of a day, with all time zones. */
function fleetAt(profile: string, startMs: number): readonly Parsed[] {
  return Array.from({ length: 120 }, (_, agent) => at(profile, agent, startMs + (agent % 60) * 60_000));
}

function meanOf(documents: readonly Parsed[], figure: (document: Parsed) => number): number {
  return documents.reduce((sum, document) => sum + figure(document), 0) / documents.length;
}

function mean(profile: string, startMs: number, figure: (document: Parsed) => number): number {
  return meanOf(fleetAt(profile, startMs), figure);
}

const busy = ({ cpu }: Parsed) => cpu.cpu_total_percentage;
const written = ({ disk_io }: Parsed) => {
  return Object.values<Parsed>(disk_io).reduce((sum, { WriteBytesPerSecond }) => sum + WriteBytesPerSecond, 0);
};

describe('the hosts of a fleet, over a week', () => {
  it('are busy during the day and little at night, and clients are mostly idle on the weekend', () => {
    for (const profile of ['windows-11', 'macos-26']) {
      const noon = mean(profile, MONDAY + 10 * HOUR, busy);
      expect(noon).toBeGreaterThan(2 * mean(profile, MONDAY + DAY + 2 * HOUR, busy));
      expect(noon).toBeGreaterThan(2 * mean(profile, MONDAY + 5 * DAY + 10 * HOUR, busy));
    }
    const weekday = mean('debian-12', MONDAY + 11 * HOUR, busy);
    expect(weekday).toBeGreaterThan(1.2 * mean('debian-12', MONDAY + 6 * DAY + 3 * HOUR, busy));
  });

  it('rest at night except for their jobs: disks are as busy as during the day, cores much less', () => {
    const nights = [0, 1, 2].map((hour) => fleetAt('debian-12', MONDAY + DAY + hour * HOUR));
    const day = fleetAt('debian-12', MONDAY + DAY + 10 * HOUR);
    const share = (figure: (document: Parsed) => number) => {
      return Math.max(...nights.map((night) => meanOf(night, figure))) / meanOf(day, figure);
    };
    expect(share(written)).toBeGreaterThan(0.7);
    expect(share(written)).toBeGreaterThan(1.25 * share(busy));
  });

  it('are partly idle, and a few are overloaded or short of memory', () => {
    const documents = ['ubuntu-24.04', 'almalinux-9', 'windows-server-2022'].flatMap((profile) => {
      return Array.from({ length: 200 }, (_, agent) => {
        return checkdata({ fleet: fleetOf(profile), agent, instantMs: MONDAY + DAY + 11 * HOUR + agent * 1000 });
      });
    });
    const share = (test: (document: Parsed) => boolean) => documents.filter(test).length / documents.length;
    const idle = share((document) => busy(document) < 1);
    expect(idle).toBeGreaterThan(0.08);
    expect(idle).toBeLessThan(0.4);
    const overloaded = share((document) => busy(document) > 75);
    expect(overloaded).toBeGreaterThan(0.005);
    expect(overloaded).toBeLessThan(0.08);
    const short = share(({ memory }) => memory.percent > 85);
    expect(short).toBeGreaterThan(0.01);
    expect(short).toBeLessThan(0.12);
    expect(share(({ cpu }) => cpu.cpu_total_percentage_detailed.Iowait > 3)).toBeGreaterThan(0.01);
  });

  it('have failed units on a few percent of the hosts', () => {
    const failed = Array.from({ length: 300 }, (_, agent) => {
      const { systemd_services } = at('debian-12', agent, MONDAY + agent * HOUR);
      return systemd_services.some(({ ActiveState }: Parsed) => ActiveState === 'failed');
    }).filter(Boolean).length;
    expect(failed / 300).toBeGreaterThan(0.01);
    expect(failed / 300).toBeLessThan(0.12);
  });
});

describe('a host after its boot', () => {
  it('is busy for a while, with rising load averages and less used memory than later', () => {
    let hosts = 0;
    for (let agent = 0; agent < 40 && hosts < 8; agent++) {
      const fleet = fleetOf('debian-12');
      let ms = MONDAY;
      while (isUp(fleet, agent, ms) && ms < MONDAY + 40 * DAY) ms += 20_000;
      if (ms >= MONDAY + 40 * DAY) continue;
      while (!isUp(fleet, agent, ms)) ms += 1000;
      hosts++;
      const [early, later] = [ms + 15_000, ms + 2 * DAY].map((instantMs) => checkdata({ fleet, agent, instantMs }));
      expect(early.agent.system_uptime).toBeLessThan(60);
      expect(early.memory.percent).toBeLessThan(later.memory.percent);
      expect(early.system_load['0']).toBeGreaterThanOrEqual(early.system_load['2']);
      expect(busy(early)).toBeGreaterThan(20);
    }
    expect(hosts).toBeGreaterThan(3);
  });
});
