import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { openIdentityStore } from '../../src/storage/identity-store.ts';
import { folder, muster, outcomes, resultsOf, scenario, start, total, WITHOUT_FAULT } from './muster.ts';

/** A server that remembers whom it admitted and who came back with the right password. */
async function rememberingServer() {
  const passwords = new Map<string, string>();
  const submitted = new Set<string>();
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request)) as { agentuuid: string; password: string };
    const answer = (status: number, value: object): void => {
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
    };
    if (request.url?.endsWith('register_agent.json') !== true) {
      const known = passwords.get(body.agentuuid) === body.password;
      if (known) submitted.add(body.agentuuid);
      return answer(known ? 200 : 400, known ? { received_checks: 1 } : { error: 'unknown' });
    }
    if (passwords.has(body.agentuuid)) return answer(403, { error: 'taken' });
    const password = `p-${passwords.size}`;
    passwords.set(body.agentuuid, password);
    answer(201, { agentuuid: body.agentuuid, password });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passwords,
    submitted,
    connections: () => new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count))),
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function stored(file: string, target: string): Map<string, string> {
  const store = openIdentityStore(join(folder, file));
  const passwords = store.load(target);
  store.close();
  return passwords;
}

const fleetOf = (agents: number, file: string): string =>
  `fleet: { agents: ${agents}, payload: lean, identities: ./${file} }\n`;

describe('an identity file', () => {
  it('brings the same registered hosts back in the next run, at the embedded server too', async () => {
    const file = scenario(
      'again',
      `${fleetOf(30, 'again.db')}phases:
  - { name: enrol, duration: 500ms, register: { over: 300ms } }
  - { name: steady, duration: 500ms, checkdata: { every: 250ms } }
`,
    );
    expect(WITHOUT_FAULT).toContain((await muster('run', file, '--quiet')).code);
    expect(total(resultsOf('again').summary, 'register', 'succeeded')).toBe(30);
    expect(WITHOUT_FAULT).toContain((await muster('run', file, '--quiet')).code);
    const { summary } = resultsOf('again');
    expect(total(summary, 'register', 'planned')).toBe(0);
    expect(total(summary, 'checkdata', 'planned')).toBe(60);
    expect(total(summary, 'checkdata', 'failed')).toBe(0);
  });

  it('holds every password that was used, even if the process was killed in the middle of an enrolment', async () => {
    const server = await rememberingServer();
    const file = scenario(
      'killed',
      `target: { url: "${server.url}" }\n${fleetOf(400, 'killed.db')}phases: [{ name: enrol, duration: 10m, register: { rate: 400/s } }]`,
    );
    const run = start(['run', file, '--quiet']);
    while (server.submitted.size < 50) await new Promise((resolve) => setTimeout(resolve, 1));
    run.child.kill('SIGKILL');
    expect((await run.ended).signal).toBe('SIGKILL');

    // What was on its way when the process died still reaches the server.
    while ((await server.connections()) > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const kept = stored('killed.db', server.url);
    for (const uuid of server.submitted) expect(kept.get(uuid)).toBe(server.passwords.get(uuid));
    const answerLost = server.passwords.size - kept.size;

    const rest = ['run', file, '--set', 'phases.enrol.duration=1s', '--quiet'];
    expect(WITHOUT_FAULT).toContain((await muster(...rest)).code);
    const { summary } = resultsOf('killed');
    // A host that reboots just then, as one of hundreds may at night, has no agent that could ask.
    const asked = total(summary, 'register', 'planned');
    const away = 400 - kept.size - asked;
    expect([0, 1, 2]).toContain(away);
    expect(answerLost - outcomes(summary, 'register', 'http_403')).toBeLessThanOrEqual(away);
    expect(outcomes(summary, 'register', 'http_403')).toBeLessThanOrEqual(answerLost);
    server.stop();
  });

  it('serves several targets', async () => {
    const [one, two] = [await rememberingServer(), await rememberingServer()];
    const file = scenario(
      'shared',
      `target: { url: "\${MUSTER_TARGET}" }\n${fleetOf(5, 'shared.db')}phases: [{ name: enrol, register: { over: 100ms } }]`,
    );
    for (const { url } of [one, two]) await muster('run', file, '--target', url, '--quiet');
    expect([one, two].map(({ url, passwords }) => [stored('shared.db', url).size, passwords.size])).toEqual([
      [5, 5],
      [5, 5],
    ]);
    one.stop();
    two.stop();
  });
});
