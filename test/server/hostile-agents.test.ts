import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ATTACK_NAMES, type AttackEnding, type AttackName } from '../../src/base/protocol/attacks.ts';
import { USER_AGENT } from '../../src/base/protocol/push.ts';
import { realTimer } from '../../src/base/runtime/event-loop.ts';
import { type MonitoringServer, startMonitoringServer } from '../../src/server/start.ts';
import { createAttackBudget } from '../../src/wire/transport/hostile/attack-budget.ts';
import { createHostileClient } from '../../src/wire/transport/hostile/hostile-client.ts';
import { type AttackAnswer, DOCUMENTED_ANSWERS } from '../wire/transport/hostile/documented.ts';
import { SETTINGS } from '../wire/transport/wire.ts';
import { push } from './push-client.ts';

const uuid = '11111111-1111-4111-8111-111111111111';
const password = 'secret';

/** Attacks that end by the server's time limit for a request, which is short only for them. */
const SLOW: readonly AttackName[] = ['slow-head', 'slow-body', 'hoarded-connections'];
const SHORT = { headMs: 300, requestMs: 300, idleMs: 65_000, drainMs: 100 };

let strangers = 0;

/** Starts an attack by an agent that the server knows, and that leaves on request. */
function begin({ url }: MonitoringServer, how: AttackName) {
  const { promise: ending, resolve } = Promise.withResolvers<AttackEnding>();
  const client = createHostileClient(
    { ...SETTINGS, baseUrl: url, userAgent: USER_AGENT, tls: { verify: false, ca: undefined } },
    {
      clock: () => performance.now(),
      budget: createAttackBudget(() => performance.now(), 1),
      // Delays of up to a second are skipped.
      timer: (delayMs, act) => realTimer(delayMs > 1000 ? delayMs : 0, act),
      ended: (_agent, report) => resolve(report.ending),
    },
  );
  const strangeUuid = `22222222-2222-4222-8222-${String(++strangers).padStart(12, '0')}`;
  const agent = { agent: 0, uuid, password, strangeUuid };
  client.attack(how, { ...agent, checkdata: (ageMs) => Buffer.from(JSON.stringify(submission(Date.now() - ageMs))) });
  return { ending, leave: client.close };
}

function submission(instantMs: number): object {
  const agent = {
    last_updated: `${new Date(instantMs).toISOString().slice(0, 19).replace('T', ' ')}.0 +0000 UTC`,
    last_updated_timestamp: Math.floor(instantMs / 1000),
  };
  return { checkdata: { agent, text: 'x'.repeat(500) }, agentuuid: uuid, password };
}

function endingOf(answer: AttackAnswer | undefined): object {
  if (typeof answer !== 'number') return { kind: answer };
  return { kind: answer < 300 ? 'accepted' : 'refused', status: answer };
}

describe.each(['documented', 'shipped'] as const)('the %s dialect', (dialect) => {
  let server: MonitoringServer;
  let hasty: MonitoringServer;
  let secure: MonitoringServer;
  const registrations = [{ uuid, password }];
  beforeAll(async () => {
    server = await startMonitoringServer({ dialect, registrations });
    hasty = await startMonitoringServer({ dialect, registrations, timeouts: SHORT });
    secure = await startMonitoringServer({ dialect, registrations, timeouts: SHORT, tls: { kind: 'self_signed' } });
  });
  afterAll(async () => {
    for (const each of [server, hasty, secure]) await each.stop();
  });

  it.each(ATTACK_NAMES)(
    'ends %s with the outcome in the table, and serves another agent in the meantime',
    async (how) => {
      const answer = DOCUMENTED_ANSWERS.get(how)?.[dialect];
      const attacked = SLOW.includes(how) ? hasty : server;
      const { ending, leave } = begin(attacked, how);
      expect(await push(attacked.url, 'submit_checkdata', submission(Date.now()))).toMatchObject({ status: 200 });
      if (answer === 'unanswered') leave();
      expect(await ending).toMatchObject(endingOf(answer));
      expect(attacked.counts().internalErrors).toBe(0);
    },
  );

  it('closes a connection with an unfinished TLS handshake', async () => {
    expect(await begin(secure, 'half-handshake').ending).toEqual({ kind: 'closed' });
  });

  it.each(['broken-json', 'slow-head', 'huge-head'] as const)(
    'ends %s over TLS as it does without TLS',
    async (how) => {
      const status = DOCUMENTED_ANSWERS.get(how)?.[dialect];
      expect(await begin(secure, how).ending).toEqual({ kind: 'refused', status });
    },
  );

  it.each(['double-registration', 'overlong-uuid'] as const)('keeps at most one new agent after %s', async (how) => {
    const before = server.counts().registrations;
    await begin(server, how).ending;
    expect(server.counts().registrations - before).toBe(how === 'overlong-uuid' ? 0 : 1);
  });
});
