import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openAgentFiles } from '../../../src/base/storage/agent-files.ts';
import { sweepParts, writeDurably } from '../../../src/base/storage/durable-files.ts';
import { onWatchedDisk } from './watched-disk.ts';

const root = mkdtempSync(join(tmpdir(), 'muster-durable-'));
afterAll(() => rmSync(root, { recursive: true }));

let folders = 0;
const newFolder = () => join(root, `folder-${folders++}`);
const placeIn = (log: readonly string[], step: string) => {
  const place = log.indexOf(step);
  expect(log).toContain(step);
  return place;
};

describe('a file that must survive a power failure', () => {
  it('is written, flushed and renamed, and then its folder is flushed', async () => {
    const folder = newFolder();
    await writeDurably([{ folder, name: 'a', text: 'old' }]);
    const log = await onWatchedDisk(() => writeDurably([{ folder, name: 'a', text: 'new' }]));
    const name = basename(folder);
    expect(log).toEqual([`mkdir ${name}`, 'write a', 'sync a', 'rename a', `sync ${name}`]);
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('new');
  });

  it('has each new folder and its parent flushed, once for any number of files', async () => {
    const [outer, inner] = [newFolder(), 'inner'];
    const files = ['a', 'b', 'c'].map((name) => ({ folder: join(outer, inner), name, text: name }));
    const log = await onWatchedDisk(() => writeDurably(files));
    const flushedFolders = log.filter((step) => /^sync (?![abc]$)/.test(step)).sort();
    expect(flushedFolders).toEqual([inner, basename(outer), basename(root)].map((name) => `sync ${name}`).sort());
    const lastName = Math.max(...['a', 'b', 'c'].map((name) => placeIn(log, `rename ${name}`)));
    for (const step of flushedFolders) expect(placeIn(log, step)).toBeGreaterThan(lastName);
  });

  it.each(['write a', 'sync a', 'rename a'])('keeps its old text if the disk fails at: %s', async (step) => {
    const folder = newFolder();
    await writeDurably([{ folder, name: 'a', text: 'old' }]);
    const write = () => writeDurably([{ folder, name: 'a', text: 'new' }]);
    await expect(onWatchedDisk(write, step)).rejects.toThrow('EIO');
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('old');
  });

  it.each(['sync key', 'sync keys'])('is not reported as stored if the disk fails at: %s', async (step) => {
    const folder = join(newFolder(), 'keys');
    const write = () => writeDurably([{ folder, name: 'key', text: 'new' }]);
    await expect(onWatchedDisk(write, step)).rejects.toThrow('EIO');
  });
});

it("a failed write of an agent's files is reported in one sentence, and the next one is tried again", async () => {
  const store = openAgentFiles(join(newFolder(), 'identities.db'));
  const save = () => store.save([{ hostName: 'a-0', files: { 'agent.key': 'k' } }]);
  await expect(onWatchedDisk(save, 'sync agent.key')).rejects.toThrow(
    /^The agents' files in .* cannot be written: EIO/,
  );
  expect(existsSync(store.where('a-0', 'agent.key'))).toBe(false);
  await save();
  expect(readFileSync(store.where('a-0', 'agent.key'), 'utf8')).toBe('k');
});

it('parts that a killed process left are removed at the next start, and parts of running processes are kept', () => {
  const folder = newFolder();
  mkdirSync(folder, { recursive: true });
  // This number is above the kernel's highest PID.
  const names = [
    '.agent.crt.4194999.part',
    `.agent.crt.${process.pid}.part`,
    'agent.crt',
    '.notes.part',
    '.x.part.4194999',
  ];
  for (const name of names) writeFileSync(join(folder, name), 'half');
  sweepParts(folder, names);
  expect(readdirSync(folder).sort()).toEqual(names.slice(1).sort());
});
