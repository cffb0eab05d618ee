import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  controlFileOf,
  lastingToken,
  readControlFile,
  recordedControl,
  writeControlFile,
} from '../../../src/base/storage/control-file.ts';
import { giveAway } from '../../strangers.ts';

/** Above the highest PID that Linux allows by default. */
const NO_PROCESS = 2 ** 22 + 1;

const RECORD = { url: 'http://127.0.0.1:9500', token: 'secret', pid: process.pid, startedAt: '2026-01-31T12:00:00Z' };

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-control-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

/** A listener of another user. */
async function strangersPort(): Promise<{ readonly port: number; readonly close: () => void }> {
  const server = createServer();
  process.seteuid?.(65_534);
  try {
    await once(server.listen(0, '127.0.0.1'), 'listening');
  } finally {
    process.seteuid?.(0);
  }
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

describe('the control file of a fleet', () => {
  it.skipIf(process.geteuid === undefined)(
    'is used only if it and its token are of this user (Windows: no owners)',
    () => {
      const identities = join(folder, 'fleet.db');
      const file = controlFileOf(identities);
      writeControlFile(file, RECORD);
      lastingToken(identities);
      giveAway(file, `${identities}.control-token`);
      for (const use of [
        () => readControlFile(file),
        () => recordedControl(file),
        () => writeControlFile(file, RECORD),
      ])
        expect(use).toThrow(`${file}: expected its owner to be this user, found user `);
      expect(() => lastingToken(identities)).toThrow(
        'fleet.db.control-token: expected its owner to be this user, found user ',
      );
    },
  );

  it.skipIf(!existsSync('/proc/net/tcp'))(
    'is of a fleet that is down if another user listens at its port (Linux)',
    async () => {
      const file = controlFileOf(join(folder, 'fleet.db'));
      const { port, close } = await strangersPort();
      const url = `http://127.0.0.1:${port}`;
      writeControlFile(file, { ...RECORD, url });
      if (process.getuid?.() !== 0) {
        expect(readControlFile(file).url).toBe(url);
        // Also makes the file another user's, which would be refused first.
        close();
        return;
      }
      expect(() => readControlFile(file)).toThrow(new RegExp(`${url} is now of user .*, so the fleet is down`));
      expect(recordedControl(file)).toBeUndefined();
      close();
    },
  );

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
