import type { CustomCheck } from './configuration.ts';
import type { OperatingSystem } from './profile.ts';

/* Plugins and exporters as an administrator configures them for the agents of a fleet. */

/** A name, the plugin if it has another name, and its options. */
const POSIX = [
  'check_load -w 15,10,5 -c 30,25,20',
  'check_disk -w 10% -c 5% -p /',
  'check_procs -w 700 -c 1200',
  'check_users -w 5 -c 10',
  'check_swap -w 20% -c 10% -n ok',
  'check_uptime',
];
const LINUX = [
  ...POSIX,
  'check_mem -u -w 90 -c 95',
  'check_ntp_time -H localhost -w 0.5 -c 1',
  'check_zombies=check_procs -w 5 -c 10 -s Z',
  'check_backup=check_file_age -w 93600 -c 180000 -f /var/backups/daily.tar.zst',
];
const WINDOWS = [
  'check_cpu warning=80 critical=90',
  'check_drivesize drive=C: warning=80 critical=90',
  'check_memory warning=90 critical=95',
  'check_service exclude=sppsvc warning=0 critical=0',
  'check_os_updates',
  'check_pagefile warning=60 critical=80',
  'check_process warning=400 critical=600',
  'check_uptime=check_nscp_uptime',
  'check_ntp_offset warning=0.5 critical=1',
];

const RPM = ['check_updates', ...LINUX];

/** Plugins that an administrator installs on the hosts of a profile: how their commands and the names of such profiles start. */
const PLUGINS = [
  { profile: 'windows', command: String.raw`C:\NSClient++\nscp.exe client --query `, checks: WINDOWS },
  { profile: 'macos', command: '/usr/local/sbin/', checks: [...POSIX, 'check_softwareupdate'] },
  { profile: 'arch', command: '/usr/lib/monitoring-plugins/', checks: LINUX },
  { profile: 'almalinux', command: '/usr/lib64/nagios/plugins/', checks: RPM },
  { profile: 'opensuse', command: '/usr/lib/nagios/plugins/', checks: RPM },
];
const DEBIAN = { command: '/usr/lib/nagios/plugins/', checks: ['check_apt', ...LINUX] };

function pluginsOf(profile: string): Omit<(typeof PLUGINS)[number], 'profile'> {
  return PLUGINS.find((row) => profile.startsWith(row.profile)) ?? DEBIAN;
}

/** Intervals of a host's plugins in turn, and their timeout. Chosen. */
const INTERVALS_SECONDS = [60, 60, 300, 120];
const TIMEOUT_SECONDS = 15;

/** Entries for `count` plugins, as an administrator of hosts of this profile would write them. */
export function customCheckEntries(profile: string, count: number): readonly CustomCheck[] {
  const { command, checks } = pluginsOf(profile);
  return Array.from({ length: count }, (_, index) => {
    const [, entry = '', plugin = entry, options = ''] =
      /^(\w+)(?:=(\w+))?(.*)$/.exec(checks[index % checks.length] ?? '') ?? [];
    const turn = Math.floor(index / checks.length);
    return {
      name: turn === 0 ? entry : `${entry}_${turn + 1}`,
      command: `${command}${plugin}${options}`,
      intervalSeconds: INTERVALS_SECONDS[index % INTERVALS_SECONDS.length] ?? 60,
      timeoutSeconds: TIMEOUT_SECONDS,
    };
  });
}

/** The plugin behind a command, by the name of its output; the last word that is one. */
export function pluginIn(command: string): string {
  const [program = ''] = command.split(' ');
  const own = program.split(/[\\/]/).at(-1) ?? '';
  const query = / --query (\w+)/.exec(command)?.[1];
  if (own === 'check_procs' && / -s Z\b/.test(command)) return 'check_zombies';
  return query ?? own;
}

/** Numbers of an option such as `-w 10%`, `-c 30,25,20` or `warning=80`. */
export function limitsIn(command: string, option: 'w' | 'c'): readonly number[] {
  const pattern = option === 'w' ? / (?:-w |--warning[= ]|warning=)(\S+)/ : / (?:-c |--critical[= ]|critical=)(\S+)/;
  return (pattern.exec(command)?.[1] ?? '')
    .split(',')
    .flatMap((text) => (text === '' ? [] : [Number.parseFloat(text)]));
}

/** Whether a plugin exists on hosts of a profile. The others look for software that the system does not have. */
export function existsOn(profile: string, plugin: string): boolean {
  const known = [DEBIAN, ...PLUGINS].flatMap(({ checks }) => checks);
  const isOf = (checks: readonly string[]) => checks.some((check) => new RegExp(`(^|=)${plugin}( |$)`).test(check));
  return isOf(pluginsOf(profile).checks) || !isOf(known);
}

/** Exporters and their usual ports, on the systems that have them. The first ones report about their host, the others about anything. */
const EXPORTER_PORTS = [
  { name: 'node_exporter', port: 9100, on: /linux|macos/ },
  { name: 'windows_exporter', port: 9182, on: /windows/ },
  { name: 'process_exporter', port: 9256, on: /linux/ },
  { name: 'systemd_exporter', port: 9558, on: /linux/ },
  { name: 'ethtool_exporter', port: 9417, on: /linux/ },
  { name: 'blackbox_exporter', port: 9115, on: /./ },
  { name: 'json_exporter', port: 7979, on: /./ },
  { name: 'script_exporter', port: 9469, on: /./ },
  { name: 'snmp_exporter', port: 9116, on: /./ },
  { name: 'statsd_exporter', port: 9102, on: /./ },
  { name: 'domain_exporter', port: 9222, on: /./ },
];

/** The next exporter of the same kind on a host listens this many ports higher. */
const PORT_STEP = 1000;

export type ExporterEntry = { readonly name: string; readonly port: number };

/** The exporters of a host. Each is a service of its own. */
export function exporterEntries(system: OperatingSystem, count: number): readonly ExporterEntry[] {
  const here = EXPORTER_PORTS.filter(({ on }) => on.test(system));
  return Array.from({ length: count }, (_, index) => {
    const { name = '', port = 0 } = here[index % here.length] ?? {};
    const turn = Math.floor(index / here.length);
    return { name: turn === 0 ? name : `${name}_${turn + 1}`, port: port + PORT_STEP * turn };
  });
}
