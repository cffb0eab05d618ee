import { afterEach, describe, expect, it } from 'vitest';
import { createRecorder } from '../../../src/metrics/recording/recorder.ts';
import { makeAuthority, openSigner } from '../../../src/wire/poller/authority.ts';
import type { PollerChange, PollerPlan } from '../../../src/wire/poller/plan.ts';
import { createPoller, runPoller } from '../../../src/wire/poller/poller.ts';
import { createPullClient } from '../../../src/wire/transport/pull-client.ts';
import { type AgentServer, agentServer } from './agent-server.ts';

// The five seconds after an exchange pass in a quarter of a second.
const TIMES_FASTER = 20;

const authority = await makeAuthority({ systemId: 'a', keyType: 'ecdsa-p256', nowMs: Date.now() });
const signer = await openSigner(authority, Date.now);
const agents: AgentServer[] = [];
const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  for (const agent of agents.splice(0)) await agent.close();
});

async function agent(answers?: Parameters<typeof agentServer>[0]): Promise<AgentServer> {
  const started = await agentServer(answers);
  agents.push(started);
  return started;
}

/** Stops while an agent switches to TLS, so that no agent takes longer than the server waits. */
function clockOf(polled: readonly AgentServer[]): () => number {
  let nowMs = 0;
  let readMs = performance.now();
  return () => {
    const passedMs = performance.now() - readMs;
    readMs += passedMs;
    if (!polled.some((one) => one.switching())) nowMs += passedMs * TIMES_FASTER;
    return nowMs;
  };
}

type Known = { readonly exchanged?: boolean } & Partial<PollerPlan>;

/** Polls these agents until `end`, and records changes in order. */
function poll(polled: readonly AgentServer[], { exchanged = false, ...rest }: Known = {}) {
  const changes: PollerChange[] = [];
  const stop = new AbortController();
  const clock = clockOf(polled);
  const plan: PollerPlan = {
    agents: polled.map(({ address }, index) => ({ address, index, basicAuth: 'me:secret', exchanged })),
    phases: [{ name: 'main', startMs: 0, durationMs: Number.POSITIVE_INFINITY }],
    security: { kind: 'auto-tls', exchangeAgain: false },
    everyMs: 2000,
    packagesEveryMs: 60_000,
    concurrency: 4,
    configuration: undefined,
    ...rest,
  };
  const poller = createPoller(plan, {
    clock,
    client: createPullClient({ credentials: authority, timeoutMs: 60_000 }),
    signer,
    recorder: createRecorder(),
    remember: () => Promise.resolve(),
    changed: (_agent, change) => changes.push(change),
  });
  const running = runPoller(poller, clock, stop.signal);
  const end = async () => {
    stop.abort();
    await running;
  };
  ends.push(end);
  return {
    changes,
    end,
    heard: (kind: PollerChange['kind']) => expect.poll(() => changes.map((one) => one.kind)).toContain(kind),
  };
}

describe('agents with Auto-TLS', () => {
  it('get working certificates, are configured, and are polled with mutual TLS', async () => {
    const documents = { configuration: '[default]\n', customChecks: '', exporters: '' };
    const one = await agent();
    const { heard } = poll([one], { configuration: { documents, fromMs: undefined } });
    await heard('data');
    expect(one.seen.map(({ secure, method, path }) => [secure, method, path]).slice(0, 4)).toEqual([
      [false, 'GET', '/autotls'],
      [false, 'POST', '/autotls'],
      [true, 'POST', '/config'],
      [true, 'GET', '/'],
    ]);
    await expect.poll(() => one.seen.map(({ path }) => path)).toContain('/packages');
    const authorization = `Basic ${Buffer.from('me:secret').toString('base64')}`;
    expect(one.seen.every(({ headers }) => headers.authorization === authorization)).toBe(true);
  });

  it('are recognized after a restart of the server', async () => {
    const one = await agent();
    const first = poll([one]);
    await first.heard('exchanged');
    await first.end();
    await expect.poll(() => one.secured()).toBe(true);
    const again = poll([one], { exchanged: true });
    await again.heard('data');
    expect(again.changes.map(({ kind }) => kind)).toEqual(['confirmed', 'data']);
    expect(one.seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it('that have lost their certificates are detected, and not polled', async () => {
    const one = await agent();
    const { changes, heard, end } = poll([one], { exchanged: true });
    await heard('not_exchanged');
    await end();
    expect(changes).toEqual([{ kind: 'not_exchanged', failure: 'plain_http', outcome: 'tls_failed' }]);
    expect(one.seen.map(({ path, method }) => `${method} ${path}`)).toEqual(['GET /autotls']);
  });

  it('with certificates of another authority are distinguished from those without any', async () => {
    const one = await agent();
    const other = await makeAuthority({ systemId: 'b', keyType: 'ecdsa-p256', nowMs: Date.now() });
    const first = poll([one]);
    await first.heard('exchanged');
    await first.end();
    await expect.poll(() => one.secured()).toBe(true);
    const client = createPullClient({ credentials: other, timeoutMs: 60_000 });
    const request = {
      address: one.address,
      secure: true,
      path: '/autotls',
      basicAuth: undefined,
      body: undefined,
    } as const;
    const ending = await client.request(request).ending;
    expect(ending).toMatchObject({ kind: 'failure', inHandshake: false });
  });

  it('exchange certificates concurrently', async () => {
    const all = await Promise.all(Array.from({ length: 12 }, () => agent()));
    const { changes } = poll(all);
    await expect.poll(() => changes.filter(({ kind }) => kind === 'data').length).toBe(12);
    expect(changes.filter(({ kind }) => kind === 'exchanged')).toHaveLength(12);
  });
});

describe('agents without Auto-TLS', () => {
  it('are polled over plain HTTP, and a failing one does not affect the others', async () => {
    const good = await agent();
    const bad = await agent({ 'GET /': { status: 403, body: 'Forbidden\n' } });
    const { changes } = poll([good, bad], { security: { kind: 'http' } });
    await expect.poll(() => changes).toHaveLength(2);
    expect(changes).toContainEqual({ kind: 'data' });
    expect(changes).toContainEqual({ kind: 'no_data', outcome: 'http_403' });
  });
});
