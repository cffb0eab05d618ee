import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { passwordJournal, readJournal } from '../../../src/base/storage/password-journal.ts';
import { anyCharacter } from '../../any-character.ts';
import { draws } from '../../draws.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-journal-'));
afterAll(() => rmSync(folder, { recursive: true }));

const entry = (n: number) => ({ uuid: `uuid-${n}`, password: `pässword "${n}"\n` });

let opened = 0;
function journal() {
  const path = join(folder, `${++opened}.journal`);
  const file = openSync(path, 'ax', 0o600);
  return { path, close: () => closeSync(file), ...passwordJournal(file) };
}

describe('a journal of passwords', () => {
  it('has an entry when `append` returns, in order, with any text', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ uuid: fc.string({ unit: anyCharacter }), password: fc.string() }), { maxLength: 5 }),
        (entries) => {
          const { path, append, close } = journal();
          for (const [n, one] of entries.entries()) {
            append(one);
            expect(readJournal(path)).toEqual(entries.slice(0, n + 1));
          }
          close();
        },
      ),
      { numRuns: draws(10) },
    );
  });

  it('that was cut off at any byte has all entries before the cut, and nothing else', () => {
    const { path, append, close } = journal();
    const whole: number[] = [];
    for (const n of [1, 2, 3]) {
      append(entry(n));
      whole.push(readFileSync(path).length);
    }
    close();
    const bytes = readFileSync(path);
    for (let cut = 0; cut <= bytes.length; cut++) {
      writeFileSync(path, bytes.subarray(0, cut));
      const left = whole.filter((end) => end <= cut).length;
      expect(readJournal(path)).toEqual([entry(1), entry(2), entry(3)].slice(0, left));
    }
  });

  it('has what follows an entry that was cut off at any byte', () => {
    const { path, append, close } = journal();
    append(entry(1));
    close();
    const first = readFileSync(path);
    for (let cut = 0; cut < first.length; cut++) {
      writeFileSync(path, first.subarray(0, cut));
      const file = openSync(path, 'a');
      passwordJournal(file).append(entry(2));
      closeSync(file);
      expect(readJournal(path)).toEqual([entry(2)]);
    }
  });

  it.each([
    ['zeros', '\0'.repeat(500)],
    ['other JSON', '{"uuid":"a","password":"b"}\n[1,2]\n["a"]\n["a",null]\nnull\n7'],
    ['a line break', '\n'],
  ])('ignores %s', (_title, text) => {
    const path = join(folder, 'junk');
    writeFileSync(path, text);
    expect(readJournal(path)).toEqual([]);
  });

  it('is emptied when all of its entries are stored, not before', () => {
    const { path, append, stored, close } = journal();
    append(entry(1));
    append(entry(2));
    stored(1);
    expect(readJournal(path)).toEqual([entry(1), entry(2)]);
    append(entry(3));
    stored(2);
    expect(readFileSync(path, 'utf8')).toBe('');
    append(entry(4));
    expect(readJournal(path)).toEqual([entry(4)]);
    close();
  });

  it.skipIf(process.platform !== 'linux')('on a full disk stops nobody: the identity file stores the password', () => {
    const file = openSync('/dev/full', 'a');
    const { append, stored } = passwordJournal(file);
    append(entry(1));
    stored(1);
    closeSync(file);
  });
});
