import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  controlFileOf,
  lastingToken,
  readControlFile,
  writeControlFile,
} from '../../../src/ground/storage/control-file.ts';

/** Above the highest PID that Linux allows by default. */
const NO_PROCESS = 2 ** 22 + 1;

const RECORD = { url: 'http://127.0.0.1:9500', token: 'secret', pid: process.pid, startedAt: '2026-01-31T12:00:00Z' };

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-control-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the control file of a fleet', () => {
  it('reads back as written; only its owner may read it, or enter a folder that was made for it', () => {
    const file = controlFileOf(join(folder, 'fleets', 'steady', 'identities.db'));
    writeControlFile(file, RECORD);
    expect(readControlFile(file)).toEqual(RECORD);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'fleets', 'steady')).mode & 0o777).toBe(0o700);
  });

  it('has a token next to it that stays the same, and that only its owner may read', () => {
    const identities = join(folder, 'fleet.db');
    const token = lastingToken(identities);
    expect(lastingToken(identities)).toBe(token);
    expect(statSync(`${identities}.control-token`).mode & 0o777).toBe(0o600);
    writeFileSync(`${identities}.control-token`, 'short');
    expect(() => lastingToken(identities)).toThrow('found 5: remove it');
    // As a power failure may leave it.
    writeFileSync(`${identities}.control-token`, '');
    expect(lastingToken(identities)).toMatch(/^[\w-]{32}$/);
  });

  it('is removed completely, without the files of others in the same folder', () => {
    const { remove } = writeControlFile(controlFileOf(join(folder, 'fleets', 'steady', 'identities.db')), RECORD);
    mkdirSync(join(folder, 'fleets', 'other'));
    remove();
    expect(readdirSync(folder, { recursive: true })).toEqual(['fleets', join('fleets', 'other')]);
  });

  it('replaces another one, even if a process has the number in it', () => {
    const file = join(folder, 'hosts.control.json');
    writeControlFile(file, { ...RECORD, pid: NO_PROCESS });
    expect(() => readControlFile(file)).toThrow(/its process 4194305 has exited, so the fleet is down/);
    writeControlFile(file, RECORD);
    writeControlFile(file, { ...RECORD, pid: process.ppid });
    writeControlFile(file, RECORD);
    expect(readControlFile(file)).toEqual(RECORD);
  });

  it('is not removed by a process whose file was replaced', () => {
    const file = join(folder, 'hosts.control.json');
    const first = writeControlFile(file, { ...RECORD, pid: NO_PROCESS });
    writeControlFile(file, RECORD);
    first.remove();
    expect(existsSync(file)).toBe(true);
  });

  it('is reported in one sentence if it is missing, or if it contains other data', () => {
    const file = join(folder, 'hosts.control.json');
    expect(() => readControlFile(file)).toThrow(/no such file, so this fleet is not running/);
    writeFileSync(file, '{"url":"http://127.0.0.1:1"}');
    expect(() => readControlFile(file)).toThrow(/expected the control file of a fleet, found other data/);
    writeFileSync(file, JSON.stringify({ ...RECORD, url: 'ftp://127.0.0.1:1' }));
    expect(() => readControlFile(file)).toThrow(/expected the control file of a fleet, found other data/);
  });
});
