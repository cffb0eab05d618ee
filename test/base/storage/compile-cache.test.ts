import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openCompileCache } from '../../../src/base/storage/compile-cache.ts';
import { giveAway } from '../../strangers.ts';

let home = '';
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'muster-cache-')));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(home, { recursive: true });
});

const opened = (folder = home) => openCompileCache({ XDG_CACHE_HOME: folder });

function pathOf(cache: ReturnType<typeof openCompileCache>): string {
  if (cache.kind !== 'folder') throw new Error(`expected a folder, found ${JSON.stringify(cache)}`);
  return cache.path;
}

describe('the folder for compiled code', () => {
  it("is in the user's cache folder, for its owner alone", () => {
    const path = pathOf(opened());
    expect(dirname(path)).toBe(join(home, 'muster', 'compiled'));
    for (const folder of [path, dirname(path), join(home, 'muster')]) expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(pathOf(opened())).toBe(path);
  });

  it('keeps the two versions that were used last', () => {
    const compiled = join(home, 'muster', 'compiled');
    for (const [days, name] of [
      [3, 'oldest'],
      [1, 'newer'],
      [2, 'older'],
    ] as const) {
      mkdirSync(join(compiled, name), { recursive: true, mode: 0o700 });
      const used = new Date(Date.now() - days * 86_400_000);
      utimesSync(join(compiled, name), used, used);
    }
    const own = pathOf(opened());
    expect(
      readdirSync(compiled)
        .map((name) => join(compiled, name))
        .sort(),
    ).toEqual([own, join(compiled, 'newer')].sort());
  });

  it('starts anew when it has more than 4000 files', () => {
    const own = pathOf(opened());
    const part = join(own, 'v26-x64');
    mkdirSync(part);
    writeFileSync(join(part, '0'), '');
    // Links are made and removed in a third of the time of files.
    for (let file = 1; file <= 4000; file++) linkSync(join(part, '0'), join(part, `${file}`));
    expect(pathOf(opened())).toBe(own);
    expect(readdirSync(own)).toEqual([]);
  });

  it('is not used, and its path and owner are named, if another user owns it or a folder above it', () => {
    const own = pathOf(opened());
    giveAway(join(home, 'muster'), own);
    expect(opened()).toEqual({ kind: 'foreign', problem: expect.stringMatching(/ is of user .*\d+\)?$/) });
  });

  it('is not used if others may write it or a folder above it, except into a sticky one', () => {
    const own = pathOf(opened());
    chmodSync(home, 0o777);
    expect(opened()).toEqual({ kind: 'foreign', problem: `other users may write ${home}` });
    chmodSync(home, 0o1777);
    expect(opened().kind).toBe('folder');
    chmodSync(own, 0o1777);
    expect(opened()).toEqual({ kind: 'foreign', problem: `other users may write ${own}` });
  });

  it('does not exist without a home on a disk: relative, missing, a device, or in /proc', () => {
    for (const folder of ['relative', '/dev/null', '/proc/muster', '/dev/null/below'])
      expect(opened(folder)).toEqual({ kind: 'none' });
  });

  it('is found through an own link', () => {
    mkdirSync(join(home, 'disk'));
    symlinkSync(join(home, 'disk'), join(home, 'link'));
    expect(pathOf(opened(join(home, 'link')))).toContain(join(home, 'disk', 'muster'));
  });
});
