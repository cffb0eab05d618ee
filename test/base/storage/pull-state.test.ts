import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { UserError } from '../../../src/base/kernel/errors.ts';
import type { ExchangeRecord } from '../../../src/base/protocol/pull.ts';
import { openPullState, type PullState } from '../../../src/base/storage/pull-state.ts';
import { makeAuthority } from '../../../src/wire/poller/authority.ts';
import { onWatchedDisk } from './watched-disk.ts';

const made = await makeAuthority({ systemId: 'a', keyType: 'ecdsa-p256', nowMs: Date.now() });
const other = await makeAuthority({ systemId: 'b', keyType: 'ecdsa-p256', nowMs: Date.now() });
const folders: string[] = [];
const states: PullState[] = [];

afterEach(() => {
  for (const state of states.splice(0)) state.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'muster-pull-'));
  folders.push(folder);
  return join(folder, 'below', 'state');
}

async function open(folder: string): Promise<PullState> {
  const state = await openPullState(folder);
  states.push(state);
  return state;
}

const modeOf = (path: string) => statSync(path).mode & 0o777;

describe('the state of a pulling server', () => {
  it('is accessible only by its owner', async () => {
    const folder = newFolder();
    await (await open(folder)).keepAuthority(made);
    expect(modeOf(folder)).toBe(0o700);
    for (const file of ['server_ca.pem', 'server_ca.key', 'exchanges.sqlite'])
      expect(modeOf(join(folder, file))).toBe(0o600);
  });

  it('keeps authority and exchanges across a restart', async () => {
    const folder = newFolder();
    const first = await open(folder);
    expect(first.authority).toBeUndefined();
    await first.keepAuthority(made);
    const entries = (record: ExchangeRecord, ...addresses: string[]) =>
      addresses.map((address) => ({ address, record }));
    first.remember(entries('signed', '127.0.0.1:1', '[::1]:2', '127.0.0.1:3', '127.0.0.1:4'));
    first.remember([
      ...entries('exchanged', '127.0.0.1:1', '[::1]:2', '127.0.0.1:3'),
      ...entries('lost', '127.0.0.1:3'),
    ]);
    first.close();
    states.pop();
    const again = await open(folder);
    expect(again.authority).toEqual(made);
    expect(again.exchanged).toEqual(new Set(['127.0.0.1:1', '[::1]:2']));
  });

  it('has its authority and folder on disk before agents get certificates', async () => {
    const folder = newFolder();
    const state = await open(folder);
    const log = await onWatchedDisk(() => state.keepAuthority(made));
    for (const file of ['server_ca.key', 'server_ca.pem'])
      expect(log.filter((step) => step.endsWith(file))).toEqual([`write ${file}`, `sync ${file}`, `rename ${file}`]);
    expect(log.at(-1)).toBe('sync state');
    await expect(onWatchedDisk(() => state.keepAuthority(made), 'sync server_ca.key')).rejects.toThrow(UserError);
  });

  it('is used by one server at a time', async () => {
    const folder = newFolder();
    await open(folder);
    await expect(openPullState(folder)).rejects.toThrow(UserError);
  });

  it('names a file that is missing, half-written or of another authority, and leaves all files unchanged', async () => {
    const folder = newFolder();
    const first = await open(folder);
    await first.keepAuthority(made);
    first.remember([{ address: '127.0.0.1:1', record: 'signed' }]);
    first.close();
    states.pop();
    const key = join(folder, 'server_ca.key');
    writeFileSync(key, other.key);
    await expect(openPullState(folder)).rejects.toThrow(`${key} is not the key of`);
    writeFileSync(key, made.key.slice(0, 60));
    await expect(openPullState(folder)).rejects.toThrow(`key file ${key} cannot be used`);
    rmSync(key);
    await expect(openPullState(folder)).rejects.toThrow(`${key} is missing`);
    expect(readFileSync(join(folder, 'server_ca.pem'), 'utf8')).toBe(made.certificate);
  });

  it('is created again if it was only half-written before any agent got certificates', async () => {
    const folder = newFolder();
    const first = await open(folder);
    await first.keepAuthority(made);
    first.close();
    states.pop();
    rmSync(join(folder, 'server_ca.pem'));
    const half = join(folder, '.server_ca.pem.4194999.part');
    writeFileSync(half, '-----BEGIN');
    const again = await open(folder);
    expect(existsSync(half)).toBe(false);
    expect(again.authority).toBeUndefined();
    await again.keepAuthority(other);
    again.close();
    states.pop();
    expect((await open(folder)).authority).toEqual(other);
  });

  it('cannot be inside a file', async () => {
    const folder = newFolder();
    await expect(openPullState(join(import.meta.filename, folder))).rejects.toThrow('cannot be used');
  });
});
