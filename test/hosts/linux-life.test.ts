import { describe, expect, it } from 'vitest';
import { DOWN, serviceState } from '../../src/hosts/host/failures.ts';
import { hostKeys, keyOf, streamLabel } from '../../src/hosts/host/noise.ts';
import {
  checkdata,
  checkdataText,
  documentsOverWeeks,
  isUp,
  type Parsed,
  USUAL_SEED,
  usualFleet,
} from './any-machine.ts';

const PROFILES = ['ubuntu-24.04', 'debian-12', 'almalinux-9', 'opensuse-tumbleweed', 'arch'];
const START = Date.UTC(2026, 3, 1);
const MINUTE = 60_000;
const DAY = 86_400_000;
const GIB = 1024 ** 3;

describe.each(PROFILES)('a small host of %s', (profile) => {
  it('runs the processes of its services and the agent, each child with its parent', () => {
    for (const { processes, systemd_services } of documentsOverWeeks(profile, 'typical', 40)) {
      const commands = processes.map(({ cmdline }: Parsed) => cmdline);
      expect(commands.some((command: string) => command.includes('openitcockpit-agent'))).toBe(true);
      const units = systemd_services.filter(({ ActiveState }: Parsed) => ActiveState === 'active');
      const master = processes.find(({ cmdline }: Parsed) => cmdline.startsWith('nginx: master'));
      expect(master !== undefined).toBe(units.some(({ Name }: Parsed) => Name === 'nginx.service'));
      const workers = processes.filter(({ cmdline }: Parsed) => cmdline === 'nginx: worker process');
      for (const { ppid } of workers) expect(ppid).toBe(master.pid);
      if (master !== undefined) expect(workers.length).toBeGreaterThan(0);
    }
  });

  it('has a boot partition of about one gigabyte', () => {
    for (const { disks } of documentsOverWeeks(profile, 'typical', 30)) {
      const boot = disks.find(({ disk }: Parsed) => disk.mountpoint === '/boot');
      if (boot === undefined) continue;
      expect(boot.usage.total).toBeGreaterThan(0.9 * GIB);
      expect(boot.usage.total).toBeLessThan(1.1 * GIB);
    }
  });
});

/** When nginx of a host is down, computed without its document. */
function nginxDown(agent: number): number | undefined {
  const key = keyOf(hostKeys(USUAL_SEED)(agent), streamLabel('service.nginx.service'));
  for (let checkMs = START; checkMs < START + 30 * DAY; checkMs += 5 * MINUTE) {
    if (serviceState(key, { checkMs, bootMs: START - 5 * DAY }) === DOWN) return checkMs;
  }
  return undefined;
}

describe('a service of a Linux host', () => {
  it('sometimes fails for some minutes without processes, and restarts with another PID', () => {
    const fleet = usualFleet('debian-12', 'typical');
    const at = (agent: number, instantMs: number): Parsed => checkdata({ fleet, agent, instantMs });
    const nginx = ({ processes }: Parsed) => processes.filter(({ cmdline }: Parsed) => cmdline.startsWith('nginx: '));
    const state = ({ systemd_services }: Parsed): string | undefined => {
      return systemd_services.find(({ Name }: Parsed) => Name === 'nginx.service')?.ActiveState;
    };
    let failures = 0;
    for (let agent = 0; agent < 80 && failures < 6; agent++) {
      const ms = nginxDown(agent) ?? START;
      if (state(at(agent, ms + 4000)) !== 'failed') continue;
      failures++;
      expect(nginx(at(agent, ms + 4000))).toEqual([]);
      const [before, after] = [at(agent, ms - 20 * MINUTE), at(agent, ms + 20 * MINUTE)];
      expect([state(before), state(after)]).toEqual(['active', 'active']);
      expect(nginx(after)[0].pid).not.toBe(nginx(before)[0].pid);
    }
    expect(failures).toBe(6);
  });

  it('still fails by itself after an incident stopped it, with another PID each time', () => {
    const incident = { kind: 'service-down', service: 'nginx', isHit: () => true } as const;
    let failures = 0;
    for (let agent = 0; agent < 80 && failures < 6; agent++) {
      const ms = nginxDown(agent) ?? START;
      const incidents = [{ ...incident, fromMs: ms - 90 * MINUTE, toMs: ms - 60 * MINUTE }];
      const at = (instantMs: number): Parsed => {
        return checkdata({ fleet: { ...usualFleet('debian-12', 'typical'), incidents }, agent, instantMs });
      };
      const master = (instantMs: number): Parsed | undefined => {
        return at(instantMs).processes.find(({ cmdline }: Parsed) => cmdline.startsWith('nginx: master'));
      };
      const unit = at(ms + 4000).systemd_services.find(({ Name }: Parsed) => Name === 'nginx.service');
      if (unit?.ActiveState !== 'failed' || master(ms - 20 * MINUTE) === undefined) continue;
      failures++;
      expect([master(ms - 75 * MINUTE), master(ms + 4000)]).toEqual([undefined, undefined]);
      const pids = [-100, -20, 20].map((minutes) => master(ms + minutes * MINUTE)?.pid);
      expect(new Set(pids).size).toBe(3);
    }
    expect(failures).toBe(6);
  });
});

describe('a reboot of a Linux host', () => {
  it('causes a gap without an agent, during which the last document is unchanged', () => {
    const fleet = usualFleet('arch', 'lean');
    for (let agent = 0; agent < 5; agent++) {
      const up = (ms: number) => isUp(fleet, agent, ms);
      const downMs = firstDown(up);
      let upMs = downMs;
      while (!up(upMs)) upMs += 1000;
      const text = (ms: number) => checkdataText({ fleet, agent, instantMs: ms });
      expect(text(downMs + 5000)).toBe(text(downMs));
      const [before, after] = [downMs, upMs + 5000].map((ms) => checkdata({ fleet, agent, instantMs: ms }).agent);
      const bootSeconds = after.last_updated_timestamp - after.system_uptime;
      expect(bootSeconds - before.last_updated_timestamp).toBeGreaterThan(15);
      expect(upMs - downMs).toBeLessThan(3 * MINUTE);
    }
  });
});

/** The first second at which a host is down, searched in steps shorter than any gap. */
function firstDown(up: (ms: number) => boolean): number {
  let ms = START;
  while (up(ms)) ms += 20_000;
  while (!up(ms - 1000)) ms -= 1000;
  return ms;
}
