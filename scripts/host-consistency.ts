import { fileURLToPath } from 'node:url';
import { readHostData } from '../src/base/storage/host-data.ts';
import { plain } from '../src/hosts/document/plain.ts';
import { installerOf } from '../src/hosts/packages/windows-apps.ts';
import { createMachines } from '../src/hosts/payloads.ts';

/**
 * Lists what a monitoring engineer would notice about a fleet of simulated hosts: values that are equal where hosts should differ,
 * statements that differ where they should agree, and values that a year does not change. Reads only what agents send.
 *
 *     node scripts/host-consistency.ts [hosts] [seed]
 */

const PROFILES = {
  'ubuntu-24.04': 25,
  'debian-12': 20,
  'almalinux-9': 15,
  'opensuse-tumbleweed': 8,
  arch: 2,
  'windows-11': 12,
  'windows-server-2022': 12,
  'macos-26': 4,
  'macos-15': 2,
};
const CHECKS = { docker: 3, customchecks: 24, prometheus_exporters: 6, windows_eventlog: 60 };
const CHECK_INTERVAL_SECONDS = 30;
const SUMMER_MS = Date.UTC(2026, 5, 17, 9, 3, 41);
const WINTER_MS = Date.UTC(2026, 10, 18, 9, 3, 41);

// biome-ignore lint/suspicious/noExplicitAny: documents are read as a monitoring server reads them, without their types.
type Document = any;

/** A host in summer and in winter, and at any other time (Unix ms). */
type Host = {
  readonly summer: Document;
  readonly winter: Document;
  readonly packages: readonly Document[];
  readonly at: (unixMs: number) => Document;
};

type FleetInput = { readonly hosts: number; readonly seed: number; readonly payload?: 'full' | 'typical' };

export function observedHosts({ hosts, seed, payload = 'full' }: FleetInput): readonly Host[] {
  const data = readHostData();
  const machines = createMachines({
    data,
    seed,
    profiles: PROFILES,
    payload,
    checks: CHECKS,
    checkIntervalSeconds: CHECK_INTERVAL_SECONDS,
  });
  const read = ({ node, frame }: ReturnType<typeof machines.checkdata>): Document => plain(node(), frame);
  const checkdata = (agent: number, unixMs: number) => read(machines.checkdata(agent, unixMs));
  const packages = (agent: number, unixMs: number) => read(machines.packages(agent, unixMs));
  return Array.from({ length: hosts }, (_, agent) => {
    const winter = checkdata(agent, WINTER_MS);
    const collectionMs = 1000 * (winter.packagemanager.LastUpdate || WINTER_MS / 1000);
    return {
      summer: checkdata(agent, SUMMER_MS),
      winter,
      packages: [packages(agent, SUMMER_MS), packages(agent, collectionMs)],
      at: (unixMs) => checkdata(agent, unixMs),
    };
  });
}

/** `found` of `of` hosts or values are wrong. At most the share `limit` may be. */
export type Finding = {
  readonly list: 'equal' | 'contradiction' | 'frozen';
  readonly statement: string;
  readonly found: number;
  readonly of: number;
  readonly limit: number;
};

export function findingsOf(hosts: readonly Host[]): readonly Finding[] {
  return [...equalValues(hosts), ...contradictions(hosts), ...frozenValues(hosts)];
}

/** Values of which no host should have one that most others have, with the largest believable share of one value. */
const DISTINCT: readonly (readonly [statement: string, limit: number, valuesOf: (host: Host) => readonly unknown[]])[] =
  [
    ['time zone of the clock', 0.65, ({ winter }) => [/ [+-]\d{4} \S+/.exec(winter.agent.last_updated)?.[0]]],
    [
      'systemd machine-id',
      0.05,
      (host) => commands(host).flatMap((line) => /machine-id ([0-9a-f]{32})/.exec(line)?.[1] ?? []),
    ],
    [
      'domain of the shop',
      0.4,
      (host) => commands(host).flatMap((line) => /https?:\/\/(erp[^/?]*)/.exec(line)?.[1] ?? []),
    ],
    [
      'variant digit of a UUID',
      0.45,
      (host) => partitionIds(host, 'uuid').flatMap((id) => /^\w{8}-\w{4}-4\w{3}-(\w)/.exec(id)?.[1] ?? []),
    ],
    [
      'size of swap',
      0.35,
      ({ winter }) => (winter.agent.goos === 'linux' && winter.swap.total > 0 ? [winter.swap.total] : []),
    ],
    [
      'identifier in a command line',
      0.05,
      (host) => commands(host).flatMap((line) => [...line.matchAll(OWN_GUID)].map(([, guid]) => guid)),
    ],
    [
      'user of a Linux desktop',
      0.3,
      ({ winter }) =>
        winter.processes.flatMap(({ cmdline, username }: Document) =>
          cmdline === '/usr/bin/gnome-shell' ? [username] : [],
        ),
    ],
    [
      'release in an image tag',
      0.3,
      ({ winter }) =>
        Array.isArray(winter.docker)
          ? winter.docker.flatMap(({ image }: Document) => /example\/\w+:(4[\d.]+)/.exec(image)?.[1] ?? [])
          : [],
    ],
    ['last digits of a UUID', 0.002, (host) => partitionIds(host, 'uuid').map((id) => id.slice(-8))],
    [
      'first network card',
      0.4,
      ({ winter }) =>
        winter.agent.goos === 'linux' ? [Object.keys(winter.net_io).find((name) => /^e\w+$/.test(name))] : [],
    ],
    ['first virtual disk', 0.75, (host) => (isVirtual(host) ? [disksOf(host)[0]] : [])],
    ['first physical disk', 0.8, (host) => (isPhysical(host) ? [disksOf(host)[0]] : [])],
    [
      'Hyper-V switch on a Windows host',
      0.97,
      ({ winter }) =>
        isWindows(winter) ? [Object.keys(winter.net_io).some((name) => name.startsWith('vEthernet'))] : [],
    ],
    [
      'driver of the first sensor',
      0.85,
      (host) => (isPhysical(host) ? [host.winter.sensors?.Temperatures[0]?.label.split('_')[0]] : []),
    ],
    [
      'limits of sensors',
      0.6,
      (host) =>
        isPhysical(host)
          ? [`${host.winter.sensors?.Temperatures[0]?.high}/${host.winter.sensors?.Temperatures[0]?.critical}`]
          : [],
    ],
    [
      'output of a plugin',
      0.3,
      ({ winter }) =>
        Object.values<Document>(winter.customchecks)
          .filter(({ rc }) => rc < 3)
          .map(({ stdout }) => stdout),
    ],
    [
      'offset of a clock',
      0.1,
      (host) => ran(host, 'check_ntp_time').map(({ stdout }) => /offset=([^;]+)/.exec(stdout)?.[1]),
    ],
    ['text of an event', 0.2, ({ winter }) => eventsOf(winter).map(({ Message }) => Message)],
    [
      'reserve of a root file system',
      0.7,
      ({ winter }) =>
        winter.disks
          .filter(({ disk }: Document) => disk.fstype === 'ext4' && disk.mountpoint === '/')
          .map(({ usage }: Document) => Math.round(1000 * (1 - (usage.used + usage.free) / usage.total))),
    ],
  ];

function equalValues(hosts: readonly Host[]): readonly Finding[] {
  return DISTINCT.map(([statement, limit, valuesOf]) => {
    const values = hosts.flatMap(valuesOf);
    const counts = [...Map.groupBy(values, String).values()].map(({ length }) => length);
    return { list: 'equal', statement, found: Math.max(0, ...counts), of: values.length, limit };
  });
}

/** Statements about one fact. Each claim returns whether they agree; nothing if a host does not make both. */
const AGREEING: readonly (readonly [statement: string, limit: number, agree: (host: Host) => readonly boolean[]])[] = [
  [
    'check_apt runs only where dpkg is',
    0,
    (host) => ran(host, 'check_apt').map(() => host.winter.packagemanager.Stats.PackageManager === 'apt'),
  ],
  [
    'check_apt = packagemanager',
    0,
    (host) =>
      ran(host, 'check_apt').map(({ stdout }) => {
        const { UpgradablePackages, SecurityUpdates } = host.winter.packagemanager.Stats;
        return stdout.includes(`: ${UpgradablePackages} packages available for upgrade (${SecurityUpdates} critical`);
      }),
  ],
  [
    'check_procs = the list of processes',
    0,
    (host) =>
      repeated(host, 'check_procs', (stdout, { processes }) => {
        return Math.abs(Number(/(\d+) processes/.exec(stdout)?.[1]) - processes.length) <= 1 + 0.02 * processes.length;
      }),
  ],
  [
    'check_load = the load',
    0,
    (host) =>
      repeated(host, 'check_load', (stdout, { system_load }) => {
        const minutes = Number(/load15=([\d.]+)/.exec(stdout)?.[1]);
        return Math.abs(minutes - system_load['2']) <= 0.05 + 0.05 * minutes;
      }),
  ],
  [
    'check_disk = the disks',
    0,
    (host) =>
      repeated(host, 'check_disk', (stdout, { disks: [{ usage }] }) => {
        const [, used, total] = /\/=(\d+)MiB;\d+;\d+;0;(\d+)/.exec(stdout) ?? [];
        return (
          Math.abs(Number(total) / ((usage.used + usage.free) / 2 ** 20) - 1) < 0.001 &&
          Math.abs(Number(used) - usage.used / 2 ** 20) < 0.001 * Number(total)
        );
      }),
  ],
  [
    'no plugin of Linux on Windows',
    0,
    (host) => (isWindows(host.winter) ? customs(host).map(([, { stdout }]) => !/nagios/.test(stdout)) : []),
  ],
  [
    'an exporter has its process',
    0,
    (host) => host.winter.prometheus_exporters.map((name: string) => hasProcess(host, name)),
  ],
  [
    'an event names its host',
    0,
    ({ winter }) => {
      const names = new Set(eventsOf(winter).map(({ MachineName }) => MachineName));
      return names.size === 0 ? [] : [names.size === 1 && ![...names].some((name) => /^WIN-\d{6}$/.test(String(name)))];
    },
  ],
  [
    'a program that crashed belongs to the role',
    0,
    (host) =>
      eventsOf(host.winter)
        .filter(({ EventID, Source }) => EventID === 1000 && Source === 'Application Error')
        .map(({ Message }) => !/signage/.test(Message) || commands(host).some((line) => /kiosk|signage/.test(line))),
  ],
  [
    'PARTUUID and UUID of a partition differ',
    0,
    (host) => partitionIds(host, 'partuuid').map((id) => !partitionIds(host, 'uuid').includes(id)),
  ],
  [
    'an EFI partition has the ID of a FAT',
    0,
    (host) =>
      (isPhysical(host) || isVirtual(host)) &&
      host.winter.disks.some(({ disk }: Document) => disk.fstype === 'vfat') &&
      partitionIds(host, 'uuid').length > 1
        ? [partitionIds(host, 'uuid').some((id) => /^[0-9A-F]{4}-[0-9A-F]{4}$/.test(id))]
        : [],
  ],
  [
    'a Hyper-V switch has its service',
    0,
    ({ winter }) =>
      isWindows(winter)
        ? [
            !Object.keys(winter.net_io).some((name) => name.startsWith('vEthernet')) ||
              winter.windows_services.some(
                ({ Name, Status }: Document) => Name === 'vmcompute' && Status === 'Running',
              ),
          ]
        : [],
  ],
  [
    'IIS has its worker processes',
    0,
    ({ winter }) =>
      isWindows(winter) &&
      winter.windows_services.some(({ Name, Status }: Document) => Name === 'W3SVC' && Status === 'Running') &&
      winter.processes.length > 20
        ? [winter.processes.some(({ name }: Document) => name === 'w3wp.exe')]
        : [],
  ],
  [
    'an application that runs on a Mac is installed',
    0,
    ({ winter, packages: [, { MacosApps }] }) => {
      const installed = new Set(MacosApps?.map(({ Name }: Document) => Name));
      const apps = winter.processes.flatMap(
        ({ exec }: Document) => /^\/Applications\/([^/]+)\.app\//.exec(exec)?.[1] ?? [],
      );
      return winter.agent.goos === 'darwin' ? apps.map((name: string) => installed.has(name)) : [];
    },
  ],
  [
    'what runs on Windows, or may start, is of an installed program',
    0,
    (host) => installersOf(host).map(({ app }) => app !== undefined),
  ],
  [
    'a version in a path of Windows is that of its program',
    0,
    (host) =>
      installersOf(host).flatMap(({ path, app }) => {
        const version = path.includes('GoogleUpdater') ? undefined : /\d+(\.\d+){3}/.exec(path)?.[0];
        return version === undefined ? [] : [version === app?.Version];
      }),
  ],
  ['a process runs in the version of its package', 0, (host) => versionsOf(host)],
  ['the running kernel is among the packages', 0, ({ winter, packages }) => kernelIsListed(winter, packages[1])],
  ['iowait has a busy disk', 0.02, ({ summer, winter }) => [summer, winter].flatMap(waitsForDisks)],
  [
    'a process maps at least what it holds',
    0,
    ({ winter }) =>
      winter.processes.flatMap(({ Memory }: Document) => (Memory.rss > 0 ? [Memory.rss <= Memory.vms] : [])),
  ],
  [
    'a Linux host has its basic services',
    0,
    (host) => (isLinux(host) ? BASIC.map((pattern) => commands(host).some((line) => pattern.test(line))) : []),
  ],
  [
    'a Windows program has the parent that starts it',
    0,
    ({ winter }) => (isWindows(winter) ? parentsAgree(winter) : []),
  ],
  [
    'a session has its user',
    0,
    (host) => {
      const { users } = host.winter;
      const sessions = unitNames(host).filter((name) => /^session-.*\.scope$/.test(name));
      return isLinux(host)
        ? [sessions.length === users.length, unitNames(host).includes('user-1000.slice') === users.length > 0]
        : [];
    },
  ],
  [
    'a terminal has its shell',
    0,
    ({ winter }) => {
      const terminals = winter.users.filter(({ terminal }: Document) => /^(pts|ttys)/.test(terminal));
      const shells = winter.processes.filter(({ cmdline }: Document) => /^-(bash|zsh)$/.test(cmdline));
      return [terminals.length === shells.length];
    },
  ],
  [
    'a desktop has its user',
    0,
    ({ winter }) => {
      const shell = winter.processes.find(({ cmdline }: Document) => cmdline === '/usr/bin/gnome-shell');
      return shell === undefined ? [] : [winter.users.some(({ name }: Document) => name === shell.username)];
    },
  ],
  [
    'swap has its unit',
    0,
    (host) =>
      isLinux(host) ? [unitNames(host).some((name) => name.endsWith('.swap')) === host.winter.swap.total > 0] : [],
  ],
  [
    'a file system has its unit',
    0,
    (host) =>
      isLinux(host)
        ? host.winter.disks
            .map(({ disk }: Document) => disk.mountpoint)
            .filter((folder: string) => !/^\/(dev|sys\/.*)?$/.test(folder))
            .map((folder: string) => unitNames(host).includes(mountUnitOf(folder)))
        : [],
  ],
  [
    'a mount unit has its file system',
    0,
    (host) => {
      const mounts = host.winter.disks.map(({ disk }: Document) => mountUnitOf(disk.mountpoint));
      return (host.winter.systemd_services ?? [])
        .filter(({ Name }: Document) => /^(?!-\.|(sys|dev|run|proc)-).*\.mount$/.test(Name))
        .map(({ Name, ActiveState }: Document) => ActiveState !== 'active' || mounts.includes(Name));
    },
  ],
  [
    'a VLAN or tunnel moves no more than the card that carries it',
    0,
    ({ winter: { net_io } }) => {
      const cards = Object.keys(net_io);
      const carriers = cards.filter((name) => /^(e\w+|bond\d|team\d)$/.test(name));
      return cards
        .filter((name) => /^(\w+\.\d+|wg\d)$/.test(name))
        .map((name) => carriers.some((carrier) => net_io[name].bytes_recv <= net_io[carrier].bytes_recv));
    },
  ],
  [
    'a host with EFI has its boot loader',
    0,
    ({ winter, packages: [, { LinuxPackages }] }) =>
      winter.packagemanager.Stats.PackageManager === 'apt' &&
      winter.disks.some(({ disk }: Document) => disk.fstype === 'efivarfs')
        ? [LinuxPackages.some(({ Name }: Document) => Name === 'grub-efi-amd64')]
        : [],
  ],
  [
    'the user of a session is not root, whose units have other names',
    0,
    (host) => (isLinux(host) ? host.winter.users.map(({ name }: Document) => name !== 'root') : []),
  ],
  [
    'a file system of a disk that writes nothing does not grow',
    0,
    ({ winter, at }) => {
      const later = at(WINTER_MS + 60_000);
      return winter.disks.flatMap(({ disk, usage }: Document, place: number) => {
        const device = disk.device.replace('/dev/', '');
        if (winter.agent.goos !== 'linux' || winter.disk_io[device]?.WriteCount !== 0) return [];
        return [later.disks[place].usage.used <= usage.used];
      });
    },
  ],
  [
    'programs of a session on Windows are started by its shell',
    0,
    ({ winter: { processes } }) => {
      const names = new Map<number, string>(processes.map(({ pid, name }: Document) => [pid, name]));
      return processes
        .filter(({ name }: Document) => /^(OneDrive|SecurityHealthSystray)\.exe$/.test(name))
        .map(({ ppid }: Document) => /^explorer\.exe$/i.test(names.get(ppid) ?? ''));
    },
  ],
  [
    'events of a workplace name its user',
    0,
    ({ winter }) => {
      const [user] = winter.users;
      if (winter.agent.family !== 'Client' || user === undefined) return [];
      return eventsOf(winter).flatMap(({ Message }) => {
        const [named] = /CORP\\[\p{L}.]+\p{L}/u.exec(Message) ?? [];
        return named === undefined ? [] : [named === user.name];
      });
    },
  ],
  [
    'volumes of the security chip of a Mac are small',
    0,
    ({ winter: { disks } }) =>
      disks
        .filter(({ disk }: Document) => /xarts|iSCPreboot/.test(disk.mountpoint))
        .map(({ usage }: Document) => usage.total < 2 ** 30),
  ],
  [
    'a bond or team counts what its members count, and is as fast as they are together',
    0,
    ({ winter: { net_io, net_stats } }) => {
      const team = Object.keys(net_io).find((name) => TEAM.test(name));
      const members = Object.keys(net_io).filter((name) => MEMBER.test(name) && net_stats[name].isup);
      const sum = (of: (name: string) => number) => members.reduce((total, name) => total + of(name), 0);
      if (team === undefined) return [];
      return [
        members.length === 2 &&
          sum((name) => net_io[name].bytes_recv) === net_io[team].bytes_recv &&
          sum((name) => net_stats[name].speed) === net_stats[team].speed,
      ];
    },
  ],
  [
    'a team of Linux has its daemon',
    0,
    (host) =>
      isLinux(host)
        ? ['team0' in host.winter.net_io === commands(host).some((line) => /teamd .*-t team0/.test(line))]
        : [],
  ],
  [
    'a container of a Windows server runs in its engine, from an image of Windows',
    0,
    ({ winter }) =>
      winter.agent.family === 'Server' && winter.docker?.length > 0
        ? [
            winter.processes.some(({ name }: Document) => name === 'dockerd.exe') &&
              !winter.processes.some(({ name }: Document) => /docker\.backend|vmmemWSL|wsl/.test(name)) &&
              winter.docker.every(({ image }: Document) => /ltsc/.test(image)),
          ]
        : [],
  ],
  [
    'no server has the cards of a laptop',
    0,
    ({ winter }) =>
      winter.agent.family === 'Server'
        ? [!Object.keys(winter.net_io).some((name) => /Wi-Fi|Bluetooth|Connection\*|Default Switch/.test(name))]
        : [],
  ],
  [
    'a network card has its units',
    0,
    (host) =>
      Object.keys(host.winter.net_io)
        .filter((name) => isLinux(host) && /^(e\w+|bond\d|team\d)$/.test(name))
        .map((name) => unitNames(host).some((unit) => unit === `sys-subsystem-net-devices-${name}.device`)),
  ],
  [
    'a VPN has its network card',
    0,
    (host) =>
      isLinux(host)
        ? ['tailscale'].map(
            (name) => `${name}0` in host.winter.net_io === commands(host).some((line) => line.includes(`${name}d `)),
          )
        : [],
  ],
  [
    'a guest agent belongs to its hypervisor',
    0,
    (host) =>
      commands(host).flatMap((line) => {
        if (/^\/usr\/(s?bin)\/qemu-ga /.test(line)) return [unitNames(host).includes('dev-vda.device')];
        return line === '/usr/bin/vmtoolsd' ? [unitTexts(host).includes('VMXNET3')] : [];
      }),
  ],
  [
    'a Windows server has the services and the network card of its hypervisor, or those of none',
    0,
    ({ winter }) => {
      if (winter.agent.family !== 'Server') return [];
      const running = winter.windows_services.filter(({ Status }: Document) => Status === 'Running');
      return WINDOWS_GUESTS.map(([service, card]) => {
        return running.some(({ Name }: Document) => Name === service) === card in winter.net_io;
      });
    },
  ],
  [
    'check_zombies = the list of processes',
    0,
    (host) => {
      const zombies = host.winter.processes.filter(({ status }: Document) => status?.[0] === 'Zombie').length;
      return ran(host, 'check_zombies').map(({ stdout }) => stdout.includes(` ${zombies} processes`));
    },
  ],
  [
    'an event tells the uptime of its time',
    0,
    ({ winter }) => {
      const bootSeconds = winter.agent.last_updated_timestamp - winter.agent.system_uptime;
      return eventsOf(winter)
        .filter(({ EventID, TimeGenerated }) => EventID === 6013 && TimeGenerated > bootSeconds)
        .map(
          ({ Message, TimeGenerated }) =>
            Math.abs(Number(/\d+/.exec(Message)?.[0]) - (TimeGenerated - bootSeconds)) < 60,
        );
    },
  ],
];

/** A service of the guests of a hypervisor, and the network card that only they have. */
const WINDOWS_GUESTS = [
  ['VMTools', 'Ethernet0'],
  ['QEMU-GA', 'Ethernet Instance 0'],
] as const;

/** Identifiers that each host has made for itself: of a pipe, a virtual machine, a simulated telephone. */
const OWN_GUID = /(?:iisipm|vmwp.exe |CurrentDeviceUDID )([\dA-Fa-f-]{36})/g;

/** What runs on each Linux host. */
const BASIC = [
  /systemd-journald/,
  /systemd-udevd/,
  /^sshd: .*listener/,
  /dbus-(daemon|broker)/,
  /systemd-logind/,
  /chronyd|timesyncd/,
];

/** Cards that unite others, and those they unite. */
const TEAM = /^(bond0|team0|Team1|NIC Team|LAN|vEthernet \((SETswitch|Management|ConvergedSwitch)\))$/;
const MEMBER = /^(e\w+|Ethernet( 2)?|NIC\d|pNIC\d|Embedded .*|SLOT .*)$/;

/** Which process starts a program on Windows. */
const STARTED_BY: Readonly<Record<string, string>> = {
  'w3wp.exe': 'svchost.exe',
  'taskhostw.exe': 'svchost.exe',
  'wmiprvse.exe': 'svchost.exe',
  'dllhost.exe': 'svchost.exe',
  'runtimebroker.exe': 'svchost.exe',
  'searchprotocolhost.exe': 'SearchIndexer.exe',
  'dwm.exe': 'winlogon.exe',
};

function parentsAgree({ processes }: Document): readonly boolean[] {
  const names = new Map<number, string>(processes.map(({ pid, name }: Document) => [pid, name]));
  return processes.flatMap(({ name, ppid }: Document) => {
    const parent = STARTED_BY[name.toLowerCase()];
    return parent === undefined ? [] : [names.get(ppid) === parent];
  });
}

function contradictions(hosts: readonly Host[]): readonly Finding[] {
  return AGREEING.map(([statement, limit, agree]) => {
    const all = hosts.flatMap(agree);
    return { list: 'contradiction', statement, found: all.filter((one) => !one).length, of: all.length, limit };
  });
}

/** Programs whose version half a year must change. */
const MOVING = [
  /^Google Chrome/,
  /^Mozilla Firefox/,
  /^Firefox/,
  /^Microsoft Edge/,
  /WebView2/,
  /^chrome\.exe/,
  /^MsMpEng\.exe/,
  /^msedge/,
  /^Microsoft Teams/,
  /^(Google|Edge)Updater/,
];

function frozenValues(hosts: readonly Host[]): readonly Finding[] {
  const moving = hosts.flatMap((host) => {
    const [before, after] = [versionsIn(host.summer, host.packages[0]), versionsIn(host.winter, host.packages[1])];
    return [...after].flatMap(([name, version]) => (before.has(name) ? [before.get(name) === version] : []));
  });
  const clocks = hosts.map(({ summer, winter }) => {
    const zone = (document: Document) => / ([+-]\d{4}) /.exec(document.agent.last_updated)?.[1];
    return zone(summer) === zone(winter);
  });
  return [
    frozen('versions of browsers and protection after five months', moving, 0.02),
    frozen('offset of the clock in summer and winter', clocks, 0.4),
  ];
}

function frozen(statement: string, all: readonly boolean[], limit: number): Finding {
  return { list: 'frozen', statement, found: all.filter(Boolean).length, of: all.length, limit };
}

const IN_PATHS =
  /(Defender.Platform.|EdgeWebView.Application.|MSTeams_|WindowsTerminal_|WebExperience_|-parentBuildID |^.snap.(?:firefox|snapd|lxd).)([\d.-]+)/;

/** Versions of moving programs: major numbers of packages, and those in commands and mount points. */
function versionsIn(checkdata: Document, packages: Document): ReadonlyMap<string, string> {
  const apps = [...(packages.WindowsApps ?? []), ...(packages.MacosApps ?? [])];
  const versions = new Map<string, string>();
  for (const { Name, Version } of apps) {
    const name = Name.replace(/[\d.]+.*$/, '').trim();
    if (MOVING.some((pattern) => pattern.test(Name))) versions.set(name, String(Version));
  }
  const texts: readonly string[] = [
    ...checkdata.disks.map(({ disk }: Document) => disk.mountpoint),
    ...checkdata.processes.map(({ cmdline = '' }: Document) => cmdline),
  ];
  for (const text of texts) {
    const [, name, version] = IN_PATHS.exec(text) ?? [];
    if (name !== undefined) versions.set(name, version ?? '');
  }
  return versions;
}

const HOST_TABLES = readHostData().tables;

/** Paths of a Windows host outside of what comes with Windows, each with the entry of its program in the list. */
function installersOf({ winter, packages }: Host): readonly { readonly path: string; readonly app: Document }[] {
  if (!isWindows(winter)) return [];
  const apps = new Map<string, Document>(
    packages[1].WindowsApps.map((app: Document) => [withoutNumbers(app.Name), app]),
  );
  const paths: readonly string[] = [
    ...winter.processes.map(({ exec }: Document) => exec ?? ''),
    ...winter.windows_services.map(({ BinPath }: Document) => BinPath.replace(/^"|"? -.*$/g, '')),
  ];
  return [...new Set(paths)].flatMap((path) => {
    const installer = installerOf(HOST_TABLES, path);
    return installer === undefined ? [] : [{ path, app: apps.get(withoutNumbers(installer)) }];
  });
}

/** A name without the revision that moves, for which tables have a `~`. */
function withoutNumbers(name: string): string {
  return name.replace(/\.(~|\d+)/g, '');
}

/** Whether versions in commands are those of their packages. */
function versionsOf({ winter, packages }: Host): readonly boolean[] {
  const apps: readonly Document[] = [...(packages[1].WindowsApps ?? []), ...(packages[1].MacosApps ?? [])];
  const products = [
    [/Google Chrome Framework.framework\/Versions\/([\d.]+)/, /^Google Chrome$/],
    [/Chrome\\Application\\([\d.]+)\\/, /^Google Chrome$/],
    [/EdgeWebView\\Application\\([\d.]+)\\/, /WebView2 Runtime$/],
  ] as const;
  const lines: readonly string[] = winter.processes.map(({ cmdline }: Document) => cmdline);
  return products.flatMap(([inCommand, name]) => {
    const running = lines.flatMap((line) => inCommand.exec(line)?.[1] ?? [])[0];
    const app = apps.find(({ Name }) => name.test(Name));
    return running === undefined || app === undefined ? [] : [app.Version === running];
  });
}

function kernelIsListed({ agent }: Document, packages: Document): readonly boolean[] {
  if (agent.goos !== 'linux' || packages.LinuxPackages.length < 50) return [];
  const release = agent.kernel_version.replace(/-(default|amd64|generic|arch.*)$/, '').replace(/\.x86_64$/, '');
  const numbers = release.split(/[.-]/).slice(0, 3).join('[.-]');
  return [
    packages.LinuxPackages.some(
      ({ Name, Version }: Document) => /^(linux|kernel)/.test(Name) && new RegExp(numbers).test(`${Name} ${Version}`),
    ),
  ];
}

/** A host that waits for its disks for a fifth of a second has one that is busy for as long. */
function waitsForDisks({ cpu, disk_io }: Document): readonly boolean[] {
  const { Iowait } = cpu.cpu_total_percentage_detailed;
  if (!(Iowait > 20)) return [];
  return [Math.max(...Object.values<Document>(disk_io).map(({ LoadPercent }) => LoadPercent)) > 20];
}

function isWindows({ agent }: Document): boolean {
  return agent.goos === 'windows';
}

function isLinux({ winter }: Host): boolean {
  return winter.agent.goos === 'linux';
}

function unitTexts({ winter }: Host): string {
  return winter.systemd_services.map(({ Description }: Document) => Description).join('\n');
}

function mountUnitOf(folder: string): string {
  const escaped = folder.slice(1).replaceAll('-', '\\x2d').replace(/^\./, '\\x2e').replaceAll('/', '-');
  return `${escaped}.mount`;
}

function isPhysical({ winter }: Host): boolean {
  return winter.agent.goos === 'linux' && winter.sensors?.Temperatures.length > 0;
}

function isVirtual({ winter }: Host): boolean {
  return winter.agent.goos === 'linux' && winter.sensors?.Temperatures.length === 0;
}

function disksOf({ winter }: Host): readonly string[] {
  return winter.disks
    .map(({ disk }: Document) => /^\/dev\/(nvme|vd|sd|xvd|dm|mapper|md)/.exec(disk.device)?.[1])
    .filter(Boolean);
}

function commands({ winter }: Host): readonly string[] {
  return winter.processes.map(({ cmdline }: Document) => cmdline);
}

function unitNames({ winter }: Host): readonly string[] {
  return (winter.systemd_services ?? []).map(({ Name }: Document) => Name);
}

function partitionIds(host: Host, by: 'uuid' | 'partuuid'): readonly string[] {
  const pattern = new RegExp(`^dev-disk-by\\\\x2d${by}-(.+)\\.device$`);
  return unitNames(host).flatMap((name) => pattern.exec(name)?.[1]?.replaceAll('\\x2d', '-') ?? []);
}

function eventsOf(document: Document): readonly Document[] {
  return Object.values<Document>(document.windows_eventlog ?? {}).flat();
}

function customs({ winter }: Host): readonly (readonly [string, Document])[] {
  return Object.entries<Document>(winter.customchecks);
}

/** Results of a plugin that ran after the last collection of packages. */
function ran(host: Host, plugin: string): readonly Document[] {
  return customs(host).flatMap(([name, result]) => {
    const isFresh = result.execution_unix_timestamp_sec > host.winter.packagemanager.LastUpdate;
    return name === plugin && result.rc < 4 && isFresh ? [result] : [];
  });
}

/**
 * Whether a plugin repeats what the host said in the check run before it or after it. Minutes later, logs may have been rotated, which
 * takes up to 3.7% of a file system at once.
 */
function repeated(host: Host, plugin: string, agrees: (stdout: string, then: Document) => boolean): readonly boolean[] {
  return ran(host, plugin).map(({ stdout, execution_unix_timestamp_sec: seconds }) => {
    return [0, CHECK_INTERVAL_SECONDS].some((later) => agrees(stdout, host.at(1000 * (seconds + later))));
  });
}

function hasProcess(host: Host, exporter: string): boolean {
  const stem = exporter.replace(/_?exporter.*$/, '').replaceAll('_', '[-_]');
  return commands(host).some((line) => new RegExp(`${stem}[-_]?exporter`).test(line));
}

export function findingsText(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ statement }) => statement.length));
  return findings
    .map(({ list, statement, found, of, limit }) => {
      const mark = of === 0 || found / of <= limit ? ' ' : '!';
      return `${mark} ${list.padEnd(13)} ${statement.padEnd(width)} ${String(found).padStart(6)} of ${of}\n`;
    })
    .join('');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [hosts = '1000', seed = '1'] = process.argv.slice(2);
  process.stdout.write(findingsText(findingsOf(observedHosts({ hosts: Number(hosts), seed: Number(seed) }))));
}
