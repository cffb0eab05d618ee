import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readHostData } from '../../src/ground/storage/host-data.ts';
import { createAnonymizer } from '../../src/recordings/anonymize.ts';
import { textsOf } from '../../src/recordings/document-texts.ts';
import { personalFindings, publicWords } from '../../src/recordings/personal-data.ts';
import { readDocument } from '../../src/recordings/reading.ts';
import { checkdataText, type Parsed, packagesText, usualFleet } from '../hosts/any-machine.ts';

const WORDS = publicWords(readHostData().tables);
const hash = (text: string) => createHmac('sha256', 'key').update(text).digest('hex');

/** One value of each kind, none of which must remain. */
const PLANTED = {
  user: 'mmustermann',
  home: 'kgreiner',
  host: 'kundenserver01',
  domain: 'intranet.musterwerke.de',
  mail: 'buchhaltung@musterwerke.de',
  ipv4: '10.77.13.9',
  ipv6: '2001:db8:77::13',
  mac: '3c:ec:ef:12:34:56',
  uuid: 'c0ffee00-1234-4abc-8def-001122334455',
  serial: 'S4EVNX0M123456',
  number: '4915112345678',
  path: '/srv/lohnabrechnung/geheimprojekt',
  argument: 'quartalsbericht',
  container: 'kundenportal',
};

function planted(values = PLANTED): string {
  const document: Parsed = JSON.parse(
    checkdataText({ fleet: usualFleet('debian-12', 'typical'), agent: 1, instantMs: Date.UTC(2026, 5, 1) }),
  );
  const { user, home, host, domain, mail, ipv4, ipv6, mac, uuid, serial, number, path, argument, container } = values;
  const [first] = document.processes;
  document.processes.push(
    {
      ...first,
      pid: 90_001,
      username: user,
      cmdline: `/usr/bin/rsync ${path} ${user}@${host}:/home/${home}/${argument}`,
    },
    {
      ...first,
      pid: 90_002,
      cmdline: `/usr/bin/curl --mail ${mail} http://${domain}:8080/?tel=${number} ${ipv4} ${ipv6}`,
    },
  );
  document.users.push({ name: user, terminal: 'pts/9', host, started: 1 });
  document.systemd_services.push({
    ...{ ActiveState: 'active', LoadState: 'loaded', SubState: 'plugged', Description: `${uuid} ${mac}` },
    Name: `dev-disk-by\\x2did-ata\\x2dSamsung_SSD_860_${serial}.device`,
  });
  document.docker = [
    {
      ...{
        id: 'a652cff1d4',
        name: `/${container}`,
        image: `registry.${domain}/${container}:1`,
        size_rw: 0,
        size_root_fs: 0,
      },
      ...{
        state: 'running',
        status: 'Up 3 hours',
        network_rx: 1,
        network_tx: 1,
        cpu_percentage: 0,
        memory_percentage: 0,
      },
      ...{ disk_read: 0, disk_write: 0, memory_used: 1 },
    },
  ];
  return JSON.stringify(document);
}

/** Also names in other scripts. */
const ANYWHERE = [...Object.values(PLANTED), 'Иванов', '田中', 'Müllerstraße', 'Jose\u0301', 'geheimwort'];
/** What systems report about themselves stays. */
const SILENT =
  /^\/(agent|ntp|cpu|memory|swap)\/|\/(Version|CurrentVersion|AvailableVersion|KBArticleIDs|UpdateID)(\/|$)/;
const STATS = /\/Stats\/(?!LastError)/;
const KEYED =
  /^\/(customchecks|disk_io|net_io|net_stats|windows_eventlog)$|^\/libvirt\/[^/]*\/(Interfaces|Diskio)$|^\/libvirt$/;

/** Adds names to all texts of a document, and to all keys that are names. */
function named(value: Parsed, path = ''): Parsed {
  if (typeof value === 'string') {
    const isThread = path.startsWith('/processes') && value.startsWith('[');
    return isThread || SILENT.test(path) || STATS.test(path) ? value : `${value} ${ANYWHERE.join(' ')}`;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((member) => named(member, `${path}/#`));
  const members = Object.entries(value).map(([name, member]) => {
    return [KEYED.test(path) ? `${name} ${ANYWHERE.join(' ')}` : name, named(member, `${path}/${name}`)];
  });
  return Object.fromEntries(members);
}

const MACHINE = {
  Name: 'vm',
  Uuid: 'u',
  Interfaces: { vnet0: { Name: 'vnet0' } },
  Diskio: { vda: { name: 'vda', 'path/filepath': '/' } },
};

describe('names in all texts and keys of a document', () => {
  it.each([
    ['debian-12', checkdataText],
    ['debian-12', packagesText],
    ['windows-server-2022', checkdataText],
    ['windows-server-2022', packagesText],
    ['macos-26', checkdataText],
  ])('of %s are removed: %#', (profile, textOf) => {
    const fleet = usualFleet(profile, 'typical');
    const document: Parsed = JSON.parse(textOf({ fleet, agent: 1, instantMs: Date.UTC(2026, 5, 1) }));
    const more =
      textOf === packagesText ? {} : { customchecks: { one: { stdout: 'x', rc: 0 } }, libvirt: { id: MACHINE } };
    const failed = textOf === packagesText ? {} : { sensors: { error: 'x' }, system_load: { error: 'x' } };
    const text = JSON.stringify(named({ ...document, ...more, ...failed }));
    // Kernel threads are kept whole, including names planted next to them.
    const told = JSON.parse(createAnonymizer(WORDS, hash).rewritten(text));
    if (told.processes) told.processes = told.processes.filter(({ exec }: Parsed) => !exec.startsWith('['));
    const left = JSON.stringify(told).toLowerCase();
    expect(ANYWHERE.filter((name) => left.includes(name.toLowerCase()))).toEqual([]);
    expect(ANYWHERE.every((name) => text.includes(name))).toBe(true);
  });
});

describe('anonymized documents', () => {
  const text = planted();
  const anonymous = createAnonymizer(WORDS, hash).rewritten(text);
  const findings = (document: string) => personalFindings([document], WORDS, textsOf);

  it('contain none of the planted values, all of which were found before', () => {
    const before = findings(text).map((finding) => finding.text.toLowerCase());
    for (const [kind, value] of Object.entries(PLANTED)) {
      const parts = value
        .toLowerCase()
        .split(/[/.@]/)
        .filter((part) => part.length > 4);
      const isFound = before.includes(value.toLowerCase()) || parts.some((part) => before.includes(part));
      expect([kind, isFound]).toEqual([kind, true]);
      for (const part of parts) expect(anonymous.toLowerCase()).not.toContain(part);
    }
    expect(findings(anonymous)).toEqual([]);
  });

  it('are still valid, with the same members in the same order', () => {
    const read = readDocument(anonymous);
    expect(read.kind === 'fault' ? read.fault : 'a document').toBe('a document');
    const [before, after] = [text, anonymous].map((document) => JSON.parse(document));
    expect(Object.keys(after)).toEqual(Object.keys(before));
    expect(after.processes).toHaveLength(before.processes.length);
    expect(after.agent).toEqual(before.agent);
    expect(after.memory).toEqual(before.memory);
    const kernel = (document: Parsed) => document.processes.filter(({ exec }: Parsed) => exec.startsWith('['));
    expect(kernel(after)).toEqual(kernel(before));
  });

  it('keep public words, except the names of users, homes, hosts and containers, wherever and whenever they occur', () => {
    const names = { user: 'Ruby', home: 'worker', host: 'portal', container: 'cache' };
    const argument = 'ruby worker portal cache';
    const argumentsIn = (document: string) => JSON.parse(document).processes.at(-2).cmdline.split('/').at(-1);
    const other = planted({ ...PLANTED, argument });
    const { rewritten, learn } = createAnonymizer(WORDS, hash);
    expect(argumentsIn(rewritten(other))).toBe(argument);
    learn(planted({ ...PLANTED, ...names }));
    expect(argumentsIn(rewritten(other))).toMatch(/^(zq[a-z2-7]{4} ?){4}$/);
    const alone = createAnonymizer(WORDS, hash).rewritten(planted({ ...PLANTED, ...names, argument }));
    expect(argumentsIn(alone)).toMatch(/^(zq[a-z2-7]{4} ?){4}$/);
  });

  it('map equal names to equal names in all documents of a recording', () => {
    const other = createAnonymizer(WORDS, hash);
    const [first, second] = [other.rewritten(text), other.rewritten(text)].map((document) => JSON.parse(document));
    expect(second).toEqual(first);
    const user = first.users.at(-1);
    expect(first.processes.at(-2).username).toBe(user.name);
    expect(first.processes.at(-2).cmdline).toContain(`${user.name}@${user.host}:`);
    const otherKey = createAnonymizer(WORDS, (value) => hash(`other ${value}`));
    expect(JSON.parse(otherKey.rewritten(text)).users.at(-1).name).not.toBe(user.name);
  });

  it.each(['debian-12', 'windows-server-2022', 'macos-26'])('keep the states of %s, and mount options', (profile) => {
    const one = checkdataText({ fleet: usualFleet(profile, 'typical'), agent: 1, instantMs: Date.UTC(2026, 5, 1) });
    const [before, after] = [one, createAnonymizer(WORDS, hash).rewritten(one)].map((document) => {
      const states: [string, unknown][] = [];
      JSON.parse(document, (name, value) => {
        if (/^(status|ActiveState|LoadState|SubState|StartType|Status|fstype|opts)$/.test(name))
          states.push([name, value]);
        return value;
      });
      return states;
    });
    expect(before?.length).toBeGreaterThan(50);
    expect(after).toEqual(before);
  });

  it('keep well-known names', () => {
    const [before, after] = [text, anonymous].map((document) => JSON.parse(document));
    const kept = before.processes.filter(({ name }: Parsed, place: number) => name === after.processes[place].name);
    expect(kept.length / before.processes.length).toBeGreaterThan(0.9);
    const units = before.systemd_services.filter(({ Name }: Parsed, place: number) => {
      return Name === after.systemd_services[place].Name;
    });
    expect(units.length / before.systemd_services.length).toBeGreaterThan(0.8);
  });
});
