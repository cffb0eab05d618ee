import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { UserError } from '../../../src/base/kernel/errors.ts';
import { openIdentityStore } from '../../../src/base/storage/identity-store.ts';
import { passwordJournal } from '../../../src/base/storage/password-journal.ts';
import { giveAway } from '../../strangers.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-identities-'));

afterAll(() => rmSync(folder, { recursive: true }));

const entry = (n: number) => ({ uuid: `uuid-${n}`, password: `password-${n}` });

const WRITE_FOR_A_WHILE = `
  const { parentPort, workerData } = require('node:worker_threads');
  const database = new (require('node:sqlite').DatabaseSync)(workerData);
  database.exec("BEGIN IMMEDIATE; INSERT INTO credentials VALUES ('t', 'other', 'p')");
  parentPort.postMessage('writing');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
  database.exec('COMMIT');
  database.close();
`;

describe('the identity file', () => {
  it('restores passwords after it was closed', () => {
    const path = join(folder, 'kept.db');
    const first = openIdentityStore(path);
    first.save('http://one', [entry(1), entry(2)]);
    first.close();
    const second = openIdentityStore(path);
    expect([...second.entries('http://one')]).toEqual([entry(1), entry(2)]);
    second.close();
  });

  it('waits while another process is writing', async () => {
    const path = join(folder, 'shared.db');
    const store = openIdentityStore(path);
    const other = new Worker(WRITE_FOR_A_WHILE, { eval: true, workerData: path });
    await once(other, 'message');
    store.save('t', [entry(1)]);
    await once(other, 'exit');
    expect([...store.entries('t')].map(({ uuid }) => uuid).sort()).toEqual(['other', 'uuid-1']);
    store.close();
  });

  it('keeps the passwords of different targets apart', () => {
    const store = openIdentityStore(join(folder, 'targets.db'));
    store.save('http://one', [entry(1)]);
    store.save('http://two', [{ uuid: 'uuid-1', password: 'other' }]);
    expect([...store.entries('http://one')]).toEqual([entry(1)]);
    expect([...store.entries('http://two')]).toEqual([{ uuid: 'uuid-1', password: 'other' }]);
    store.close();
  });

  const WHOLE = { index: 0, count: 1 };
  const agents = { target: 'http://one', seed: 1, shard: WHOLE };

  it('is shared by runs of different agents, and refused to a second run of the same agents until the first ends', () => {
    const path = join(folder, 'claimed.db');
    const [first, second] = [openIdentityStore(path), openIdentityStore(path)];
    first.claim(agents);
    expect(() => second.claim(agents)).toThrow(
      /^Another run uses the same agents with the identity file .*claimed\.db \(seed 1\): wait for its end, or /,
    );
    for (const change of [{ target: 'http://two' }, { seed: 2 }]) {
      const other = openIdentityStore(path);
      other.claim({ ...agents, ...change });
      other.close();
    }
    first.close();
    second.claim(agents);
    second.close();
  });

  it('is refused to overlapping shards of one fleet, and shared by disjoint ones', () => {
    const path = join(folder, 'split.db');
    const part = (text: string) => {
      const [number = 0, count = 0] = text.split('/').map(Number);
      return { ...agents, shard: { index: number - 1, count } };
    };
    const held = openIdentityStore(path);
    held.claim(part('1/2'));
    const tryIt = (text: string) => {
      const store = openIdentityStore(path);
      try {
        store.claim(part(text));
        return 'taken';
      } catch (error) {
        return String(error);
      } finally {
        store.close();
      }
    };
    for (const apart of ['2/2', '2/4', '4/4', '6/6']) expect(tryIt(apart)).toBe('taken');
    for (const shared of ['1/1', '1/4', '3/4', '2/3', '5/6']) {
      expect(tryIt(shared)).toContain('Another run uses part 1/2 of the same fleet with the identity file');
    }
    expect(tryIt('2/3')).toContain(
      '(seed 1), and part 2/3 has some of its agents: wait for its end, use the same shards',
    );
    held.close();
    expect(tryIt('1/1')).toBe('taken');
  });

  it('never takes a damaged lock for one that another run holds', () => {
    const path = join(folder, 'damaged.db');
    writeFileSync(`${path}.lock`, 'x'.repeat(200));
    const store = openIdentityStore(path);
    expect(() => store.claim(agents)).toThrow(
      `The lock ${path}.lock cannot be used: file is not a database; remove it`,
    );
    rmSync(`${path}.lock`);
    store.claim(agents);
    store.close();
  });

  it('keeps lock files only for current runs, and for the last ended one', () => {
    const path = join(folder, 'swept.db');
    for (let seed = 0; seed < 5; seed++) {
      const store = openIdentityStore(path);
      store.claim({ ...agents, shard: { index: seed, count: 5 } });
      store.close();
    }
    expect(readdirSync(folder).filter((name) => /^swept\.db\..*of5\.lock$/.test(name))).toHaveLength(1);
  });

  it('stores the newest password of an agent that registered again', () => {
    const store = openIdentityStore(join(folder, 'anew.db'));
    store.save('t', [entry(1)]);
    store.save('t', [{ uuid: 'uuid-1', password: 'new' }]);
    expect([...store.entries('t')]).toEqual([{ uuid: 'uuid-1', password: 'new' }]);
    store.close();
  });

  it('is readable only by its owner, like its write-ahead log', () => {
    const path = join(folder, 'private.db');
    const store = openIdentityStore(path);
    store.save('t', [entry(1)]);
    expect([path, `${path}-wal`].map((file) => (statSync(file).mode & 0o777).toString(8))).toEqual(['600', '600']);
    store.close();
  });

  it('has written a saved password before `save` returns, so that another process can read it', () => {
    const path = join(folder, 'durable.db');
    const writer = openIdentityStore(path);
    writer.save('t', [entry(1)]);
    const reader = openIdentityStore(path);
    expect([...reader.entries('t')]).toEqual([entry(1)]);
    reader.close();
    writer.close();
  });

  it('saves all given entries or none, and can be used after a failure', () => {
    const store = openIdentityStore(join(folder, 'whole.db'));
    const unreadable = {
      uuid: 'uuid-2',
      get password(): string {
        throw new Error('no password');
      },
    };
    expect(() => store.save('t', [entry(1), unreadable, entry(3)])).toThrow(UserError);
    expect([...store.entries('t')]).toEqual([]);
    store.save('t', [entry(4)]);
    expect([...store.entries('t')]).toEqual([entry(4)]);
    store.close();
  });

  it('flushes every commit to disk, so that a password in use survives a power failure', () => {
    const connections = new Set<DatabaseSync>();
    const prepare = DatabaseSync.prototype.prepare;
    const spy = vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (this: DatabaseSync, ...text) {
      connections.add(this);
      return prepare.apply(this, text);
    });
    const store = openIdentityStore(join(folder, 'synced.db'));
    store.save('t', [entry(1)]);
    spy.mockRestore();
    const settings = [...connections].map((connection) => [
      connection.prepare('PRAGMA journal_mode').get(),
      connection.prepare('PRAGMA synchronous').get(),
    ]);
    const FULL = 2;
    expect(settings).toEqual([[{ journal_mode: 'wal' }, { synchronous: FULL }]]);
    store.close();
  });

  it.each([
    ['a folder', folder],
    ['a path through a missing folder', join(folder, 'missing', 'x.db')],
  ])('refuses %s, and names the file', (_title, path) => {
    expect(() => openIdentityStore(path)).toThrow(UserError);
    expect(() => openIdentityStore(path)).toThrow(path);
  });

  it('refuses a file that is not a database, and leaves it unchanged', () => {
    const path = join(folder, 'notes.txt');
    writeFileSync(path, 'my notes, certainly not a database '.repeat(200));
    expect(() => openIdentityStore(path)).toThrow(UserError);
    expect(statSync(path).size).toBe(35 * 200);
  });
});

describe('the journals of an identity file', () => {
  const claim = { target: 't', seed: 1, shard: { index: 0, count: 1 } };

  /** A store that has claimed the agents, in a folder of its own. */
  function claimed(name: string, agents = claim) {
    const path = join(folder, name, 'i.db');
    mkdirSync(dirname(path), { recursive: true });
    const store = openIdentityStore(path);
    const { openJournal } = store.claim(agents);
    const journals = () => readdirSync(dirname(path)).filter((file) => file.endsWith('.journal'));
    return { path, store, openJournal, journals, kept: () => [...store.entries('t')] };
  }

  /** A copy of the files of a store, as a killed process would leave them: nobody holds their locks. */
  function killed({ path }: { readonly path: string }): string {
    const copy = mkdtempSync(join(folder, 'killed-'));
    for (const name of readdirSync(dirname(path))) copyFileSync(join(dirname(path), name), join(copy, name));
    return basename(copy);
  }

  it('are merged by the next start after a kill, the later entry of an agent last, and are then removed', () => {
    const run = claimed('merged');
    run.store.save('t', [entry(1), entry(2)]);
    const threads = Array.from({ length: 11 }, () => passwordJournal(run.openJournal()));
    threads[1]?.append({ ...entry(1), password: 'second' });
    threads[1]?.append({ ...entry(1), password: 'third' });
    threads[9]?.append({ ...entry(3), password: 'of journal 10' });
    threads[8]?.append({ ...entry(3), password: 'of journal 9' });
    threads[10]?.append({ ...entry(2), password: '' });
    const next = claimed(killed(run));
    expect(next.kept()).toEqual([
      { ...entry(1), password: 'third' },
      { ...entry(3), password: 'of journal 10' },
    ]);
    expect(next.journals()).toEqual([]);
    next.store.close();
    run.store.close();
  });

  it('of a run with other parts of the fleet are merged, those of a part that runs and of other fleets are left', () => {
    const first = claimed('parts', { ...claim, shard: { index: 0, count: 2 } });
    passwordJournal(first.openJournal()).append(entry(1));
    const other = claimed('parts', { ...claim, seed: 2 });
    passwordJournal(other.openJournal()).append(entry(2));
    const second = claimed('parts', { ...claim, shard: { index: 1, count: 2 } });
    expect(second.kept()).toEqual([]);
    expect(second.journals()).toHaveLength(2);
    const whole = claimed(killed(first));
    expect(whole.kept()).toEqual([entry(1)]);
    expect(whole.journals()).toHaveLength(1);
    for (const { store } of [whole, second, other, first]) store.close();
  });

  it('are merged and removed when the run ends, also what nobody confirmed', () => {
    const run = claimed('ended');
    const [confirmed, open] = [run.openJournal(), run.openJournal()].map(passwordJournal);
    confirmed?.append(entry(1));
    run.store.save('t', [entry(1)]);
    confirmed?.stored(1);
    open?.append(entry(2));
    run.store.close();
    expect(run.journals()).toEqual([]);
    const next = claimed('ended');
    expect(next.kept()).toEqual([entry(1), entry(2)]);
    next.store.close();
  });

  it('stay if the identity file cannot be written at the end', () => {
    const run = claimed('full');
    passwordJournal(run.openJournal()).append(entry(1));
    const other = new DatabaseSync(run.path);
    other.exec("CREATE TRIGGER full BEFORE INSERT ON credentials BEGIN SELECT RAISE(ABORT, 'full'); END");
    run.store.close();
    expect(run.journals()).toHaveLength(1);
    other.exec('DROP TRIGGER full');
    other.close();
    const next = claimed('full');
    expect(next.kept()).toEqual([entry(1)]);
    next.store.close();
  });

  it('that are older than the start of the machine replace no password', () => {
    const run = claimed('old');
    const journal = passwordJournal(run.openJournal());
    journal.append({ ...entry(1), password: 'old' });
    journal.append({ ...entry(2), password: '' });
    journal.append(entry(3));
    run.store.save('t', [entry(1), entry(2)]);
    const copy = killed(run);
    for (const name of run.journals()) utimesSync(join(folder, copy, name), 1, 1);
    const next = claimed(copy);
    expect(next.kept()).toEqual([entry(1), entry(2), entry(3)]);
    next.store.close();
    run.store.close();
  });

  it('are readable only by their owner', () => {
    const run = claimed('private');
    run.openJournal();
    expect(run.journals().map((name) => statSync(join(dirname(run.path), name)).mode & 0o777)).toEqual([0o600]);
    run.store.close();
  });

  it.skipIf(process.geteuid === undefined)('are taken over only if they are of this user (Windows: no owners)', () => {
    const run = claimed('foreign');
    passwordJournal(run.openJournal()).append(entry(1));
    const copy = join(folder, killed(run));
    run.store.close();
    // The mocked user of `giveAway` owns nothing: a lock would be refused first.
    for (const name of readdirSync(copy)) if (name.endsWith('lock')) rmSync(join(copy, name));
    const [journal = ''] = readdirSync(copy).filter((name) => name.endsWith('.journal'));
    const store = openIdentityStore(join(copy, 'i.db'));
    giveAway(join(copy, journal));
    const path = join(copy, journal);
    expect(() => store.claim(claim)).toThrow(`${path}: expected its owner to be this user, found user `);
    vi.restoreAllMocks();
    expect([...store.entries('t')]).toEqual([]);
    expect(existsSync(path)).toBe(true);
    store.close();
  });

  it('that cannot be created are an error of the user, which names the identity file', () => {
    const run = claimed('taken');
    run.openJournal();
    const [name = ''] = run.journals();
    writeFileSync(join(dirname(run.path), name.replace('1.journal', '2.journal')), '');
    expect(() => run.openJournal()).toThrow(UserError);
    expect(() => run.openJournal()).toThrow(run.path);
    run.store.close();
  });

  it('that cannot be read are an error of the user, which names the identity file, and stay', () => {
    const run = claimed('unread');
    run.openJournal();
    const copy = killed(run);
    const [name = ''] = run.journals();
    run.store.close();
    rmSync(join(folder, copy, name));
    mkdirSync(join(folder, copy, name));
    expect(() => claimed(copy)).toThrow(UserError);
    expect(() => claimed(copy)).toThrow(join(folder, copy, 'i.db'));
    expect(existsSync(join(folder, copy, name))).toBe(true);
  });
});
