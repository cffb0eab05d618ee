import { describe, expect, it } from 'vitest';
import { memoized } from '../../src/base/kernel/memoize.ts';
import { plain } from '../../src/hosts/document/plain.ts';
import type { HostGroup } from '../../src/hosts/fleet.ts';
import { roleFile } from '../../src/hosts/host/roles.ts';
import type { HostTables } from '../../src/hosts/host-data.ts';
import { createMachines as createFrom, type Machines } from '../../src/hosts/payloads.ts';
import { PROFILE_NAMES, profileNamed, ROLE_NAMES } from '../../src/hosts/profiles.ts';
import { goText, type Parsed } from './any-machine.ts';
import { createMachines, type GroupedTestFleet, HOST_DATA, readCheckdata } from './host-data.ts';

const INSTANT = Date.UTC(2026, 5, 1, 12);
const AGENTS = 24;

function fleetOf(profile: string, role: string, payload: HostGroup['payload'] = 'natural'): GroupedTestFleet {
  const group = { name: role, size: { kind: 'weight', weight: 1 }, profile, role, payload } as const;
  return { seed: 11, agents: AGENTS, groups: [group], checkIntervalSeconds: 30 };
}

function textsOf({ checkdata, packages }: Machines, agents: readonly number[]): readonly string[] {
  const textOf = ({ node, frame }: ReturnType<Machines['packages']>) => goText(plain(node(), frame));
  return agents.flatMap((agent) => [textOf(checkdata(agent, INSTANT)), textOf(packages(agent, INSTANT))]);
}

/** The data without the files of other roles, made once for all profiles: tables are read again for other data. */
const dataOf = memoized(ROLE_NAMES.length, (roles): HostTables => {
  const others = ROLE_NAMES.filter((name) => !roles.split(' ').includes(name)).map(roleFile);
  return Object.fromEntries(Object.entries(HOST_DATA.tables).filter(([file]) => !others.includes(file)));
});

const LINUX_SERVICES: readonly (readonly [string, RegExp])[] = [
  ['web', /^nginx\.service$/],
  ['postgresql', /^postgresql/],
  ['mysql', /^(mysqld?|mariadb)\.service$/],
  ['mail', /^dovecot\.service$/],
  ['file-server', /^smbd?\.service$/],
  ['domain-controller', /^samba(-ad-dc)?\.service$/],
  ['container-host', /^(docker\.service|conmon)$/],
  ['build', /^actions\.runner\.service$/],
  ['hypervisor', /^(libvirtd|virtqemud)\.service$/],
  ['desktop', /^gdm\.service$/],
];

/** Each role on one profile of each system, in turn: all profiles of a system choose their packages and services in the same way. */
const EACH_ROLE = ROLE_NAMES.flatMap((role, turn) => {
  const having = PROFILE_NAMES.filter((profile) => profileNamed(profile).roles.includes(role));
  const bySystem = Map.groupBy(having, (profile) => profileNamed(profile).systemOf(0));
  return [...bySystem.values()].map((profiles) => [role, profiles[turn % profiles.length] as string] as const);
});

describe('a role', () => {
  it.each(EACH_ROLE)(
    '%s of %s depends only on its own file, so that other roles do not change its hosts',
    (role, profile) => {
      const agents = [0];
      const fleet = fleetOf(profile, role);
      const alone = dataOf(role === 'database' ? 'database postgresql mysql' : role);
      const machines = createFrom({ ...fleet, data: { ...HOST_DATA, tables: alone } });
      expect(textsOf(machines, agents)).toEqual(textsOf(createMachines(fleet), agents));
    },
  );

  it('that hosts have by default does not depend on roles that only groups use', () => {
    const usual = PROFILE_NAMES.flatMap((profile) => profileNamed(profile).usualRoles);
    const fleet = {
      seed: 11,
      profiles: Object.fromEntries(PROFILE_NAMES.map((profile) => [profile, 1])),
      payload: 'lean',
      checkIntervalSeconds: 30,
    } as const;
    const tables = dataOf([...usual, 'postgresql', 'mysql'].join(' '));
    const agents = Array.from({ length: AGENTS }, (_, agent) => agent);
    expect(textsOf(createFrom({ ...fleet, data: { ...HOST_DATA, tables } }), agents)).toEqual(
      textsOf(createMachines(fleet), agents),
    );
  });

  it.each(LINUX_SERVICES)('%s runs its service on every Linux', (role, service) => {
    for (const profile of PROFILE_NAMES.filter((name) => profileNamed(name).systemOf(0) === 'linux')) {
      if (!profileNamed(profile).roles.includes(role)) continue;
      const { systemd_services, processes } = readCheckdata(fleetOf(profile, role), 1, INSTANT);
      const names = [...systemd_services.map(({ Name }: Parsed) => Name), ...processes.map(({ name }: Parsed) => name)];
      expect(names.some((name: string) => service.test(name))).toBe(true);
    }
  });

  it.each([
    ['mail', 'windows-server-2022', /^MSExchangeTransport$/, /Store\.Worker\.exe/],
    ['domain-controller', 'windows-server-2022', /^NTDS$/, /dns\.exe/],
    ['build', 'windows-server-2022', /^actions\.runner\.build$/, /Runner\.Listener\.exe/],
    // By default, the system has this service, too, but it is stopped.
    ['hypervisor', 'windows-server-2022', /^HvHost$/, /vmwp\.exe/],
    ['domain-controller', 'debian-12', /^samba-ad-dc\.service$/, /^samba: task\[ldap\]/],
    ['domain-controller', 'arch', /^samba\.service$/, /^samba: task\[kdc\]/],
  ])('%s of %s has its services, each once, and their processes', (role, profile, service, program) => {
    for (let agent = 0; agent < 2; agent++) {
      const document = readCheckdata(fleetOf(profile, role), agent, INSTANT);
      const services = document.systemd_services ?? Object.values<Parsed>(document.windows_services);
      expect(services.filter(({ Name }: Parsed) => service.test(Name))).toHaveLength(1);
      expect(document.processes.some(({ cmdline }: Parsed) => program.test(cmdline))).toBe(true);
    }
  });

  it('of domain controllers exists on every Linux except for those whose Samba does not support it', () => {
    const linux = PROFILE_NAMES.filter((name) => profileNamed(name).systemOf(0) === 'linux');
    const without = linux.filter((name) => !profileNamed(name).roles.includes('domain-controller'));
    expect(without).toEqual(['almalinux-9']);
    const lines = readCheckdata(fleetOf('debian-12', 'domain-controller'), 1, INSTANT);
    expect(lines.systemd_services.map(({ Name }: Parsed) => Name)).not.toContain('smbd.service');
    expect(textsOf(createMachines(fleetOf('debian-12', 'domain-controller')), [1]).join()).toContain(
      '"samba-common-bin"',
    );
  });

  it('of databases on Linux has one engine on each host, and both in a fleet', () => {
    const engines = Array.from({ length: 10 }, (_, agent) => {
      const { processes } = readCheckdata(fleetOf('debian-12', 'database', 'full'), agent, INSTANT);
      const lines = processes.map(({ cmdline }: Parsed) => String(cmdline));
      return ['postgres', 'mariadbd'].filter((engine) => lines.some((line: string) => line.includes(`/${engine}`)));
    });
    expect(new Set(engines.map((found) => found.length))).toEqual(new Set([1]));
    expect(new Set(engines.flat())).toEqual(new Set(['postgres', 'mariadbd']));
  });

  it('of mail has Postfix instead of the default mailer of its distribution', () => {
    const text = (role: string) => textsOf(createMachines(fleetOf('debian-12', role)), [0, 1, 2]).join();
    expect(text('web')).toContain('exim4');
    expect(text('mail')).not.toContain('exim4');
    expect(text('mail')).toContain('"postfix"');
  });
});
