import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openLargeFile } from '../../../src/base/storage/text-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-large-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a large file', () => {
  it('is read from any position, up to its end', () => {
    const path = join(folder, 'a.trace');
    writeFileSync(path, '0123456789');
    const file = openLargeFile('trace', path);
    const into = new Uint8Array(4);
    const read = [0, 8, 10].map((position) => [file.read(into, position), Buffer.from(into).toString()]);
    expect([file.sizeBytes, ...read]).toEqual([10, [4, '0123'], [2, '8923'], [0, '8923']]);
    file.close();
  });

  it.each([
    ['missing', () => {}, 'no such file; check the path.'],
    ['a folder', (path: string) => mkdirSync(path), 'expected a file, found a folder, a pipe or a device.'],
    [
      'a pipe, which would wait for a writer',
      (path: string) => spawnSync('mkfifo', [path]),
      'expected a file, found a folder, a pipe or a device.',
    ],
  ])('is refused with its name if it is %s', (name, make, reason) => {
    const path = join(folder, name.slice(0, 8));
    make(path);
    expect(() => openLargeFile('trace', path)).toThrow(`Cannot read the trace ${path}: ${reason}`);
  });
});
