import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROFILE_NAMES } from '../../../src/hosts/profiles.ts';
import { checkdata, type Parsed, packages, usualFleet } from '../any-machine.ts';

const LINUX = PROFILE_NAMES.filter((name) => !/^(windows|macos)/.test(name));

/** The packages that may contain each service, at least one of which must be installed; empty for services without a package. */
const PACKAGES: Readonly<Record<string, string>> = {
  'ModemManager.service': 'modemmanager ModemManager',
  'NetworkManager.service': 'network-manager NetworkManager networkmanager',
  'accounts-daemon.service': 'accountsservice',
  'actions.runner.service': '',
  'apache2.service': 'apache2',
  'atd.service': 'at',
  'auditd.service': 'auditd audit',
  'chrony.service': 'chrony',
  'chronyd.service': 'chrony',
  'clamav-freshclam.service': 'clamav-freshclam',
  'crond.service': 'cronie',
  'dbus.service': 'dbus',
  'dbus-broker.service': 'dbus-broker',
  'docker.service': 'docker.io docker docker-ce',
  'exim4.service': 'exim4-daemon-light',
  'fail2ban.service': 'fail2ban fail2ban-server',
  'gdm.service': 'gdm gdm3',
  'getty@tty1.service': 'util-linux',
  'gitlab-registry.service': '',
  'ifup@.service': 'isc-dhcp-client',
  'libvirtd.service': 'libvirt-daemon-system',
  'multipathd.service': 'multipath-tools',
  'mysql.service': 'mysql-server mysql-server-8.0',
  'mysqld.service': 'mysql-server',
  'mariadb.service': 'mariadb-server mariadb',
  'nfs-idmapd.service': 'nfs-common nfs-utils nfs-client',
  'nfs-mountd.service': 'nfs-kernel-server',
  'nmbd.service': 'samba',
  'vmtoolsd.service': 'open-vm-tools',
  'packagekit.service': 'packagekit PackageKit',
  'php-fpm.service': 'php-fpm php8-fpm',
  'polkit.service': 'polkitd polkit',
  'postgresql.service': 'postgresql postgresql-server postgresql18-server',
  'postgresql@15-main.service': 'postgresql-15',
  'postgresql@16-main.service': 'postgresql-16',
  'prometheus-node-exporter.service': 'prometheus-node-exporter golang-github-prometheus-node-exporter',
  'prometheus-node_exporter.service': 'golang-github-prometheus-node_exporter',
  'puppet.service': 'puppet-agent puppet ruby3.4-rubygem-puppet',
  'redis@default.service': 'redis',
  'rtkit-daemon.service': 'rtkit',
  'salt-minion.service': 'salt-minion salt',
  'serial-getty@ttyS0.service': 'util-linux',
  'shop-worker.service': '',
  'smartd.service': 'smartmontools',
  'smbd.service': 'samba',
  'snapperd.service': 'snapper',
  'snmpd.service': 'snmpd net-snmp',
  'sshd.service': 'openssh-server openssh',
  'ssh.service': 'openssh-server',
  'sssd.service': 'sssd-common sssd',
  'systemd-networkd.service': 'systemd systemd-network',
  'systemd-timesyncd.service': 'systemd-timesyncd systemd',
  'systemd-udevd.service': 'udev systemd-udev systemd',
  'tailscaled.service': 'tailscale',
  'containerd.service': 'containerd containerd.io',
  'tomcat.service': 'tomcat tomcat10',
  'user@1000.service': 'systemd',
};

function packagesOf(unit: string): readonly string[] {
  const named = PACKAGES[unit] ?? PACKAGES[unit.replace(/@.*\./, '@.')];
  if (named !== undefined) return named === '' ? [] : named.split(' ');
  if (/^systemd-(journald|logind|userdbd|resolved|timesyncd)\./.test(unit))
    return ['systemd', unit.replace(/\.service$/, '')];
  return [unit.replace(/\.service$/, '')];
}

/** Packages that start their daemon upon installation, in the Debian family. */
const STARTS: Readonly<Record<string, string>> = {
  acpid: 'acpid',
  apache2: 'apache2',
  at: 'atd',
  auditd: 'auditd',
  autofs: 'autofs',
  'bacula-fd': 'bacula-fd',
  chrony: 'chrony',
  'clamav-daemon': 'clamav-daemon',
  'clamav-freshclam': 'clamav-freshclam',
  cups: 'cups',
  'docker.io': 'docker',
  fail2ban: 'fail2ban',
  filebeat: 'filebeat',
  haproxy: 'haproxy',
  keepalived: 'keepalived',
  'libvirt-daemon-system': 'libvirtd',
  lldpd: 'lldpd',
  'mariadb-server': 'mariadb',
  memcached: 'memcached',
  'mysql-server': 'mysql',
  'nagios-nrpe-server': 'nagios-nrpe-server',
  'network-manager': 'NetworkManager',
  'nfs-kernel-server': 'nfs-mountd',
  nginx: 'nginx',
  'prometheus-node-exporter': 'prometheus-node-exporter',
  'puppet-agent': 'puppet',
  'open-vm-tools': 'open-vm-tools',
  'qemu-guest-agent': 'qemu-guest-agent',
  'redis-server': 'redis-server',
  rpcbind: 'rpcbind',
  'salt-minion': 'salt-minion',
  samba: 'smbd',
  smartmontools: 'smartmontools',
  snmpd: 'snmpd',
  squid: 'squid',
  'systemd-timesyncd': 'systemd-timesyncd',
  tailscale: 'tailscaled',
  telegraf: 'telegraf',
  thermald: 'thermald',
  tomcat10: 'tomcat10',
  'unattended-upgrades': 'unattended-upgrades',
  varnish: 'varnish',
  vnstat: 'vnstat',
  'wazuh-agent': 'wazuh-agent',
  'zabbix-agent2': 'zabbix-agent2',
};

type Host = { readonly units: readonly Parsed[]; readonly names: ReadonlySet<string> };

function hosts(profile: string, count: number): readonly Host[] {
  const fleet = usualFleet(profile, 'full');
  return Array.from({ length: count }, (_, agent) => {
    const one = { fleet, agent, instantMs: Date.UTC(2026, 7, 3, 11) + agent * 40 * 3_600_000 };
    const units: readonly Parsed[] = checkdata(one).systemd_services;
    const names = new Set<string>(packages(one).LinuxPackages.map(({ Name }: Parsed) => Name));
    return { units, names };
  });
}

/** Services that run without their package. */
function unpackaged({ units, names }: Host): readonly string[] {
  const running = units.filter(({ Name, SubState }) => Name.endsWith('.service') && SubState === 'running');
  return running.flatMap(({ Name }) => {
    const from = packagesOf(Name);
    return from.length === 0 || from.some((name) => names.has(name)) ? [] : [Name];
  });
}

/** Packages without the service that they start. */
function unstarted({ units, names }: Host): readonly string[] {
  const known = new Set(units.map(({ Name }) => Name));
  return Object.entries(STARTS).flatMap(([name, service]) => {
    return names.has(name) && !known.has(`${service}.service`) ? [`${name} without ${service}`] : [];
  });
}

const HOSTS = 60;

describe.each(LINUX)('the services of %s', (profile) => {
  let all: readonly Host[] = [];
  beforeAll(() => {
    all = hosts(profile, HOSTS);
  });
  afterAll(() => {
    all = [];
  });

  it('have their packages', () => {
    expect([...new Set(all.flatMap(unpackaged))]).toEqual([]);
    const optional = all.flatMap(({ units }) => units).filter(({ Name }) => /^(filebeat|snmpd|fail2ban)\./.test(Name));
    expect(optional.length).toBeGreaterThan(HOSTS / 5);
  });

  // On other distributions, a package starts nothing by itself.
  if (/^(ubuntu|debian)/.test(profile))
    it('exist if the packages that start them are installed', () => {
      expect([...new Set(all.flatMap(unstarted))]).toEqual([]);
    });
});

/** The program that installs each service on Windows. */
const PROGRAMS: Readonly<Record<string, RegExp>> = {
  'zabbix-agent2': /^Zabbix Agent 2/,
  SplunkForwarder: /^UniversalForwarder/,
  GoogleUpdaterService: /^Google Chrome/,
  vpnagent: /^Cisco Secure Client/,
  himds: /^Azure Connected Machine Agent/,
  NSClientpp: /^NSClient\+\+/,
};

describe.each(['windows-11', 'windows-server-2022'])('the services and programs of %s', (profile) => {
  const listsOf = (payload: 'full' | 'typical', agent: number) => {
    const one = { fleet: usualFleet(profile, payload), agent, instantMs: Date.UTC(2026, 7, 3, 11) };
    const services: readonly string[] = checkdata(one).windows_services.map(({ Name }: Parsed) => Name);
    const programs: readonly string[] = packages(one).WindowsApps.map(({ Name }: Parsed) => Name);
    // Services of a user session have its ID in their names.
    return { services: services.filter((name) => !/_[0-9a-f]+$/.test(name)), programs };
  };

  it('are installed together', () => {
    let seen = 0;
    for (let agent = 0; agent < 60; agent++) {
      const { services, programs } = listsOf('full', agent);
      for (const [service, program] of Object.entries(PROGRAMS)) {
        const runs = services.includes(service);
        expect(
          programs.some((name) => program.test(name)),
          service,
        ).toBe(runs);
        if (runs) seen++;
      }
    }
    expect(seen).toBeGreaterThan(40);
  });

  it('differ from host to host, even in short lists', () => {
    const all = Array.from({ length: 150 }, (_, agent) => listsOf('typical', agent));
    const distinct = (lists: readonly (readonly string[])[]) => new Set(lists.map((list) => list.join('\n'))).size;
    expect(distinct(all.map(({ services }) => services)) / all.length).toBeGreaterThan(0.95);
    expect(distinct(all.map(({ programs }) => programs)) / all.length).toBeGreaterThan(0.95);
  });
});
