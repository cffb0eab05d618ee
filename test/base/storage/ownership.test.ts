import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openAgentFiles } from '../../../src/base/storage/agent-files.ts';
import { openIdentityStore } from '../../../src/base/storage/identity-store.ts';
import { assertOwn } from '../../../src/base/storage/ownership.ts';
import { openPullState } from '../../../src/base/storage/pull-state.ts';
import { assertReportWritable, partOf, writeReport, writeWhole } from '../../../src/base/storage/whole-files.ts';
import { openRecording } from '../../../src/recordings/recorder/recording-folder.ts';
import { findRuns } from '../../../src/results/find-runs.ts';
import { openResultFolder } from '../../../src/results/folder.ts';
import { openEventLog } from '../../../src/staging/fleet/event-log.ts';
import { giveAway } from '../../strangers.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-owners-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

function planted(name: string): string {
  const path = join(folder, name);
  writeFileSync(path, '');
  giveAway(path);
  return path;
}

const FOREIGN = (path: string) => `${path}: expected its owner to be this user, found user `;

describe.skipIf(process.geteuid === undefined)('what another user could have put there (Windows: no owners)', () => {
  it('is refused with its path and owner; nothing there, and an own file, are not', () => {
    const own = join(folder, 'own');
    assertOwn(own, 'remove it');
    writeFileSync(own, '');
    assertOwn(own, 'remove it');
    const path = planted('planted');
    expect(() => assertOwn(path, 'remove it')).toThrow(
      /^.*planted: .* found user .*\d+\)?; act as that user, or remove it$/,
    );
  });

  it('is refused if everyone may write it, or a link leads to it', () => {
    const open = join(folder, 'open');
    writeFileSync(open, '');
    chmodSync(open, 0o666);
    expect(() => assertOwn(open, 'remove it')).toThrow(`${open}: expected a file that its owner alone may write`);
    symlinkSync(planted('planted'), join(folder, 'link'));
    expect(() => assertOwn(join(folder, 'link'), 'remove it')).toThrow(FOREIGN(join(folder, 'link')));
  });

  it('is no identity file, nor a file that SQLite reads with it, nor its lock', () => {
    for (const suffix of ['', '-wal', '-journal']) {
      const path = planted(`ids${suffix}.db${suffix}`);
      expect(() => openIdentityStore(path.slice(0, path.length - suffix.length))).toThrow(FOREIGN(path));
    }
    vi.restoreAllMocks();
    const store = openIdentityStore(join(folder, 'mine.db'));
    const lock = planted('mine.db.lock');
    const agents = { target: 'http://one', seed: 1, shard: { index: 0, count: 1 } };
    expect(() => store.claim(agents)).toThrow(FOREIGN(lock));
    store.close();
  });

  it('is no event log, no file of an agent, no certificate authority and no recording', async () => {
    const log = planted('events.yaml');
    expect(() => openEventLog(log, { name: 'a', seed: 1 })).toThrow(FOREIGN(log));
    const agents = planted('ids.db.agents');
    expect(() => openAgentFiles(join(folder, 'ids.db'))).toThrow(FOREIGN(agents));
    const key = planted('server_ca.key');
    await expect(openPullState(folder)).rejects.toThrow(FOREIGN(key));
    const frames = planted('documents.log');
    expect(() => openRecording(folder, false)).toThrow(FOREIGN(frames));
  });

  it('is no folder for results, and no run among them', () => {
    const results = join(folder, 'results');
    const request = {
      outDir: results,
      scenarioName: 'steady',
      seed: 1,
      startedAt: new Date(0),
      part: undefined,
      scenarioText: '',
      startOf: () => ({}),
      factsOf: () => ({}),
    } as unknown as Parameters<typeof openResultFolder>[0];
    mkdirSync(join(results, 'steady', 'planted'), { recursive: true });
    writeFileSync(join(results, 'steady', 'planted', 'summary.json'), '{}');
    // Otherwise, all of the folder is that of one other user, as of a colleague.
    if (process.getuid?.() === 0) {
      giveAway(join(results, 'steady', 'planted'));
      expect(() => findRuns(results)).not.toThrow();
      expect(findRuns(results)).toMatchObject({
        found: [],
        unreadable: [{ reason: expect.stringContaining('found user') }],
      });
    }
    giveAway(join(results, 'steady'));
    expect(() => openResultFolder(request)).toThrow(
      /results(\/steady)?: expected its owner to be this user, found user/,
    );
  });

  it('is not written through: a temporary file is a new one, and a report follows only own links', () => {
    const [file, precious] = [join(folder, 'file'), join(folder, 'precious')];
    writeFileSync(precious, 'mine');
    symlinkSync(precious, partOf(file));
    writeWhole(file, 'text', { mode: 0o600 });
    expect([readFileSync(precious, 'utf8'), readFileSync(file, 'utf8')]).toEqual(['mine', 'text']);
    expect(lstatSync(file).isFile() && !existsSync(partOf(file))).toBe(true);
    symlinkSync(precious, join(folder, 'own.html'));
    writeReport(join(folder, 'own.html'), 'report');
    expect(readFileSync(precious, 'utf8')).toBe('report');
  });
});

// A link can be given away only by root.
it.skipIf(process.getuid?.() !== 0)('a report is not written through the link of another user (as root)', async () => {
  const { lchownSync } = await import('node:fs');
  const link = join(folder, 'planted.html');
  symlinkSync(join(folder, 'precious'), link);
  lchownSync(link, 65_534, 65_534);
  for (const write of [() => assertReportWritable(link), () => writeReport(link, 'report')])
    expect(write).toThrow(`cannot write ${link}: it belongs to user `);
  expect(existsSync(join(folder, 'precious'))).toBe(false);
});
