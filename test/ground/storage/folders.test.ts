import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../../../src/ground/storage/whole-files.ts';

describe('a folder', () => {
  const root = mkdtempSync(join(tmpdir(), 'muster-folders-'));

  it('is created with those above it, and the first one is returned', () => {
    expect(makeFolder(join(root, 'a/b/c'))).toBe(join(root, 'a'));
    expect(existsSync(join(root, 'a/b/c'))).toBe(true);
    expect(makeFolder(join(root, 'a/b/d'))).toBe(join(root, 'a/b/d'));
  });

  it('that exists is left alone', () => {
    expect(makeFolder(root)).toBeUndefined();
    expect(makeFolder('/')).toBeUndefined();
  });

  it('is not created below a file, or in place of one', () => {
    writeFileSync(join(root, 'file'), '');
    expect(() => makeFolder(join(root, 'file'))).toThrow('EEXIST');
    expect(() => makeFolder(join(root, 'file/below/it'))).toThrow('ENOTDIR');
  });

  it.runIf(existsSync('/proc/self'))('is refused where none can be created, without trying again and again', () => {
    expect(() => makeFolder('/proc/results/quickstart')).toThrow('ENOENT');
  });
});
