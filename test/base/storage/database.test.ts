import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import { type DatabaseSettings, inTransaction, openDatabase } from '../../../src/base/storage/database.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-database-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
const freshFile = () => join(folder, `${files++}.db`);
const SETTINGS: DatabaseSettings = {
  synchronous: 'FULL',
  locking: 'NORMAL',
  table: 'CREATE TABLE t (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID',
};

const names = (database: DatabaseSync) =>
  database
    .prepare('SELECT name FROM t')
    .all()
    .map(({ name }) => name);
const insert = (database: DatabaseSync, name: string) => database.prepare('INSERT INTO t VALUES (?)').run(name);

function fileWith(content: readonly string[]): string {
  const path = freshFile();
  const database = openDatabase(path, SETTINGS);
  inTransaction(database, () => {
    for (const name of content) insert(database, name);
  });
  database.close();
  return path;
}

describe('a database', () => {
  it.each([
    ['FULL', 2],
    ['NORMAL', 1],
  ] as const)('is opened with the requested durability: %s', (synchronous, level) => {
    const database = openDatabase(freshFile(), { ...SETTINGS, synchronous });
    expect(database.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: level });
    database.close();
  });

  it('keeps nothing of a failed transaction, and can be written afterwards', () => {
    const database = openDatabase(freshFile(), SETTINGS);
    const write = () =>
      inTransaction(database, () => {
        insert(database, 'a');
        throw new Error('the disk is full');
      });
    expect(write).toThrow('the disk is full');
    inTransaction(database, () => void insert(database, 'b'));
    expect(names(database)).toEqual(['b']);
    database.close();
  });

  it('that everyone could read is readable only by its owner once it was opened', () => {
    const path = fileWith(['a']);
    chmodSync(path, 0o644);
    openDatabase(path, SETTINGS).close();
    expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
  });

  it('of another program is refused and left unchanged', () => {
    const path = freshFile();
    const foreign = new DatabaseSync(path);
    foreign.exec('CREATE TABLE bookmarks (url TEXT); PRAGMA user_version = 7');
    foreign.close();
    const before = readFileSync(path);
    expect(() => openDatabase(path, SETTINGS)).toThrow('it belongs to another program');
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('records the version of its tables, and one of a newer Muster is refused and left unchanged', () => {
    const path = fileWith(['a']);
    const database = new DatabaseSync(path);
    expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: 1 });
    database.exec('ALTER TABLE t ADD COLUMN more TEXT; PRAGMA user_version = 2; PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
    const before = readFileSync(path);
    expect(() => openDatabase(path, SETTINGS)).toThrow('it has version 2, of a newer Muster');
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('is refused if it is damaged', () => {
    const path = fileWith(Array.from({ length: 2000 }, (_, i) => `name ${i}`));
    const bytes = readFileSync(path);
    bytes.fill(0xff, 5000, 20_000);
    writeFileSync(path, bytes);
    expect(() => openDatabase(path, SETTINGS)).toThrow(/damaged|malformed/);
  });
});
