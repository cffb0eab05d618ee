import { join } from 'node:path';
import { expect, it } from 'vitest';
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
  const run = start(['run', file, '--quiet']);
  while (server.submitted.size < 50) await new Promise((resolve) => setTimeout(resolve, 1));
  run.child.kill('SIGKILL');
  expect((await run.ended).signal).toBe('SIGKILL');

  // Requests in transit when the process died still reach the server.
  while ((await server.connections()) > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const kept = stored(join(folder, 'killed.db'), server.url);
  for (const uuid of server.submitted) expect(kept.get(uuid)).toBe(server.passwords.get(uuid));
  const answerLost = server.passwords.size - kept.size;

  const rest = ['run', file, '--set', 'phases.enroll.duration=1s', '--quiet'];
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
