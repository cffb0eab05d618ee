import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { UserError } from '../../../src/base/kernel/errors.ts';
import { fileText } from '../../../src/base/protocol/agent-files.ts';
import { openAgentFiles } from '../../../src/base/storage/agent-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-agent-files-'));

afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
const newIdentityFile = () => join(folder, `${files++}.db`);

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('the files of agents', () => {
  it('keep bytes that are not UTF-8', async () => {
    const [bytes, identityFile] = [Buffer.from('; gr\xfcn', 'latin1'), newIdentityFile()];
    const store = openAgentFiles(identityFile);
    await store.save([{ hostName: 'a-0', files: { 'config.ini': fileText(bytes) } }]);
    expect(readFileSync(store.where('a-0', 'config.ini'))).toEqual(bytes);
    expect(store.loadAll(['a-0']).get('a-0')).toEqual({ 'config.ini': fileText(bytes) });
  });

  it('are restored after a restart, for the requested agents', async () => {
    const identityFile = newIdentityFile();
    const first = openAgentFiles(identityFile);
    await first.save([
      { hostName: 'web-de-00000', files: { 'agent.key': 'k', 'agent.crt': 'c' } },
      { hostName: 'web-de-00001', files: { 'config.ini': '[default]\n' } },
      { hostName: 'of-another-fleet-00007', files: { 'agent.key': 'x' } },
    ]);
    await first.save([{ hostName: 'web-de-00000', files: { 'agent.crt': 'renewed' } }]);
    const again = openAgentFiles(identityFile).loadAll(['web-de-00000', 'web-de-00001', 'web-de-00002']);
    expect([...again]).toEqual([
      ['web-de-00000', { 'agent.crt': 'renewed', 'agent.key': 'k' }],
      ['web-de-00001', { 'config.ini': '[default]\n' }],
    ]);
  });

  it('are readable only by their owner, in folders next to the identity file', async () => {
    const identityFile = newIdentityFile();
    const store = openAgentFiles(identityFile);
    await store.save([{ hostName: 'a-0', files: { 'agent.key': 'k' } }]);
    await store.saveKeys('rsa-2048', new Map([[3, 'pem']]));
    const root = `${identityFile}.agents`;
    const paths = [root, join(root, 'a-0'), join(root, 'a-0', 'agent.key'), join(root, 'keys', 'rsa-2048-3.pem')];
    expect(paths.map(modeOf)).toEqual(['700', '700', '600', '600']);
    expect(readdirSync(join(root, 'a-0'))).toEqual(['agent.key']);
    expect(store.where('a-0', 'agent.key')).toBe(paths[2]);
    expect(store.whereKey('rsa-2048', 3)).toBe(paths[3]);
  });

  it('stay deleted if a person deleted them, and leftovers of a killed process are ignored', async () => {
    const identityFile = newIdentityFile();
    const store = openAgentFiles(identityFile);
    await store.save([{ hostName: 'a-0', files: { 'agent.key': 'k', 'agent.crt': 'c' } }]);
    unlinkSync(store.where('a-0', 'agent.crt'));
    writeFileSync(store.where('a-0', '.agent.crt.1.part'), 'half');
    expect(openAgentFiles(identityFile).loadAll(['a-0']).get('a-0')).toEqual({ 'agent.key': 'k' });
  });

  it('keep the last text that was saved during other writes', async () => {
    const identityFile = newIdentityFile();
    const store = openAgentFiles(identityFile);
    const texts = Array.from({ length: 20 }, (_, n) => `text ${n}`);
    await Promise.all(texts.map((text) => store.save([{ hostName: 'a-0', files: { 'config.ini': text } }])));
    expect(store.loadAll(['a-0']).get('a-0')).toEqual({ 'config.ini': 'text 19' });
  });

  it('of the key pool are distinguished by type and number', async () => {
    const store = openAgentFiles(newIdentityFile());
    expect([...store.loadKeys('rsa-4096')]).toEqual([]);
    await store.saveKeys(
      'rsa-4096',
      new Map([
        [0, 'a'],
        [11, 'b'],
      ]),
    );
    await store.saveKeys('ecdsa-p256', new Map([[0, 'c']]));
    expect([...store.loadKeys('rsa-4096')].sort()).toEqual([
      [0, 'a'],
      [11, 'b'],
    ]);
  });

  it('contain either the old or the new text at any time of a write, and so after a kill', async () => {
    const identityFile = newIdentityFile();
    const store = openAgentFiles(identityFile);
    const texts = ['a'.repeat(3_000_000), 'b'.repeat(2_000_000)] as const;
    await store.save([{ hostName: 'a-0', files: { 'agent.crt': texts[0] } }]);
    const script = `
      const { openAgentFiles } = await import(${JSON.stringify(resolve('src/base/storage/agent-files.ts'))});
      const store = openAgentFiles(${JSON.stringify(identityFile)});
      for (let n = 0; ; n++) {
        const text = n % 2 ? 'a'.repeat(3000000) : 'b'.repeat(2000000);
        await store.save([{ hostName: 'a-0', files: { 'agent.crt': text } }]);
        process.stdout.write('.');
      }`;
    const path = store.where('a-0', 'agent.crt');
    const isWhole = () => {
      const found = readFileSync(path, 'utf8');
      return texts.some((text) => text === found);
    };
    const words = ['--input-type=module', '-e', script];
    const writer = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
    let writes = 0;
    writer.stdout.on('data', (dots) => {
      writes += dots.length;
    });
    let wasAlwaysWhole = true;
    while (writes < 20 && wasAlwaysWhole) {
      wasAlwaysWhole = isWhole();
      await new Promise((next) => setImmediate(next));
    }
    writer.kill('SIGKILL');
    await once(writer, 'exit');
    expect([wasAlwaysWhole, isWhole()]).toEqual([true, true]);
    expect(store.loadAll(['a-0']).size).toBe(1);
  });
});

describe('an unreadable file', () => {
  it('is reported with agent and file, and left unchanged', async () => {
    const store = openAgentFiles(newIdentityFile());
    await store.save([{ hostName: 'a-0', files: { 'agent.key': 'k' } }]);
    const path = store.where('a-0', 'agent.crt');
    mkdirSync(path);
    expect(() => store.loadAll(['a-0'])).toThrow(UserError);
    expect(() => store.loadAll(['a-0'])).toThrow(/agent a-0 .*agent\.crt cannot be read: EISDIR.*delete it/);
    expect(readFileSync(store.where('a-0', 'agent.key'), 'utf8')).toBe('k');
  });

  it('is reported for a path that is not a folder, and for keys of the pool', async () => {
    const identityFile = newIdentityFile();
    const store = openAgentFiles(identityFile);
    await store.saveKeys('rsa-2048', new Map());
    mkdirSync(`${identityFile}.agents/keys/rsa-2048-0.pem`, { recursive: true });
    writeFileSync(`${identityFile}.agents/a-0`, 'no folder');
    expect(() => store.loadAll(['a-0'])).toThrow(/agent a-0 cannot be used: .*a-0 cannot be read: ENOTDIR/);
    expect(() => store.loadKeys('rsa-2048')).toThrow(/the key pool cannot be used: .*rsa-2048-0\.pem cannot be read/);
  });

  it('fails a save with one sentence, and the next save is tried again', async () => {
    const identityFile = newIdentityFile();
    const store = openAgentFiles(identityFile);
    writeFileSync(`${identityFile}.agents`, 'in the way');
    const save = () => store.save([{ hostName: 'a-0', files: { 'agent.key': 'k' } }]);
    await expect(save()).rejects.toThrow(UserError);
    unlinkSync(`${identityFile}.agents`);
    await save();
    expect(store.loadAll(['a-0']).size).toBe(1);
  });
});
