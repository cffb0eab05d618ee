import { appendFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UserError } from '../../../src/base/kernel/errors.ts';
import { openRecording, readHostRecording } from '../../../src/recordings/recorder/recording-folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-recording-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const DOCUMENT = { host: 'web', kind: 'checkdata', instantMs: 1000, text: '{"a":"ä"}', secrets: 0 } as const;

function recordTwo(): void {
  const writer = openRecording(folder, false);
  writer.addHost('web', 'id-1');
  writer.addPush({ host: 'web', document: 'checkdata', instantMs: 1200 });
  writer.addDocument(DOCUMENT);
  writer.addDocument({ ...DOCUMENT, kind: 'packages', text: '{"b":1}' });
  writer.close();
}

const log = () => join(folder, 'documents.log');

describe('a recording', () => {
  it('contains what was added, with times', () => {
    recordTwo();
    const { documents, index, tornBytes } = readHostRecording(folder);
    const { secrets: _, ...document } = DOCUMENT;
    expect(documents).toEqual([document, { ...document, kind: 'packages', text: '{"b":1}' }]);
    expect(index.hosts).toMatchObject([{ name: 'web', id: 'id-1', rhythm: { checkdata: [1200], packages: [] } }]);
    expect(tornBytes).toBe(0);
  });

  it('can be extended for the hosts that it already has', () => {
    recordTwo();
    const writer = openRecording(folder, false);
    expect([...writer.hosts]).toEqual([['id-1', 'web']]);
    writer.addDocument({ ...DOCUMENT, instantMs: 2000 });
    writer.close();
    expect(readHostRecording(folder).documents.map(({ instantMs }) => instantMs)).toEqual([1000, 1000, 2000]);
  });

  it('has the same hash in any folder, and another one with another document', () => {
    recordTwo();
    const { hash } = readHostRecording(folder);
    const other = mkdtempSync(join(tmpdir(), 'muster-recording-'));
    const writer = openRecording(other, false);
    writer.addHost('web', 'another id');
    writer.addDocument(DOCUMENT);
    writer.addDocument({ ...DOCUMENT, kind: 'packages', text: '{"b":1}' });
    expect(readHostRecording(other).hash).toBe(hash);
    writer.addDocument({ ...DOCUMENT, instantMs: 3 });
    writer.close();
    expect(readHostRecording(other).hash).not.toBe(hash);
    rmSync(other, { recursive: true });
  });

  it('of a killed recorder has all complete frames; the next recorder cuts the torn end off, and reports it', () => {
    recordTwo();
    const whole = readFileSync(log());
    const last = whole.lastIndexOf('{"kind":"document"');
    for (let size = last + 1; size < whole.length; size += 7) {
      writeFileSync(log(), whole.subarray(0, size));
      const { documents, tornBytes } = readHostRecording(folder);
      expect(documents.map(({ kind }) => kind)).toEqual(['checkdata']);
      expect(tornBytes).toBe(size - last);
    }
    truncateSync(log(), whole.length - 1);
    const writer = openRecording(folder, false);
    expect(writer.tornBytes).toBe(whole.length - 1 - last);
    writer.addDocument({ ...DOCUMENT, instantMs: 5 });
    writer.close();
    expect(readHostRecording(folder).documents.map(({ instantMs }) => instantMs)).toEqual([1000, 5]);
  });

  it('with an incomplete or broken index is read from the log', () => {
    recordTwo();
    writeFileSync(join(folder, 'index.json'), '{"format":1,');
    expect(readHostRecording(folder).documents).toHaveLength(2);
  });

  it('counts all pushes, and keeps the times of the last thousand', () => {
    const writer = openRecording(folder, false);
    writer.addHost('web', 'id-1');
    for (let push = 0; push < 2500; push++) writer.addPush({ host: 'web', document: 'checkdata', instantMs: push });
    writer.close();
    const [host] = readHostRecording(folder).index.hosts;
    expect(host?.pushes).toEqual({ checkdata: 2500, packages: 0 });
    expect(host?.rhythm.checkdata.slice(0, 2)).toEqual([1500, 1501]);
    expect(host?.rhythm.checkdata).toHaveLength(1000);
  });

  it('is not truncated if a frame in the middle claims to be longer than the rest', () => {
    recordTwo();
    const text = readFileSync(log(), 'latin1').replace(/"bytes":\d+/, '"bytes":99999999999');
    writeFileSync(log(), text, 'latin1');
    expect(() => openRecording(folder, false)).toThrow(/expected a frame of a recording at byte \d+/);
    expect(readFileSync(log(), 'latin1')).toBe(text);
  });

  it('is refused in one sentence if its index states impossible sizes or positions', () => {
    recordTwo();
    const file = join(folder, 'index.json');
    const index = readFileSync(file, 'utf8');
    for (const lie of ['"bytes": 999999999999', '"bytes": 3', '"offset": 9999999', '"sizeBytes": 1']) {
      const [key = ''] = lie.split(':');
      writeFileSync(file, index.replace(new RegExp(`${key}: \\d+`), lie));
      expect(() => readHostRecording(folder).documents.map(({ text }) => text)).toThrow(UserError);
    }
  });

  it.skipIf(process.platform === 'win32')('is not read from endless devices', () => {
    recordTwo();
    rmSync(join(folder, 'index.json'));
    symlinkSync('/dev/zero', join(folder, 'index.json'));
    expect(readHostRecording(folder).documents).toHaveLength(2);
    rmSync(log());
    symlinkSync('/dev/zero', log());
    expect(() => readHostRecording(folder)).toThrow(/is not a recording/);
  });

  it('that was changed is refused with the position of the change', () => {
    recordTwo();
    const bytes = readFileSync(log());
    bytes[bytes.length - 3] = (bytes[bytes.length - 3] ?? 0) ^ 1;
    writeFileSync(log(), bytes);
    expect(() => readHostRecording(folder).documents.map(({ text }) => text)).toThrow(
      /expected a document of web at byte \d+, found other bytes/,
    );
    appendFileSync(log(), 'what is this?\n');
    expect(() => readHostRecording(folder)).toThrow(UserError);
  });

  it('is refused with its format if that is unknown, and as invalid without any', () => {
    expect(() => readHostRecording(folder)).toThrow(/is not a recording: expected documents.log in it/);
    writeFileSync(log(), '{"kind":"recording","format":2}\n');
    expect(() => readHostRecording(folder)).toThrow(/has format 2, but this Muster reads 1/);
  });
});
