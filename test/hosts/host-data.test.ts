import { describe, expect, it } from 'vitest';
import { column, type HostTables, oncePerData, readTable } from '../../src/hosts/host-data.ts';
import { createMachines } from '../../src/hosts/payloads.ts';
import { PROFILE_NAMES, profileNamed } from '../../src/hosts/profiles.ts';
import { vocabularyOf } from '../../src/recordings/vocabulary.ts';
import { HOST_DATA } from './host-data.ts';

const COLUMNS = {
  name: column.text,
  when: column.date,
  kind: column.oneOf('a.b', 'c'),
  share: column.number,
  count: column.orEmpty(column.wholeNumber),
  urgent: column.orEmpty(column.yesOrNo),
  groups: column.names,
};
const HEADER = Object.keys(COLUMNS).join('\t');
const GOOD = 'a name\t2026-01-31\ta.b\t-0.5\t12\tyes\tx,y';

const read = (...lines: string[]) => readTable({ 'things.tsv': `${lines.join('\n')}\n` }, 'things.tsv', COLUMNS);

describe('a table of data', () => {
  it('is read by its columns, with undefined for empty or missing cells', () => {
    expect(read(HEADER, GOOD, 'b\t2026-02-01\tc\t1')).toEqual([
      {
        line: 2,
        name: 'a name',
        when: '2026-01-31',
        kind: 'a.b',
        share: -0.5,
        count: 12,
        urgent: true,
        groups: ['x', 'y'],
      },
      { line: 3, name: 'b', when: '2026-02-01', kind: 'c', share: 1, count: undefined, urgent: undefined, groups: [] },
    ]);
  });

  it.each([
    ['a missing column', [HEADER.replace('\tkind', '')], '1:kind: expected the column kind, found share'],
    ['too many columns', [`${HEADER}\tmore`], '1:: expected no more columns, found more'],
    [
      'an empty cell',
      [HEADER, GOOD, '\t2026-01-31'],
      '3:name: expected a text without blanks around it, found nothing',
    ],
    [
      'a trailing blank',
      [HEADER, GOOD.replace('a name', 'a ')],
      '2:name: expected a text without blanks around it, found a ',
    ],
    ['an unknown word', [HEADER, GOOD.replace('a.b', 'aXb')], '2:kind: expected one of a.b, c, found aXb'],
    [
      'text instead of a number',
      [HEADER, GOOD.replace('12', 'x12')],
      '2:count: expected a whole number, or nothing, found x12',
    ],
    ['too many cells', [HEADER, GOOD, `${GOOD}\tmore`], '3:groups: expected no more cells after it, found more'],
    ['an empty line', [HEADER, '', GOOD], '2:name: expected a text without blanks around it, found nothing'],
    ['a Windows line ending', [HEADER, `${GOOD}\r`], '2:groups: expected names with commas between them'],
  ])('with %s is reported with the place, what was expected and what was found', (_, lines, fault) => {
    expect(() => read(...lines)).toThrow(`things.tsv:${fault}`);
  });

  it('must exist', () => {
    expect(() => readTable({}, 'none.tsv', COLUMNS)).toThrow('none.tsv: expected a data file of this name, found none');
  });
});

it('values derived from data are computed once per data object', () => {
  let made = 0;
  const thing = oncePerData(() => ++made);
  const [data, others] = [{}, {}];
  expect([thing(data), thing(data), thing(others), thing(data)]).toEqual([1, 1, 2, 1]);
});

it('hosts of all profiles can be created from the shipped data, and use all of them', () => {
  const unread = new Set(Object.keys(HOST_DATA.tables));
  const tables: HostTables = new Proxy(HOST_DATA.tables, {
    get: (files, name) => {
      unread.delete(String(name));
      return Reflect.get(files, name);
    },
  });
  for (const name of PROFILE_NAMES) {
    const groups = profileNamed(name).roles.map((role) => {
      return { name: role, size: { kind: 'weight', weight: 1 }, profile: name, role, payload: 'natural' } as const;
    });
    const ofRoles = createMachines({
      data: { ...HOST_DATA, tables },
      seed: 1,
      groups,
      agents: groups.length,
      checkIntervalSeconds: 30,
    }).variants();
    for (const ofRole of ofRoles) expect(ofRole.numbered(0).checkdata()).toBeDefined();
    const { variants } = createMachines({
      data: { ...HOST_DATA, tables },
      seed: 1,
      profiles: { [name]: 1 },
      payload: 'full',
      checks: { windows_eventlog: 1, customchecks: 1 },
      checkIntervalSeconds: 30,
    });
    // The tables of their roles were read above, so two of the variants suffice.
    for (const variant of [0, 1]) {
      const { checkdata, packages } = variants()[0]?.numbered(variant) ?? {};
      expect([checkdata?.(), packages?.()]).not.toContain(undefined);
    }
  }
  // Recordings read the tables of harmless words.
  vocabularyOf(tables);
  expect([...unread]).toEqual([]);
});
