import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { readJournal } from '../../src/base/storage/password-journal.ts';
import { rememberingServer } from '../run/real-time/remembering-server.ts';
import { stored } from '../run/real-time/stored.ts';
import { outcomes, total } from '../run/real-time/sums.ts';
import { folder, muster, resultsOf, scenario, start, WITHOUT_FAULT } from './muster.ts';

it('an identity file contains every password that was used, even if the process was killed during an enrollment', async () => {
  const server = await rememberingServer();
  const file = scenario(
    'killed',
    `target: { url: "${server.url}" }\nfleet: { agents: 400, payload: lean, profiles: { windows-server-2022: 1 }, identities: ./killed.db }\nphases: [{ name: enroll, duration: 10m, register: { rate: 400/s } }]`,
  );
  const run = start(['run', file, '--quiet', '--workers', '1']);
  while (server.submitted.size < 50) await new Promise((resolve) => setTimeout(resolve, 1));
  run.child.kill('SIGKILL');
  expect((await run.ended).signal).toBe('SIGKILL');

  // Requests in transit when the process died still reach the server.
  while ((await server.connections()) > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const kept = stored(join(folder, 'killed.db'), server.url);
  for (const uuid of server.submitted) expect(kept.get(uuid)).toBe(server.passwords.get(uuid));
  const answerLost = server.passwords.size - kept.size;

  const rest = ['run', file, '--set', 'phases.enroll.duration=1s', '--quiet', '--workers', '1'];
  expect(WITHOUT_FAULT).toContain((await muster(...rest)).code);
  const { summary } = resultsOf('killed');
  // A host that reboots at this time, as one of hundreds may at night, has no agent that could register.
  const asked = total(summary, 'register', 'planned');
  const away = 400 - kept.size - asked;
  expect([0, 1, 2]).toContain(away);
  expect(answerLost - outcomes(summary, 'register', 'http_403')).toBeLessThanOrEqual(away);
  expect(outcomes(summary, 'register', 'http_403')).toBeLessThanOrEqual(answerLost);
  server.stop();
});

it('no password is lost that agents have received while the identity file could not take it, if the process is then killed', async () => {
  const path = join(folder, 'behind.db');
  let writer: DatabaseSync | undefined;
  // The run opens the identity file before its first request.
  const server = await rememberingServer(() => {
    if (writer !== undefined) return;
    writer = new DatabaseSync(path);
    writer.exec('BEGIN IMMEDIATE');
  });
  const file = scenario(
    'behind',
    `target: { url: "${server.url}" }\nfleet: { agents: 60, payload: lean, profiles: { windows-server-2022: 1 }, identities: ./behind.db }\nphases: [{ name: enroll, duration: 10m, register: { over: 200ms } }]`,
  );
  const run = start(['run', file, '--quiet', '--workers', '2']);
  const journals = () => readdirSync(folder).filter((name) => name.endsWith('.journal'));
  const received = () => journals().flatMap((name) => readJournal(join(folder, name)));
  await expect.poll(() => received().length, { interval: 20 }).toBeGreaterThanOrEqual(50);
  run.child.kill('SIGKILL');
  expect((await run.ended).signal).toBe('SIGKILL');
  const issued = received();
  writer?.close();
  expect([stored(path, server.url).size, server.submitted.size]).toEqual([0, 0]);

  const rest = ['run', file, '--set', 'phases.enroll.duration=1s', '--quiet', '--workers', '1'];
  expect(WITHOUT_FAULT).toContain((await muster(...rest)).code);
  const kept = stored(path, server.url);
  for (const { uuid, password } of issued)
    expect([kept.get(uuid), server.passwords.get(uuid)]).toEqual([password, password]);
  expect(journals()).toEqual([]);
  server.stop();
});
