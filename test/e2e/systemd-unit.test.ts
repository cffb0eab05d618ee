import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { freeRange } from '../run/listening/running-fleet.ts';
import { rememberingServer } from '../run/real-time/remembering-server.ts';
import { COMMAND, folder } from './muster.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../examples');
const AGENTS = 60;

/** The settings of the unit by name, with its folders below the test's folder and with free ports. */
function unitSettings(): ReadonlyMap<string, string> {
  const text = readFileSync(join(EXAMPLES, 'systemd/muster-fleet.service'), 'utf8')
    .replaceAll('/etc/muster', join(folder, 'etc'))
    .replaceAll('/var/lib/muster', join(folder, 'state'))
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:0');
  return new Map([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, key = '', value = '']) => [key, value]));
}

/** Starts the unit like systemd: in its working directory, with only a PATH and the variables of its file. */
function startUnit(settings: ReadonlyMap<string, string>): ChildProcess {
  const [program = '', ...words] = settings.get('ExecStart')?.split(' ') ?? [];
  const file = settings.get('EnvironmentFile')?.replace(/^-/, '') ?? '';
  const variables = Object.fromEntries(
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line.includes('='))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  const PATH = `${join(folder, 'bin')}:/usr/bin:/bin`;
  return spawn(program, words, { cwd: settings.get('WorkingDirectory'), env: { PATH, ...variables }, stdio: 'ignore' });
}

it('the fleet of the unit in examples/systemd survives kill -9, and exits with 0 on SIGTERM, so that systemd does not restart it', async () => {
  for (const name of ['bin', 'etc', 'state']) mkdirSync(join(folder, name));
  const command = join(folder, 'bin/muster');
  writeFileSync(command, `#!/bin/sh\nexec ${COMMAND.map((word) => `'${word}'`).join(' ')} "$@" --workers 1\n`);
  chmodSync(command, 0o755);
  const server = await rememberingServer();
  const staging = readFileSync(join(EXAMPLES, 'staging.yaml'), 'utf8')
    .replace('127.0.0.1:20000+', freeRange())
    .replace('rate: 20/s', 'over: 1s')
    .replace('every: 30s', 'every: 500ms');
  writeFileSync(join(folder, 'etc/staging.yaml'), staging);
  const variables = ['MUSTER_API_KEY=staging', `MUSTER_TARGET=${server.url}`, 'MUSTER_CONTROL_TOKEN=of-the-unit'];
  writeFileSync(join(folder, 'etc/fleet.env'), `${variables.join('\n')}\n`);
  const settings = unitSettings();
  const record = join(folder, 'state/identities.db.control.json');

  const first = startUnit(settings);
  await expect.poll(() => server.submitted.size).toBe(AGENTS);
  const { url, token, pid } = JSON.parse(readFileSync(record, 'utf8'));
  expect([token, pid]).toEqual(['of-the-unit', first.pid]);
  expect((await fetch(`${url}/api/v1/fleet`, { headers: { authorization: 'Bearer of-the-unit' } })).status).toBe(200);
  first.kill('SIGKILL');
  expect(await once(first, 'exit')).toEqual([null, 'SIGKILL']);
  // After a reboot, the number in the stale control file belongs to another process. The power fails again at any time.
  for (const afterMs of [150, 700, 1900]) {
    writeFileSync(record, JSON.stringify({ url, token, pid: process.pid, startedAt: new Date().toISOString() }));
    const again = startUnit(settings);
    await setTimeout(afterMs);
    again.kill('SIGKILL');
    expect(await once(again, 'exit')).toEqual([null, 'SIGKILL']);
  }

  // Restart=on-failure
  server.submitted.clear();
  const second = startUnit(settings);
  await expect.poll(() => server.submitted.size).toBe(AGENTS);
  expect(server.passwords.size).toBe(AGENTS);
  second.kill('SIGTERM');
  expect(await once(second, 'exit')).toEqual([0, null]);
  expect(existsSync(record)).toBe(false);
  expect(readdirSync(folder).sort()).toEqual(['bin', 'etc', 'state']);
  expect(readdirSync(join(folder, 'etc')).sort()).toEqual(['fleet.env', 'staging.yaml']);
  server.stop();
});
