import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { memoized } from '../../src/base/kernel/memoize.ts';
import { readHostData } from '../../src/base/storage/host-data.ts';
import { sanitizedDocument } from '../../src/recordings/document-texts.ts';
import { findingsIn } from '../../src/recordings/findings.ts';
import { NO_RULES, type SanitizerRules, type SanitizerSettings } from '../../src/recordings/harmless.ts';
import { readDocument } from '../../src/recordings/reading.ts';
import { createReplacer } from '../../src/recordings/replacing.ts';
import { recordedHosts } from '../../src/recordings/simulated-hosts.ts';
import { vocabularyOf } from '../../src/recordings/vocabulary.ts';
import { checkdata, type Parsed } from '../hosts/any-machine.ts';
import { documentsOf, raised } from '../hosts/recorded/recorded-fleets.ts';
import { identifiers, isLeft } from './identifiers.ts';
import { documents, PLACES, PLANTED, type PlantedText, plant } from './planted.ts';

const vocabulary = vocabularyOf(readHostData().tables);

function settingsOf(anonymous: boolean, key = 'key'): SanitizerSettings {
  const hash = (text: string) => createHmac('sha256', key).update(text).digest('hex');
  const replace = createReplacer(hash, vocabulary.identifiers);
  return { vocabulary, rules: NO_RULES, anonymous, replace };
}

/** Planted words that are left after sanitizing, with the place of each. */
function leftIn(
  hidden: (planted: PlantedText) => readonly string[],
  sanitize: (document: string) => string,
): readonly string[] {
  const all = documents();
  const reads = PLANTED.map((planted, id) => plant(all, planted, id));
  const sanitized = Object.fromEntries(
    Object.entries(all).map(([name, document]) => [name, JSON.parse(sanitize(JSON.stringify(document)))]),
  ) as typeof all;
  return PLANTED.flatMap((planted, id) => {
    const left = JSON.stringify(reads[id]?.(sanitized)).toLowerCase();
    const isLeft = (word: string) => left.includes(JSON.stringify(word).slice(1, -1).toLowerCase());
    return hidden(planted)
      .filter(isLeft)
      .map((word) => `${planted.place}: ${word} in ${planted.text}`);
  });
}

const sanitizerWith = (anonymous: boolean) => {
  const settings = settingsOf(anonymous);
  return (document: string) => sanitizedDocument(document, settings).text;
};
const secretsOf = ({ secrets }: PlantedText) => secrets;
const allOf = ({ secrets, names }: PlantedText) => [...secrets, ...names];

describe('a planted corpus', () => {
  it('has 400 different secrets, all of which are in the documents', () => {
    expect(new Set(PLANTED.flatMap(secretsOf)).size).toBeGreaterThanOrEqual(400);
    expect(leftIn(allOf, (document) => document)).toHaveLength(PLANTED.flatMap(allOf).length);
  });

  it('keeps no secret in a plain recording', () => {
    expect(leftIn(secretsOf, sanitizerWith(false))).toEqual([]);
  });

  it('keeps no secret and no name in an anonymous recording', () => {
    expect(leftIn(allOf, sanitizerWith(true))).toEqual([]);
  });
});

const sanitized = (document: Parsed, settings = settingsOf(true)): Parsed =>
  JSON.parse(sanitizedDocument(JSON.stringify(document), settings).text);

describe('planted identifiers, 100 of each kind', () => {
  const planted = identifiers(100);
  const all = documents();
  const reads = planted.map((one, id) => plant(all, { ...one, secrets: [], names: [] }, id));
  const settings = settingsOf(true);
  const anonymous = Object.entries(all).map(([name, document]) => {
    return [name, JSON.parse(sanitizedDocument(JSON.stringify(document), settings).text)] as const;
  });
  const after = Object.fromEntries(anonymous) as typeof all;

  it('are in the documents, and nothing of them in anonymous ones', () => {
    const leftOf = (documents: typeof all) =>
      planted.flatMap((one, id) => {
        const texts = reads[id]?.(documents).map(String) ?? [];
        return texts
          .filter((text) => isLeft(one, text))
          .map((text) => `${one.kind} of ${one.place}: ${one.text} is ${text}`);
      });
    expect(leftOf(all).length).toBeGreaterThanOrEqual(planted.length);
    expect(leftOf(after)).toEqual([]);
  });

  it('stay as many different names and rows as they were', () => {
    const counts = (value: Parsed): unknown => {
      if (Array.isArray(value)) return value.map(counts);
      return typeof value === 'object' && value !== null
        ? [
            Object.keys(value).length,
            Object.values(value)
              .map((inner) => JSON.stringify(counts(inner)))
              .sort(),
          ]
        : typeof value;
    };
    expect(counts(after)).toEqual(counts(all));
  });

  it('are listed by inspection if they are in an anonymous document nevertheless', () => {
    // Five digits may be part of a version.
    const some = planted.filter(({ kind }, id) => id % 10 === 0 && kind !== 'customer number');
    const { agent } = documents().linux;
    for (const { kind, value } of some) {
      const plugin = { stdout: `OK ${value}`, rc: 0, execution_unix_timestamp_sec: 1 };
      const found = findingsIn([JSON.stringify({ agent, customchecks: { ok: plugin } })], {
        vocabulary,
        anonymous: true,
      });
      expect(found.length, `${kind} ${value}`).toBeGreaterThan(0);
    }
  });

  it('are not what inspection finds in anonymous documents', () => {
    const found = findingsIn(
      Object.values(after).map((one) => JSON.stringify(one)),
      { vocabulary, anonymous: true },
    );
    const values = new Set(planted.map(({ value }) => value.toLowerCase()));
    expect(found.filter(({ text }) => values.has(text.toLowerCase()))).toEqual([]);
  });
});

it('everything unknown that stays in a plain document is listed by inspection', () => {
  const all = documents();
  const texts = [
    '{}',
    '{}-prod',
    'my {}',
    '{}.example',
    '/srv/{}/bin',
    '{}:8080',
    'app-{}-1',
    '{} (x64)',
    'app@{}.service',
  ];
  const word = (id: number) => `zorb${[...String(100 + id)].map((digit) => 'aeioulmnrt'[Number(digit)]).join('')}ik`;
  const some = PLACES.flatMap((place) => texts.map((text) => ({ place, text }))).map(({ place, text }, id) => {
    const planted = { place, text: text.replace('{}', word(id)), secrets: [], names: [] };
    return { word: word(id), read: plant(all, planted, id) };
  });
  const sanitize = sanitizerWith(false);
  const after = Object.entries(all).map(([name, document]) => [name, sanitize(JSON.stringify(document))] as const);
  const found = findingsIn(
    after.map(([, text]) => text),
    { vocabulary, anonymous: false },
  );
  const parsed = Object.fromEntries(after.map(([name, text]) => [name, JSON.parse(text)])) as typeof all;
  const kept = some.filter(({ word, read }) => JSON.stringify(read(parsed)).toLowerCase().includes(word));
  expect(kept.length).toBeGreaterThan(100);
  expect(kept.filter(({ word }) => !found.some(({ text }) => text.toLowerCase().includes(word)))).toEqual([]);
});

it('an identifier has one replacement in all its spellings and places', () => {
  const { agent } = documents().linux;
  const unit = { Name: '', Description: '', LoadState: '', ActiveState: '', SubState: '' };
  const mac = '8c16456fa2b3';
  const uuid = '7f3b9c1d-58e2-4a60-9d17-c0ffee123456';
  const names = [
    `enx${mac}.device`,
    `dev-disk-by\\x2duuid-${uuid.replaceAll('-', '\\x2d')}.device`,
    `run-r${uuid.replaceAll('-', '')}.scope`,
  ];
  const document = {
    agent,
    net_stats: { [`enx${mac}`]: { isup: true } },
    customchecks: { a: { stdout: `8C:16:45:6F:A2:B3 ${uuid.toUpperCase()}`, rc: 0, execution_unix_timestamp_sec: 1 } },
    systemd_services: names.map((Name) => ({ ...unit, Name })),
  };
  const { net_stats, customchecks, systemd_services } = sanitized(document);
  const bare = (text: string) => text.replace(/\\x2d|[^0-9a-f]/gi, '').toLowerCase();
  const [card = ''] = Object.keys(net_stats);
  expect(card).toMatch(/^enx025a71[0-9a-f]{6}$/);
  const [own, id] = Object.values<Parsed>(customchecks)[0].stdout.split(' ');
  expect(bare(own)).toBe(card.slice(3));
  expect(own).toMatch(/^02:5A:71:/);
  expect(id).toMatch(/^5A71[0-9A-F]{4}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$/);
  const units = systemd_services.map(({ Name }: Parsed) => Name);
  expect(units[0]).toBe(`${card}.device`);
  expect(units[1]).toContain(`uuid-${id.toLowerCase().replaceAll('-', '\\x2d')}.device`);
  expect(units[2]).toContain(bare(id));
});

const ORDINARY: readonly (readonly [place: string, text: string])[] = [
  ['container', 'token-service-lohmann'],
  ['container', 'auth-api-blue'],
  ['image', 'registry.lohmann.example:5000/shop/api:2.1-alpine'],
  ['unit', 'secrets-manager@lohmann.service'],
  ['unit', 'systemd-ask-password-plymouth.path'],
  ['unit', 'serial-getty@ttyS0.service'],
  ['unit', 'sys-devices-pci0000:00-0000:00:17.0-ata4-host3-target3:0:0-3:0:0:0-block-sdb.device'],
  ['username', 'NT AUTHORITY\\LOCAL SERVICE'],
  ['username', 'LOHMANN\\svc.backup$'],
  ['userhost', 'fe80::1c2f%eth0'],
  ['device', '10.1.2.3:/export/lohmann'],
  ['device', '//fs-lohmann/share'],
  ['mountpoint', '/run/credentials/systemd-journald.service'],
  ['package', 'libc6:amd64'],
  ['package', 'google-cloud-auth-plugin'],
  ['app', 'Microsoft Visual Studio Code (User)'],
  ['label', 'com.apple.driverkit.AppleUserHIDEventDriver-(0x1000006d4)'],
  ['exec', '/usr/bin/lohnd (deleted)'],
  ['net', 'Local Area Connection* 1'],
];

it('a plain document keeps ordinary names', () => {
  const all = documents();
  const reads = ORDINARY.map(([place, text], id) => plant(all, { place, text, secrets: [], names: [] }, id));
  const sanitize = sanitizerWith(false);
  const after = Object.entries(all).map(([name, document]) => [name, JSON.parse(sanitize(JSON.stringify(document)))]);
  expect(reads.map((read) => read(Object.fromEntries(after)))).toEqual(ORDINARY.map(([, text]) => [text]));
});

describe('a sanitized document', () => {
  const { linux, windows, mac, packages, apps } = documents();

  it.each(
    Object.entries({ linux, windows, mac, packages, apps }).flatMap(([name, document]) =>
      [true, false].map((anonymous) => [name, anonymous, document] as const),
    ),
  )('of %s (anonymous: %s) is valid, with the same figures, and sizes within 10 %', (_, anonymous, before) => {
    const after = sanitized(before, settingsOf(anonymous));
    const read = readDocument(JSON.stringify(after));
    expect(read.kind === 'fault' ? read.fault : 'a document').toBe('a document');
    const numbers = (document: Parsed) => JSON.stringify(document).match(/(?<=":)-?[0-9.e+-]+/g);
    expect(Object.keys(after)).toEqual(Object.keys(before));
    expect(numbers(after)?.toSorted()).toEqual(numbers(before)?.toSorted());
    const [size, own] = [before, after].map((document) => JSON.stringify(document).length) as [number, number];
    expect(Math.abs(own / size - 1)).toBeLessThan(0.1);
  });

  it.each([packages, apps])('of packages keeps the names of all members, and so does a plain one: %#', (before) => {
    const namesIn = (document: Parsed) => JSON.stringify(document).match(/"[^"]+":/g);
    for (const anonymous of [true, false])
      expect(namesIn(sanitized(before, settingsOf(anonymous)))).toEqual(namesIn(before));
  });

  it.each([linux, windows, mac])(
    'keeps states, mount options and nearly all names of public software: %#',
    (before) => {
      const after = sanitized(before);
      const textsOf = (document: Parsed, names: RegExp) => {
        const texts: string[] = [];
        JSON.parse(JSON.stringify(document), (name, value) => {
          if (names.test(name)) texts.push(`${name} ${value}`);
          return value;
        });
        return texts;
      };
      const STATES = /^(status|ActiveState|LoadState|SubState|StartType|Status|fstype|opts)$/;
      expect(textsOf(after, STATES)).toEqual(textsOf(before, STATES));
      const [known, kept] = [before, after].map((document) => textsOf(document, /^(exec|Name|Label|DisplayName)$/));
      const same = known?.filter((text, place) => text === kept?.[place]) ?? [];
      expect(same.length / (known?.length ?? 0)).toBeGreaterThan(0.85);
    },
  );

  it('replaces the same word by the same word everywhere, and others by others', () => {
    const document = documents().linux;
    const reads = [
      { place: 'user', text: 'lorenzo' },
      { place: 'mountpoint', text: '/home/lorenzo' },
      { place: 'cmdline', text: 'rsync /srv/x lorenzo@brandt:/y' },
      { place: 'stdout', text: 'Lorenzo is late' },
    ].map((one, id) => plant({ ...documents(), linux: document }, { ...one, secrets: [], names: [] }, id));
    const texts = reads.map((read) => String(read({ ...documents(), linux: sanitized(document) })));
    const [user = ''] = texts;
    expect(user).toMatch(/^zq[a-z]{5}$/);
    expect(texts[1]).toBe(`/home/${user}`);
    expect(texts[2]).toContain(` ${user}@`);
    expect(texts[2]).not.toContain(`${user}@${user}`);
    expect(texts[3]).toMatch(new RegExp(`^${user} is zq`, 'i'));
    expect(JSON.stringify(sanitized(document, settingsOf(true, 'another key')))).not.toContain(user);
  });

  it('keeps rows of one program rows of one program', () => {
    const rows = Array.from({ length: 300 }, (_, pid) => ({
      ...linux.processes[0],
      pid: 200_000 + pid,
      ppid: 1,
      name: 'lohnd',
      exec: '/opt/lohn/lohnd',
      cmdline: `/opt/lohn/lohnd --mandant ${pid % 2}`,
    }));
    const { processes } = sanitized({ ...linux, processes: [...linux.processes, ...rows] });
    const own = processes.slice(-300).map(({ name, exec, cmdline }: Parsed) => `${name} ${exec} ${cmdline}`);
    expect(new Set(own).size).toBe(2);
  });

  it('keeps a kernel thread only of Linux, with the parent 2, without memory and with a known name', () => {
    const memory = { rss: 0, vms: 0, hwm: 0, data: 0, stack: 0, locked: 0, swap: 0 };
    const thread = {
      ...linux.processes[0],
      pid: 9,
      ppid: 2,
      name: 'kworker/3:1H-kblockd',
      exec: '',
      cmdline: '',
      Memory: memory,
    };
    const nameOf = (changes: object, agent = {}) =>
      sanitized({ agent: { ...linux.agent, ...agent }, processes: [{ ...thread, ...changes }] }).processes[0].name;
    expect(nameOf({})).toBe(thread.name);
    for (const changes of [{ ppid: 1 }, { Memory: { ...memory, rss: 4096 } }, { name: 'kworker/lohn:1' }]) {
      expect(nameOf(changes)).toContain('zq');
    }
    expect(nameOf({}, { goos: 'darwin' })).toContain('zq');
  });

  it('keeps devices only by exact names, and elsewhere only those of this host', () => {
    const names = [
      'sda',
      'nvme0n1p3',
      'dm-7',
      'lockheed',
      'bridgestone',
      'dmitrow',
      'lo',
      'london',
      'eth0',
      'ethel',
      'sdorf',
    ];
    const first = Object.values(linux.net_stats)[0];
    const keys = Object.keys(
      sanitized({ agent: linux.agent, net_stats: Object.fromEntries(names.map((name) => [name, first])) }).net_stats,
    );
    expect(keys.filter((name) => !name.startsWith('zq'))).toEqual(['dm-7', 'eth0', 'lo', 'nvme0n1p3', 'sda']);
  });
});

describe.each(['ubuntu-24.04', 'windows-server-2022', 'macos-26'])(
  'hosts raised from an anonymous recording of %s',
  (profile) => {
    const settings = settingsOf(true);
    const anonymous = documentsOf(profile).map((one) => ({ ...one, text: sanitizedDocument(one.text, settings).text }));
    const recordings = { plain: documentsOf(profile), anonymous };
    const fleetOf = memoized(2, (kind) => {
      const hash = `${kind} ${profile}`;
      return raised(recordedHosts(recordings[kind as keyof typeof recordings], { name: hash, hash }));
    });
    const hostOf = (kind: keyof typeof recordings, agent: number): Parsed =>
      checkdata({ fleet: fleetOf(kind), agent, instantMs: Date.UTC(2026, 6, 15, 13) });
    const rows = (document: Parsed) =>
      Object.entries<Parsed>(document).map(([check, value]) => `${check} ${Object.keys(value ?? {}).length}`);
    const types = (value: Parsed): unknown => {
      if (Array.isArray(value)) return value.map(types);
      if (typeof value !== 'object' || value === null) return typeof value;
      // Names of members are sorted after they are replaced.
      return Object.entries(value)
        .map(([, member]) => types(member))
        .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    };

    it.each([1, 2])(
      'have the members, types, counts and sums of those from the plain one, and sizes within 10 %%: %#',
      (agent) => {
        const [plain, own] = [hostOf('plain', agent), hostOf('anonymous', agent)];
        expect(Object.keys(own)).toEqual(Object.keys(plain));
        expect(rows(own)).toEqual(rows(plain));
        expect(types(own)).toEqual(types(plain));
        expect(own.memory).toEqual(plain.memory);
        const sums = ({ processes }: Parsed) => [
          processes.length,
          new Set(processes.map(({ cmdline }: Parsed) => cmdline)).size,
        ];
        expect(sums(own)).toEqual(sums(plain));
        const ratio = JSON.stringify(own).length / JSON.stringify(plain).length;
        expect(Math.abs(ratio - 1)).toBeLessThan(0.1);
      },
    );
  },
);

it('the password of a push is replaced wherever it occurs, but a document stays valid whatever it is', () => {
  const { linux } = documents();
  linux.customchecks.a = { stdout: 'the disk is linux', rc: 0, execution_unix_timestamp_sec: 1 };
  const { text } = sanitizedDocument(JSON.stringify(linux), settingsOf(false), ['linux', 'x']);
  expect(JSON.parse(text).customchecks.a.stdout).toMatch(/^the disk is zq[a-z]{3}$/);
  expect(readDocument(text).kind).toBe('document');
});

describe('rules of the user', () => {
  const command = (text: string, rules: Partial<SanitizerRules>, anonymous = true) => {
    const process = { ...documents().linux.processes[0], name: 'app', exec: '/usr/bin/app', cmdline: text };
    const settings = { ...settingsOf(anonymous), rules: { ...NO_RULES, ...rules } };
    return sanitized({ agent: documents().linux.agent, processes: [process] }, settings).processes[0].cmdline;
  };

  it('keep and drop words wherever they occur, and keep the values of options', () => {
    const text = '/usr/bin/app --mandant lohn start 4711';
    expect(command(text, {})).toMatch(/^\/usr\/bin\/app --zq\w+ zq\w+ start \d{4}$/);
    expect(command(text, { keep: new Set(['lohn', '4711']) })).toMatch(/ lohn start 4711$/);
    expect(command(text, { drop: new Set(['start']) })).toMatch(/ zq\w+ \d{4}$/);
    expect(command(text, { option: new Set(['--mandant']) }, false)).toMatch(/ --mandant lohn start /);
  });
});

describe('a long text', () => {
  const { agent, processes } = documents().linux;
  /** Processor time for sanitizing such a text in all places. */
  const workMs = (text: string) => {
    const customchecks = { a: { stdout: text, rc: 0, execution_unix_timestamp_sec: 1 } };
    const process_ = { ...processes[0], cmdline: text, exec: text, username: text };
    const { user, system } = process.threadCpuUsage();
    for (const anonymous of [true, false])
      expect(
        Object.keys(sanitized({ agent, processes: [process_], customchecks }, settingsOf(anonymous))),
      ).toHaveLength(3);
    const passed = process.threadCpuUsage({ user, system });
    return (passed.user + passed.system) / 1000;
  };

  it.each(['x', 'a:a@', '--x=', '[[((', '{"a', '/a', '://a', 'a.', '0:'])(
    'of %s is taken apart in one pass: four times the text is four times the work',
    (piece) => {
      const [short, long] = [4000, 16_000].map((length) => workMs(piece.repeat(length / piece.length)));
      // With a pattern that tries every start again, it would be sixteen times the work.
      expect(long).toBeLessThan(8 * Number(short) + 50);
    },
  );
});
