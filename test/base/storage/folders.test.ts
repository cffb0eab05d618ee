import {
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
import { describe, expect, it } from 'vitest';
import { NotWrittenError } from '../../../src/base/kernel/errors.ts';
import { assertReportWritable, makeFolder, writeReport } from '../../../src/base/storage/whole-files.ts';

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

describe('a report', () => {
  const root = mkdtempSync(join(tmpdir(), 'muster-reports-'));
  const at = (name: string): string => join(root, name);

  it('goes through a link, which stays a link', () => {
    writeFileSync(at('file'), 'before');
    symlinkSync('file', at('link'));
    assertReportWritable(at('link'));
    writeReport(at('link'), 'after');
    expect(lstatSync(at('link')).isSymbolicLink()).toBe(true);
    expect(readFileSync(at('file'), 'utf8')).toBe('after');
  });

  // Through a link, so that a mistake does not replace the device of this machine.
  it.runIf(existsSync('/dev/null'))('goes to a device, which stays a device', () => {
    symlinkSync('/dev/null', at('device'));
    writeReport(at('device'), 'gone');
    expect(lstatSync(at('device')).isSymbolicLink()).toBe(true);
  });

  it('below a file is refused before anything is measured', () => {
    writeFileSync(at('other'), '');
    expect(() => assertReportWritable(at('other/report'))).toThrow(/^cannot write .*other\/report: not a directory; /);
  });

  it('that can no longer be written is another error than a wrong flag', () => {
    mkdirSync(at('folder'));
    assertReportWritable(at('folder/report'));
    rmSync(at('folder'), { recursive: true });
    expect(() => writeReport(at('folder/report'), '')).toThrow(NotWrittenError);
  });
});
