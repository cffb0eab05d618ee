import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { PROFILE_NAMES } from '../../src/hosts/profiles.ts';
import { draws } from '../draws.ts';
import { anyRunningCase, type Case, checkdata, type Parsed, usualFleet } from './any-machine.ts';

const RUNS = { numRuns: draws(6) };
const INSTANT = Date.UTC(2026, 6, 15, 13);
const LINUX = PROFILE_NAMES.filter((name) => !/^(windows|macos)/.test(name));

function each(claim: (document: Parsed, one: Case) => void): void {
  fc.assert(
    fc.property(anyRunningCase, (one) => claim(checkdata(one), one)),
    RUNS,
  );
}

/** Documents of hosts that an earlier test has computed. */
const seen = new Map<string, Parsed[]>();
afterAll(() => seen.clear());

function hosts(profile: string, payload: 'full' | 'typical', count: number): readonly Parsed[] {
  const fleet = usualFleet(profile, payload);
  const known = seen.get(`${profile} ${payload}`) ?? [];
  seen.set(`${profile} ${payload}`, known);
  for (let agent = known.length; agent < count; agent++) {
    known.push(checkdata({ fleet, agent, instantMs: INSTANT + agent * 86_400_000 }));
  }
  return known.slice(0, count);
}

function sumOf(processes: readonly Parsed[], figure: (process: Parsed) => number): number {
  return processes.reduce((sum, process) => sum + figure(process), 0);
}

function held({ Memory }: Parsed): number {
  return Memory.rss ?? Memory.working_set_private;
}

describe('the processes of a host', () => {
  it('never use more CPU than its cores provide, nor more memory than is used', () => {
    each(({ processes, cpu, memory, agent }) => {
      const worked = sumOf(processes, ({ cpu_percent }) => cpu_percent);
      const most = agent.goos === 'windows' ? 100 : 100 * cpu.cpu_percentage.length;
      expect(worked).toBeLessThanOrEqual(most);
      expect(sumOf(processes, held)).toBeLessThanOrEqual(memory.used);
    });
  });

  it.each(PROFILE_NAMES)('of %s account for most of the used memory and CPU', (profile) => {
    for (const payload of ['full', 'typical'] as const) {
      const some = hosts(profile, payload, 12);
      const shares = some.map(({ processes, memory }) => sumOf(processes, held) / memory.used);
      const median = shares.toSorted((a, b) => a - b)[6] ?? 0;
      expect(median).toBeGreaterThan(payload === 'full' ? 0.75 : 0.5);
      const windows = profile.startsWith('windows');
      const worked = some.map(({ processes, cpu }) => {
        return sumOf(processes, ({ cpu_percent }) => cpu_percent) / (windows ? 1 : cpu.cpu_percentage.length);
      });
      const busy = some.map(({ cpu }) => cpu.cpu_total_percentage);
      const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
      expect(mean(worked) / mean(busy)).toBeGreaterThan(0.5);
      expect(mean(worked) / mean(busy)).toBeLessThan(1.4);
    }
  });

  it.each(PROFILE_NAMES)('of %s mostly have unique arguments', (profile) => {
    const repeated = hosts(profile, 'full', 8).map(({ processes }) => {
      return 1 - new Set(processes.map(({ cmdline }: Parsed) => cmdline)).size / processes.length;
    });
    expect(Math.max(...repeated)).toBeLessThan(0.3);
  });
});

/** The process of each service that can run on a Linux host. */
const PROCESS_OF: Readonly<Record<string, RegExp>> = {
  'NetworkManager.service': /\/NetworkManager /,
  'chrony.service': /chronyd/,
  'chronyd.service': /chronyd/,
  'cron.service': /\/cron /,
  'crond.service': /\/crond /,
  'dbus.service': /dbus-daemon/,
  'autofs.service': /automount/,
  'clamav-daemon.service': /clamd/,
  'clamav-freshclam.service': /freshclam/,
  'dbus-broker.service': /dbus-broker-launch/,
  'gdm.service': /\/gdm/,
  'getty@tty1.service': /agetty .*(tty1|-) linux/,
  'serial-getty@ttyS0.service': /agetty .*vt220/,
  'ifup@.service': /dhclient/,
  'open-vm-tools.service': /vmtoolsd/,
  'mysql.service': /mysqld/,
  'mysqld.service': /mysqld/,
  'mariadb.service': /mariadbd/,
  'nagios-nrpe-server.service': /\/nrpe /,
  'nfs-idmapd.service': /idmapd/,
  'nfs-mountd.service': /mountd/,
  'openitcockpit-agent.service': /openitcockpit-agent/,
  'postfix.service': /postfix/,
  'prometheus-node-exporter.service': /node[-_]exporter/,
  'prometheus-node_exporter.service': /node_exporter/,
  'qemu-guest-agent.service': /qemu-ga/,
  'redis@default.service': /redis-server/,
  'rsyslog.service': /rsyslogd/,
  'shop-worker.service': /bin\/workers/,
  'smartmontools.service': /smartd/,
  'ssh.service': /sshd: .*\[listener\]/,
  'sshd.service': /sshd: .*\[listener\]/,
  'tomcat.service': /catalina/,
  'tomcat10.service': /catalina/,
  'udisks2.service': /udisksd/,
  'user@1000.service': /systemd --user/,
  'wazuh-agent.service': /wazuh/,
  'zabbix-agent2.service': /zabbix_agent2/,
  'docker.service': /dockerd/,
  'php8.3-fpm.service': /php-fpm: master/,
  'php8.2-fpm.service': /php-fpm: master/,
  'php-fpm.service': /php-fpm: master/,
  'actions.runner.service': /Runner\.Listener/,
  'gitlab-registry.service': /registry serve/,
  'upower.service': /upowerd/,
  'cups.service': /cupsd/,
  'snapperd.service': /snapperd/,
  'valkey.service': /valkey-server/,
  'redis.service': /redis-server/,
  'postgresql.service': /post(gres|master) -D/,
};

function hasProcess(unit: string, commands: readonly string[]): boolean {
  const stem = unit.replace(/\.service$/, '').replace(/@.*$/, '');
  const pattern =
    PROCESS_OF[unit] ?? PROCESS_OF[unit.replace(/@.*\./, '@.')] ?? new RegExp(stem.replaceAll('.', '\\.'));
  return commands.some((command) => pattern.test(command));
}

describe.each(LINUX)('the units of %s', (profile) => {
  it('have their processes if they are running', () => {
    for (const payload of ['full', 'typical'] as const) {
      for (const { processes, systemd_services } of hosts(profile, payload, payload === 'full' ? 8 : 20)) {
        const commands = processes.map(({ cmdline }: Parsed) => cmdline);
        const services = systemd_services.filter(({ Name }: Parsed) => Name.endsWith('.service'));
        const running = services.filter(({ SubState }: Parsed) => SubState === 'running');
        expect(running.length).toBeGreaterThan(4);
        const without = running.map(({ Name }: Parsed) => Name).filter((name: string) => !hasProcess(name, commands));
        expect(without).toEqual([]);
      }
    }
  });

  it('include one time service, and match the kind of machine', () => {
    for (const { systemd_services, sensors } of hosts(profile, 'full', 12)) {
      const running = systemd_services
        .filter(({ SubState }: Parsed) => SubState === 'running')
        .map(({ Name }: Parsed) => Name);
      const clocks = running.filter((name: string) => /^(chronyd?|systemd-timesyncd)\.service$/.test(name));
      expect(clocks).toHaveLength(1);
      const metal = sensors.Temperatures.length > 0;
      if (metal) expect(running).not.toContain('qemu-guest-agent.service');
      else expect(running.join()).not.toMatch(/thermald|smart(d|montools)|mcelog/);
    }
  });

  it('have every type even on a typical host', () => {
    for (const { systemd_services } of hosts(profile, 'typical', 10)) {
      const types = new Set(systemd_services.map(({ Name }: Parsed) => Name.slice(Name.lastIndexOf('.') + 1)));
      expect([...types]).toEqual(expect.arrayContaining(['service', 'device', 'target', 'mount', 'socket', 'timer']));
    }
  });
});

describe.each(LINUX)('the logins of %s', (profile) => {
  it('are the same in users, processes and units', () => {
    const all = hosts(profile, 'typical', 40);
    for (const { users, processes, systemd_services } of all) {
      const shells = processes.filter(({ cmdline }: Parsed) => cmdline === '-bash');
      const remote = users.filter(({ terminal }: Parsed) => terminal.startsWith('pts/'));
      expect(shells.map(({ username }: Parsed) => username)).toEqual(remote.map(({ name }: Parsed) => name));
      const monitors = processes.filter(({ cmdline }: Parsed) => /^sshd: .* \[priv\]$/.test(cmdline));
      expect(monitors).toHaveLength(remote.length);
      const desktop = processes.find(({ cmdline }: Parsed) => /systemd --user$/.test(cmdline));
      expect(users.find(({ terminal }: Parsed) => terminal === 'tty2')?.name).toBe(desktop?.username);
      const sessions = systemd_services.filter(({ Name }: Parsed) => /^session-.*\.scope$/.test(Name));
      const told = sessions.map(({ Description }: Parsed) => /User (.*)$/.exec(Description)?.[1]);
      expect(told.sort()).toEqual(users.map(({ name }: Parsed) => name).sort());
    }
    expect(all.some(({ users }) => users.length > 0)).toBe(true);
  });
});

describe('the identity of a host', () => {
  it('does not depend on its payload', () => {
    fc.assert(
      fc.property(fc.constantFrom(...PROFILE_NAMES), fc.nat(100_000), (profile, agent) => {
        const identity = (payload: Parsed) => {
          const fleet = { ...usualFleet(profile, 'full'), payload };
          const { agent: own, cpu, memory, swap, disks } = checkdata({ fleet, agent, instantMs: INSTANT });
          return { own, cores: cpu, memory, swap, root: disks[0].usage.total };
        };
        const sizes = ['full', 'typical', 'lean', { processes: 90, services: 30, disks: 4 }];
        const [first, ...others] = sizes.map(identity);
        for (const other of others) expect(other).toEqual(first);
      }),
      { numRuns: draws(6) },
    );
  });

  it('does not depend on the order of profiles', () => {
    const names = ['ubuntu-24.04', 'windows-11', 'macos-26'];
    for (let agent = 0; agent < 30; agent++) {
      const [one, other] = [names, names.toReversed()].map((order) => {
        const profiles = Object.fromEntries(order.map((name) => [name, 1]));
        return checkdata({
          fleet: { seed: 4, profiles, payload: 'lean', checkIntervalSeconds: 30 },
          agent,
          instantMs: INSTANT,
        });
      });
      expect(other).toEqual(one);
    }
  });
});

describe('many hosts', () => {
  it.each(['ubuntu-24.04', 'almalinux-9', 'windows-server-2022'])('of %s are all different', (profile) => {
    const some = hosts(profile, 'full', 60);
    const distinct = (trait: (document: Parsed) => unknown) =>
      new Set(some.map((one) => JSON.stringify(trait(one)))).size;
    expect(distinct(({ memory }) => memory.total)).toBeGreaterThan(57);
    expect(distinct(({ disks }) => disks.map(({ disk, usage }: Parsed) => [disk, usage.total]))).toBeGreaterThan(57);
    const daemons = ({ cmdline, CreateTime }: Parsed) => !cmdline.startsWith('[') && CreateTime >= 0;
    const names = ({ processes }: Parsed) =>
      processes
        .filter(daemons)
        .map(({ cmdline }: Parsed) => cmdline)
        .sort();
    expect(distinct(names)).toBeGreaterThan(57);
    if (profile.startsWith('windows')) return;
    const serials = some.map(({ systemd_services }) => {
      return systemd_services.map(({ Name }: Parsed) => /by\\x2duuid-(\w{8})/.exec(Name)?.[1]).find(Boolean);
    });
    expect(new Set(serials).size).toBe(60);
  });
});

describe('disks', () => {
  it('never change by 5 percentage points or more within an hour', () => {
    fc.assert(
      fc.property(anyRunningCase, (one) => {
        const percents = [0, 20, 40, 60].map((minutes) => {
          const { disks } = checkdata({ ...one, instantMs: one.instantMs + minutes * 60_000 });
          return disks.map(({ usage }: Parsed) => usage.percent);
        });
        for (const [place, first] of (percents[0] ?? []).entries()) {
          for (const later of percents) expect(Math.abs(later[place] - first)).toBeLessThan(5);
        }
      }),
      { numRuns: draws(6) },
    );
  });
});
