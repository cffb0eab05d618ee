import { randomStream } from '../../src/base/kernel/random.ts';

/* Identifiers as they occur in names, in all their spellings, made up for this purpose. */

export type Identifier = {
  readonly kind: string;
  readonly place: string;
  readonly text: string;
  readonly value: string;
};

type Draw = (below: number) => number;

const digits = (draw: Draw, count: number) => Array.from({ length: count }, () => draw(10)).join('');
const hex = (draw: Draw, count: number) => Array.from({ length: count }, () => draw(16).toString(16)).join('');
const pairs = (text: string, sign: string) => (text.match(/../g) ?? []).join(sign);
const uuid = (draw: Draw) => hex(draw, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
/** As systemd writes a text in the name of a unit. */
const escaped = (text: string) => text.replaceAll('-', '\\x2d').replaceAll(' ', '\\x20');
const octet = (draw: Draw) => String(2 + draw(253));
const letters = (draw: Draw, count: number) =>
  Array.from({ length: count }, () => 'ABCDEFGHJKLMNPQRSTUVWXYZ0123456789'[draw(34)]).join('');
const degrees = (draw: Draw) => `${10 + draw(80)}.${digits(draw, 3 + draw(4))}${1 + draw(9)}`;

/** Values of a kind, and the names that contain them: `{}` stands for the value, `{-}` for the value in the name of a unit. */
type Kind = { readonly make: (draw: Draw) => string; readonly names: readonly string[] };

const KINDS: Readonly<Record<string, Kind>> = {
  UUID: {
    make: uuid,
    names: [
      'unit dev-disk-by\\x2duuid-{-}.device',
      'unit dev-disk-by\\x2dpartuuid-{-}.swap',
      'unit systemd-fsck@dev-disk-by\\x2duuid-{-}.service',
      'unit dev-mapper-luks\\x2d{-}.device',
      'unit run-{-}.scope',
      'container app-{}',
      'check check_{}',
      'libvirt {}',
      'log {{}}',
      'source {}',
      'label com.example.{}',
      'mountpoint /run/media/root/{}',
      'device /dev/mapper/luks-{}',
      'disk {}',
      'sensor nvme {}',
      'description Cryptography Setup for luks-{}',
      'cmdline /usr/bin/qemu-system-x86_64 -uuid {}',
      'stdout OK - volume {} mounted',
      'package linux-image-{}',
      'app Edge {}',
    ],
  },
  'UUID without dashes': {
    make: (draw) => hex(draw, 32),
    names: [
      'unit run-r{}.service',
      'unit docker-{}.scope',
      'container {}',
      'check c{}',
      'exec /opt/{}/bin/app',
      'net br-{}',
      'machine {}',
    ],
  },
  'NVMe EUI': {
    make: (draw) => hex(draw, draw(2) === 0 ? 16 : 32),
    names: [
      'unit dev-disk-by\\x2did-nvme\\x2deui.{}.device',
      'unit dev-disk-by\\x2did-nvme\\x2deui.{}\\x2dpart1.device',
      'unit dev-disk-by\\x2did-nvme\\x2duuid.{}.device',
      'device /dev/disk/by-id/nvme-eui.{}',
      'disk nvme-eui.{}',
      'sensor nvme_{}',
      'check nvme-{}',
    ],
  },
  WWN: {
    make: (draw) => `5${hex(draw, 15)}`,
    names: [
      'unit dev-disk-by\\x2did-wwn\\x2d0x{}.device',
      'unit dev-disk-by\\x2did-wwn\\x2d0x{}\\x2dpart2.device',
      'unit dev-disk-by\\x2dpath-pci\\x2d0000:3b:00.0\\x2dfc\\x2d0x{}\\x2dlun\\x2d0.device',
      'disk wwn-0x{}',
      'device /dev/disk/by-id/wwn-0x{}',
      'sensor sas-0x{}',
    ],
  },
  'multipath WWID': {
    make: (draw) => `3600${hex(draw, 29)}`,
    names: [
      'unit dev-mapper-{}.device',
      'unit dev-disk-by\\x2did-dm\\x2duuid\\x2dmpath\\x2d{}.device',
      'disk {}',
      'device /dev/mapper/{}',
      'check mpath_{}',
      'unit srv-{}.mount',
    ],
  },
  'MAC address': {
    make: (draw) => hex(draw, 12),
    names: [
      'net enx{}',
      'net wlx{}',
      'unit sys-subsystem-net-devices-enx{}.device',
      'container node-{}',
      'check mac{}',
      'sensor {}',
      'unit wol@{}.service',
      'user {}',
      'libvirt vm-{}',
    ],
  },
  'spelled MAC address': {
    make: (draw) => {
      const text = hex(draw, 12);
      const spellings = [
        pairs(text, ':'),
        pairs(text, '-').toUpperCase(),
        text.replace(/(.{4})(.{4})/, '$1.$2.'),
        pairs(text, '.'),
        pairs(text, '_'),
      ];
      return spellings[draw(5)] ?? text;
    },
    names: [
      'unit wol@{-}.service',
      'container node-{}',
      'check wake {}',
      'sensor {}',
      'net {}',
      'stdout OK {} answers',
      'display Agent {}',
      'cmdline etherwake {}',
    ],
  },
  'IPv4 address': {
    make: (draw) => `${128 + draw(60)}.${octet(draw)}.${octet(draw)}.${octet(draw)}`,
    names: [
      'unit sshd@12-{}:22-{}:51234.service',
      'unit openvpn@{}.service',
      'container proxy-{}',
      'check ping_{}',
      'net tun-{}',
      'sensor {}',
      'device {}:/export',
      'exporter node_{}',
      'machine {}',
      'userhost {}',
      'stdout PING OK - {} rta 0.2ms',
      'description Tunnel to {}',
    ],
  },
  'part of an IPv4 address': {
    make: (draw) => `192.168.${100 + draw(156)}`,
    names: [
      'unit route@{}.service',
      'unit ssh@12-{}.x:22.service',
      'container net-{}',
      'check subnet {}',
      'sensor {}',
      'net vlan-{}',
    ],
  },
  'dashed IPv4 address': {
    make: (draw) => `10-${100 + draw(156)}-${octet(draw)}-${100 + draw(156)}`,
    names: [
      'unit ip-{}.service',
      'unit agent@ip\\x2d{-}.service',
      'container ip-{}',
      'check ip-{}',
      'machine ip-{}',
      'sensor {}',
    ],
  },
  'IPv6 address': {
    make: (draw) => {
      const group = () => `${1 + draw(9)}${hex(draw, 3)}`;
      return (
        [
          `2001:db8:${group()}::${group()}`,
          `fe80::${group()}:${group()}:${group()}:${group()}`,
          `2001:db8:${group()}:${group()}:${group()}:${group()}:${group()}:${group()}`,
          `2001:db8:${group()}`,
        ][draw(4)] ?? ''
      );
    },
    names: [
      'unit tunnel@{}.service',
      'container v6-{}',
      'check ping6 {}',
      'sensor {}',
      'net sit-{}',
      'userhost {}',
      'stdout OK {} up',
      'device [{}]:/x',
    ],
  },
  'hexadecimal digits': {
    make: (draw) => hex(draw, 6 + draw(6)),
    names: [
      'unit dev-disk-by\\x2duuid-{}.device',
      'unit dev-disk-by\\x2dpartuuid-{}\\x2d01.device',
      'unit app@{}.service',
      'container web-{}',
      'check job_{}',
      'net veth{}',
      'net tap{}',
      'sensor drive {}',
      'package lib-{}',
      'exporter app_{}',
      'exec /opt/{}/app',
      'mountpoint /srv/{}',
    ],
  },
  'volume of FAT': {
    make: (draw) => `${hex(draw, 4)}-${hex(draw, 4)}`.toUpperCase(),
    names: [
      'unit dev-disk-by\\x2duuid-{-}.device',
      'unit systemd-fsck@dev-disk-by\\x2duuid-{-}.service',
      'device /dev/disk/by-uuid/{}',
      'disk {}',
      'sensor usb {}',
    ],
  },
  'long number': {
    make: (draw) => `${1 + draw(9)}${digits(draw, 5 + draw(12))}`,
    names: [
      'unit app-{}.service',
      'unit user@{}.service',
      'unit job@{}.timer',
      'unit snap-core-{}.mount',
      'container c{}',
      'check {}',
      'net eth{}',
      'disk sd{}',
      'sensor core {}',
      'label com.apple.{}',
      'label application.{}.1',
      'package linux-{}',
      'exporter {}',
      'user u{}',
      'stdout OK {} rows',
      'exec /usr/bin/{}',
      'mountpoint /run/user/{}',
      'kernelname kworker/{}:0',
      'description Session {}',
      'image nginx:{}',
    ],
  },
  'customer number': {
    make: (draw) => `${1 + draw(9)}${digits(draw, 4)}`,
    names: [
      'unit backup@{}.service',
      'unit user@{}.service',
      'unit srv-{}.mount',
      'unit snap-core-{}.mount',
      'container customer-{}',
      'check K-{}',
      'sensor core {}',
      'net vlan{}',
      'net eth{}',
      'disk dm-{}',
      'mountpoint /srv/{}',
      'description Backup of {}',
      'package linux-{}',
      'label com.apple.{}',
    ],
  },
  'card number': {
    make: (draw) => `${1 + draw(9)}${digits(draw, 3)} ${digits(draw, 4)} ${digits(draw, 4)} ${digits(draw, 4)}`,
    names: [
      'check card {}',
      'stdout OK - card {}',
      'unit card@{-}.service',
      'sensor {}',
      'display Agent {}',
      'description Card {}',
    ],
  },
  'serial number': {
    make: (draw) => `S${letters(draw, 4)}${1 + draw(9)}${digits(draw, 2)}${letters(draw, 7)}`,
    names: [
      'sensor nvme {}',
      'sensor drivetemp-{}',
      'sensor SN {}',
      'unit dev-disk-by\\x2did-ata\\x2dSamsung_SSD_{}.device',
      'disk {}',
      'device /dev/disk/by-id/ata-{}',
      'check disk {}',
      'label com.apple.{}',
      'package sn-{}',
      'container {}',
    ],
  },
  'telephone number': {
    make: (draw) => {
      const pair = () => `${1 + draw(9)}${draw(10)}`;
      return (
        [
          `0${pair()} ${pair()} ${pair()} ${pair()} ${pair()}`,
          `+49 ${pair()}1 ${pair()} ${pair()} ${pair()}`,
          `${pair()} ${pair()} ${pair()} ${pair()}`,
          `0${pair()}/${pair()} ${pair()} ${pair()}`,
          `${pair()}-${pair()}-${pair()}-${pair()}`,
          `+49 (0)${pair()} ${pair()}${pair()}${pair()}`,
          `+1 ${pair()}5 555-01${pair()}`,
        ][draw(7)] ?? ''
      );
    },
    names: [
      'check call {}',
      'stdout OK - call {}',
      'stdout WARNING: {} after 3 minutes',
      'description Call {}',
      'unit call@{-}.service',
      'sensor {}',
      'display Agent {}',
      'log System {}',
      'error failed: {}',
    ],
  },
  coordinates: {
    make: (draw) =>
      [
        `${degrees(draw)}, ${degrees(draw)}`,
        `${degrees(draw)} ${degrees(draw)}`,
        `${degrees(draw)},-${degrees(draw)}`,
        `lat=${degrees(draw)} lon=${degrees(draw)}`,
        `${10 + draw(80)}°${10 + draw(50)}'${10 + draw(50)}"N ${10 + draw(80)}°${10 + draw(50)}'${10 + draw(50)}"E`,
        `${degrees(draw)}N ${degrees(draw)}E`,
      ][draw(6)] ?? '',
    names: [
      'check site {}',
      'stdout OK - site {}',
      'description Site {}',
      'sensor {}',
      'display Agent {}',
      'error failed at {}',
      'stdout temperature of {} is high',
    ],
  },
  'URL of a customer': {
    make: (draw) => {
      const name = `${String.fromCharCode(97 + draw(26))}lohm${hex(draw, 3)}x`;
      return (
        [
          `http://127.${name}.example/`,
          `https://127.0.0.1.${name}.example/x`,
          `http://10.${name}.example:80/`,
          `http://255.${name}/`,
          `ftp://0.0.0.0.${name}`,
        ][draw(5)] ?? ''
      );
    },
    names: [
      'stdout OK: {} 200',
      'cmdline curl {}',
      'message Get {} failed',
      'description Fetches {}',
      'check {}',
      'error Get {}: timeout',
    ],
  },
  'session suffix': {
    make: (draw) => `${1 + draw(9)}${hex(draw, 4)}`,
    names: [
      'windowsservice CDPUserSvc_{}',
      'windowsservice OneSyncSvc_{}',
      'display Sync Host_{}',
      'source WpnUserService_{}',
    ],
  },
  SID: {
    make: (draw) =>
      `S-1-5-21-${1 + draw(9)}${digits(draw, 9)}-${1 + draw(9)}${digits(draw, 8)}-${1 + draw(9)}${digits(draw, 9)}-1001`,
    names: [
      'source {}',
      'log Application {}',
      'machine {}',
      'display Agent {}',
      'windowsservice Svc-{}',
      'message Account {} logged in',
      'username {}',
    ],
  },
};

/** `count` identifiers of each kind, the same for the same seed. */
export function identifiers(count: number, seed = 54): readonly Identifier[] {
  const random = randomStream(seed);
  const draw: Draw = (below) => Math.floor(random() * below);
  return Object.entries(KINDS).flatMap(([kind, { make, names }]) =>
    Array.from({ length: count }, (_, number): Identifier => {
      const [, place = '', name = ''] = /^(\w+) (.*)$/.exec(names[number % names.length] ?? '') ?? [];
      const value = make(draw);
      return { kind, place, value, text: name.replaceAll('{-}', () => escaped(value)).replaceAll('{}', () => value) };
    }),
  );
}

/** Whether a sanitized text still contains the whole value, one of its words or groups, or six digits of it in a row. */
export function isLeft({ value }: Identifier, sanitized: string): boolean {
  const bare = (text: string) => unit(text).toLowerCase();
  const words = (text: string): readonly string[] => bare(text).match(/[a-z0-9]+/g) ?? [];
  const own = words(value).filter((word) => word.length >= 4 && /\d/.test(word) && !PUBLIC.test(word));
  const there = words(sanitized);
  const isMost = (count: number) => count > 0 && count >= Math.min(2, own.length);
  const runs = [
    ...bare(value)
      .replace(/[^0-9a-f]/g, '')
      .matchAll(/(?=(.{7}))/g),
  ].map(([, run = '']) => run);
  const all = bare(sanitized).replace(/[^0-9a-f]/g, '');
  return (
    bare(sanitized).includes(bare(value)) ||
    isMost(own.filter((word) => there.includes(word)).length) ||
    runs.some((run) => all.includes(run))
  );
}

const PUBLIC = /^(?:2001|fe80|0db8|1001|3600)$/;
const unit = (text: string) =>
  text.replace(/\\x([0-9a-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
