import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isMembers, type JsonMembers, parseExactly, stringifyExactly } from '../../src/base/protocol/exact-json.ts';
import { readHostData } from '../../src/base/storage/host-data.ts';
import { sanitizedDocument } from '../../src/recordings/document-texts.ts';
import { NO_RULES } from '../../src/recordings/harmless.ts';
import { oddFigures } from '../../src/recordings/odd-figures.ts';
import { readDocument } from '../../src/recordings/reading.ts';
import { openIntake } from '../../src/recordings/recorder/intake.ts';
import { readHostRecording } from '../../src/recordings/recorder/recording-folder.ts';
import { recordedHosts } from '../../src/recordings/simulated-hosts.ts';
import { placeText } from '../../src/recordings/value-texts.ts';
import { vocabularyOf } from '../../src/recordings/vocabulary.ts';
import { draws } from '../draws.ts';
import { checkdataText } from '../hosts/any-machine.ts';
import { raised } from '../hosts/recorded/recorded-fleets.ts';
import { SETTINGS } from './settings.ts';

const PLACES = join(import.meta.dirname, '../real-places');
const HOST = readFileSync(join(PLACES, 'host.json'), 'utf8');
const INSTANT_MS = Date.UTC(2026, 6, 15, 13);

type Path = readonly (string | number)[];

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inner, name) => (inner as { [name: string]: unknown } | undefined)?.[name], value);
}

/** The document with other values, written as given. */
function edited(edits: readonly (readonly [Path, string])[]): string {
  const document = parseExactly(HOST);
  for (const [path, value] of edits) {
    const holder = at(document, path.slice(0, -1)) as { [name: string]: unknown };
    holder[String(path.at(-1))] = parseExactly(value);
  }
  return stringifyExactly(document);
}

function pathOf(text: string): Path {
  return text.split(/[.[\]]+/).flatMap((name) => (name === '' ? [] : [/^\d+$/.test(name) ? Number(name) : name]));
}

function simulated(text: string, ...others: readonly string[]) {
  const hash = text + others;
  const documents = [text, ...others].map((one) => {
    const read = readDocument(one);
    if (read.kind === 'fault') throw new Error(JSON.stringify(read.fault));
    return { ...read.document, host: 'one', kind: 'checkdata' as const };
  });
  const [{ odd, text: own } = { odd: [], text: '' }] = documents;
  const recording = recordedHosts(documents, { name: hash, hash });
  const fleet = raised(recording);
  const later = (minutes: number) => checkdataText({ fleet, agent: 3, instantMs: INSTANT_MS + minutes * 60_000 });
  return { odd, own, units: recording.hosts[0]?.checkdata[0]?.verbatimParts ?? [], now: later(0), later: later(40) };
}

/** The checks that differ between two times. */
function changing(one: string, other: string): readonly string[] {
  const [before, after] = [parseExactly(one), parseExactly(other)] as readonly JsonMembers[];
  return Object.keys(before ?? {}).filter(
    (check) => stringifyExactly(before?.[check]) !== stringifyExactly(after?.[check]),
  );
}

const LINES = readFileSync(join(PLACES, 'documents.tsv'), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split('\t') as [string, string, string]);

describe('a document with a value that users reported', () => {
  const usual = simulated(HOST);
  const modeled = changing(usual.now, usual.later);

  it.each(LINES)('of %s lives, but for the part in which it stands: %s', (_, edit, right) => {
    const edits = edit.split(/ (?=[a-z_]+[.[=])/).map((one) => {
      const equals = one.indexOf('=');
      return [pathOf(one.slice(0, equals)), one.slice(equals + 1)] as const;
    });
    const { odd, own, units, now, later } = simulated(edited(edits));
    const [, part = '', kind] = /^(?:(.*) is )?(replayed|kept|lives)$/.exec(right) ?? [];
    const path = pathOf(part);
    expect(units.map((unit) => [...unit])).toEqual(kind === 'replayed' ? [path] : []);
    if (kind !== 'lives') expect(odd.map(({ place }) => place).join()).toContain(`$${placeText(path)}`);
    for (const { place, found } of odd)
      expect(stringifyExactly(at(parseExactly(own), pathOf(place.slice(2))))).toBe(found);
    // What is replayed has its bytes, and the other checks go on.
    if (kind === 'replayed')
      expect(stringifyExactly(at(parseExactly(now), path))).toBe(stringifyExactly(at(parseExactly(own), path)));
    const still = new Set(edits.map(([[check]]) => check));
    expect(changing(now, later)).toEqual(expect.arrayContaining(modeled.filter((check) => !still.has(check))));
  });
});

/** Values of the agent's types: unsigned and signed 64 bits, and floats. */
const ODD = [
  ...['18446744073709551615', '9223372036854775808', '9007199254740993', '-1', '-9223372036854775808', '0', '-0'],
  ...['1.7976931348623157e+308', '-2.5e+300', '5e-324', '0.30000000000000004', '1e+21', '100.0', '4294967296'],
];

function numericIn(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value === 'number') return [path];
  if (Array.isArray(value)) return value.flatMap((one, place) => numericIn(one, [...path, place]));
  return isMembers(value) ? Object.entries(value).flatMap(([name, one]) => numericIn(one, [...path, name])) : [];
}

const NUMERIC = numericIn(JSON.parse(HOST));

/** Replayed parts have the bytes of the document. */
function expectReplayed(edits: readonly (readonly [Path, string])[]): void {
  const { own, units, now } = simulated(edited(edits));
  const [recorded, shown, numbers] = [parseExactly(own), parseExactly(now), JSON.parse(now)];
  for (const unit of units) expect(stringifyExactly(at(shown, unit))).toBe(stringifyExactly(at(recorded, unit)));
  for (const [path, value] of edits) expect(stringifyExactly(at(recorded, path))).toBe(value);
  expect(NUMERIC.filter((path) => at(numbers, path) === undefined)).toEqual([]);
}

describe('200 made documents', () => {
  it('with an odd value in one numeric member are taken, and replayed where it stands', () => {
    for (let n = 0; n < 150; n++) {
      const path = NUMERIC[(n * 7) % NUMERIC.length] ?? [];
      expectReplayed([[path, ODD[n % ODD.length] ?? '']]);
    }
  });

  it('with odd values in all numeric members are taken, and replayed where they stand', () => {
    for (let n = 0; n < 50; n++) {
      expectReplayed(NUMERIC.map((path, place) => [path, ODD[(n + place * (1 + (n % 13))) % ODD.length] ?? '']));
    }
  });
});

/** All places of a document. */
function placesIn(value: unknown, path: Path = []): readonly Path[] {
  const inner = Array.isArray(value) ? [...value.entries()] : Object.entries(isMembers(value) ? value : {});
  return [path, ...inner.flatMap(([name, one]) => placesIn(one, [...path, name]))];
}

it('a document with any JSON in any place is taken, sanitized and simulated', () => {
  const places = placesIn(JSON.parse(HOST)).filter(
    (path) => path.length > 1 || (path.length === 1 && path[0] !== 'agent'),
  );
  const settings = { vocabulary: vocabularyOf(readHostData().tables), rules: NO_RULES, anonymous: true };
  const anyValue = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom(...ODD.map(Number), null, [], {}, [null], { a: null }),
  );
  fc.assert(
    fc.property(fc.constantFrom(...places), anyValue, (path, value) => {
      const { now, own } = simulated(edited([[path, JSON.stringify(value)]]));
      expect(() => JSON.parse(now)).not.toThrow();
      expect(() => sanitizedDocument(own, { ...settings, replace: (text) => text })).not.toThrow();
    }),
    { numRuns: draws(50), examples: [[['net_io', 'lo'], null]] },
  );
});

function opened() {
  const root = mkdtempSync(join(tmpdir(), 'muster-places-'));
  const intake = openIntake(root, SETTINGS);
  onTestFinished(() => rmSync(root, { recursive: true }));
  return { root, intake };
}

describe('the shapes that a document may have', () => {
  it('are all that PHP makes of empty maps and of maps with the names 0, 1, 2', () => {
    const { own } = simulated(
      edited([
        [['disk_io'], '[]'],
        [['sensors'], '[]'],
        [['system_load'], '[0.5,0.25,0.125]'],
      ]),
    );
    expect(own).toContain('"disk_io":{}');
    expect(own).toContain('"sensors":{}');
    expect(own).toContain('"system_load":{"0":0.5,"1":0.25,"2":0.125}');
  });

  it('are also those of maps in virtual machines', () => {
    const machine = { Name: 'one', Uuid: 'two', Interfaces: [], Diskio: [{ name: 'vda' }] };
    const { own } = simulated(edited([[['libvirt'], JSON.stringify({ one: machine })]]));
    expect(own).toContain('"Interfaces":{},"Diskio":{"0":{"name":"vda"}}');
  });

  it('keep the order of bytes of names that look like numbers, in the recording and on simulated hosts', () => {
    const check = '{"stdout":"","rc":0,"execution_unix_timestamp_sec":1}';
    const text = edited([[['customchecks'], `{"10":${check},"9":${check},"disk":${check}}`]]);
    const { root, intake } = opened();
    intake.take({ text, source: () => 'one', arrivedMs: undefined, secrets: [] });
    intake.close();
    const [kept] = readHostRecording(root).documents;
    for (const json of [kept?.text ?? '', simulated(text).now])
      expect(json.match(/"customchecks":.*?"(10|9)".*"(10|9)":.*"disk":/)?.slice(1)).toEqual(['10', '9']);
  });

  it.each(['error', 'enabled'])('include a custom check that is called %s, beside which all live', (name) => {
    const check = '{"stdout":"","rc":0,"execution_unix_timestamp_sec":1}';
    const { now, later } = simulated(edited([[['customchecks'], `{"disk":${check},"${name}":${check}}`]]));
    expect(changing(now, later)).toContain('customchecks');
  });

  it.each(['__proto__', 'constructor', 'toString'])('include a check of agents to come that is called %s', (name) => {
    const text = HOST.replace(/\}\s*$/, `,${JSON.stringify(name)}:{"a":[1]}}`);
    const { now, later, odd } = simulated(text);
    expect(odd).toMatchObject([{ place: `$.${name}`, found: 'an object' }]);
    expect(now).toContain(`${JSON.stringify(name)}:{"a":[1]}`);
    expect(changing(now, later)).toEqual(changing(simulated(HOST).now, simulated(HOST).later));
  });

  it('include texts such as NaN instead of figures, which are named and stay in checks that live', () => {
    const text = edited([
      [['cpu', 'cpu_total_percentage'], '"NaN"'],
      [['swap', 'percent'], '"-Inf"'],
    ]);
    const { now, later, odd } = simulated(text);
    expect(odd).toMatchObject([
      { place: '$.cpu.cpu_total_percentage', found: '"NaN"' },
      { place: '$.swap.percent', found: '"-Inf"' },
    ]);
    for (const json of [now, later]) {
      expect(JSON.parse(json).cpu.cpu_total_percentage).toBe('NaN');
      expect(JSON.parse(json).swap.percent).toBe('-Inf');
    }
    expect(changing(now, later)).toContain('cpu');
  });

  it('are no lists of sensors, which have names of their own', () => {
    const { own, units } = simulated(edited([[['sensors'], '[{"label":"one","current":1}]']]));
    expect(own).toContain('"sensors":[{"label":"one","current":1}]');
    expect(units).toEqual([['sensors']]);
  });

  it.each(['[', '{"a":'])('have few levels of %s: others are no documents, and end no recorder', (bracket) => {
    const settings = { vocabulary: vocabularyOf(readHostData().tables), rules: NO_RULES, anonymous: true };
    for (const levels of [50, 500, 1000, 1500, 2000, 2500, 5000, 100_000]) {
      const end = (bracket === '[' ? ']' : '}').repeat(levels);
      const read = readDocument(HOST.replace(/\}\s*$/, `,"gpu":${bracket.repeat(levels)}1${end}}`));
      expect(read.kind).toBe(levels === 50 ? 'document' : 'fault');
      if (read.kind === 'document') sanitizedDocument(read.document.text, { ...settings, replace: (text) => text });
    }
  });

  it('include failed checks, lists that are null, and checks and members of agents to come', () => {
    const text = edited([
      [['agent', 'agent_version'], '"4.0.0"'],
      [['agent', 'zone'], '"blue"'],
      [['gpu'], '[{"name":"one","load":18446744073709551615}]'],
      [['memory', 'zswap'], '18446744073709551615'],
      [['docker'], '{"error":"no daemon"}'],
      [['users'], 'null'],
    ]);
    const { now, later, odd } = simulated(text);
    for (const part of ['"zone":"blue"', '"load":18446744073709551615', '"zswap":18446744073709551615', '"users":null'])
      expect(now).toContain(part);
    expect(changing(now, later)).toContain('memory');
    expect(odd.map(({ place }) => place)).toEqual(expect.arrayContaining(['$.agent.agent_version', '$.gpu']));
  });

  it('include a failed agent check, and systems that Muster does not model', () => {
    expect(simulated(edited([[['agent'], '{"error":"exit status 1"}']])).now).toContain(
      '"agent":{"error":"exit status 1"}',
    );
    expect(simulated(edited([[['agent', 'goos'], '"freebsd"']])).now).toContain('"goos":"freebsd"');
  });
});

describe('the rates of a host', () => {
  type Edits = readonly (readonly [Path, string])[];
  const bytesPerSecond = (edits: Edits, path: Path, ...others: readonly Edits[]) => {
    const { now, later } = simulated(edited(edits), ...others.map(edited));
    const [before, after] = [now, later].map((text) => Number(at(JSON.parse(text), path)));
    return (Number(after) - Number(before)) / (40 * 60);
  };

  it('are those of the last interval if it counts nothing since its boot', () => {
    const rate = bytesPerSecond([[['agent', 'system_uptime'], '0']], ['net_io', 'enp65s0f0np0', 'bytes_recv']);
    expect(rate).toBeGreaterThan(100);
    expect(rate).toBeLessThan(2500);
  });

  it('are those of the last interval in a young container that shows the disks of its machine', () => {
    const edits = [
      [['agent', 'system_uptime'], '300'],
      [['disk_io', 'nvme0n1', 'ReadBytes'], '90000000000000'],
      [['disk_io', 'nvme0n1', 'ReadCount'], '900000000'],
    ] as const;
    expect(bytesPerSecond(edits, ['disk_io', 'nvme0n1', 'ReadBytes'])).toBeLessThan(1e6);
    expect(oddFigures(parseExactly(edited(edits)) as JsonMembers, '$')).toEqual([]);
  });

  const secondsLater = (seconds: number, requests: number): Edits => [
    [['agent', 'last_updated_timestamp'], String(1795863478 + seconds)],
    [['agent', 'system_uptime'], String(500_000 + seconds)],
    [['disk_io', 'nvme0n1', 'ReadBytes'], String(90_000_000_000_000 + 4096 * requests)],
    [['disk_io', 'nvme0n1', 'ReadCount'], String(900_000_000 + requests)],
  ];
  const READ = ['disk_io', 'nvme0n1', 'ReadBytes'];

  it('are those between documents in a container that shows the disks of its machine', () => {
    // 100,000 bytes per request, and 2 requests per second.
    const rate = bytesPerSecond(secondsLater(0, 0), READ, secondsLater(60, 120), secondsLater(1200, 2400));
    expect(rate).toBeGreaterThan(1e5);
    expect(rate).toBeLessThan(4e5);
    expect(bytesPerSecond(secondsLater(0, 0), READ)).toBeGreaterThan(1e8);
  });

  it('ignore a counter that started again', () => {
    const rate = bytesPerSecond(secondsLater(0, 0), READ, secondsLater(600, 1200), secondsLater(1200, -800_000_000));
    expect(rate).toBeGreaterThan(1e5);
    expect(rate).toBeLessThan(4e5);
  });

  it('are those since boot if a counter rested for a moment', () => {
    expect(bytesPerSecond(secondsLater(0, 0), READ, secondsLater(60, 0))).toBeGreaterThan(1e8);
  });
});
