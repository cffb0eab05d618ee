import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import { monotonicClock } from '../../../src/base/runtime/event-loop.ts';
import { WHOLE_FLEET } from '../../../src/load/shard.ts';
import { ALONE, type RunEvent, startRun } from '../../../src/run/run.ts';
import { openShards } from '../../../src/workers/open-shards.ts';
import { scenarioOf } from '../../scenario/read-scenario.ts';
import { runUntil } from './finished-run.ts';
import { rememberingServer } from './remembering-server.ts';
import { stored } from './stored.ts';
import { total } from './sums.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-'));
afterAll(() => rmSync(folder, { recursive: true }));

const FILE = join(folder, 'fleet.db');
/** Runs until all agents are registered and report. */
const run = (target: string) =>
  runUntil(
    `target: { url: "${target}" }
fleet: { agents: 30, payload: lean, profiles: { windows-server-2022: 1 }, identities: ${FILE} }
phases:
  - { name: enroll, duration: 500ms, register: { over: 300ms } }
  - { name: steady, duration: 2m, checkdata: { every: 250ms } }`,
    ({ agents, series }) =>
      agents.registered === 30 && series.some(({ operation, outcomes }) => operation === 'checkdata' && outcomes.ok),
  );

describe('an identity file', () => {
  it('restores the same registered hosts in the next run, also at the embedded server', async () => {
    const [first, second] = [await run('embedded'), await run('embedded')];
    expect(total(first, 'register', 'succeeded')).toBe(30);
    expect(total(second, 'register', 'planned')).toBe(0);
    expect(total(second, 'checkdata', 'succeeded')).toBeGreaterThan(0);
    expect(total(second, 'checkdata', 'failed')).toBe(0);
  });

  it('restores a fleet after lost passwords and new identities, and generates no identity twice', async () => {
    const file = join(folder, 'lost.db');
    const text = `target: { url: embedded }
fleet: { agents: 20, payload: lean, profiles: { windows-server-2022: 1 }, identities: ${file} }
phases:
  - { name: enroll, duration: 500ms, register: { over: 200ms } }
  - { name: steady, duration: 2m, checkdata: { every: 250ms } }
events:
  - { do: lose-password, at: 600ms, cohort: 0..4 }
  - { do: new-identity, at: 600ms, cohort: 5..9 }`;
    const lossy = () => runUntil(text, ({ agents }) => agents.refused === 5 && agents.registered === 15);
    const first = await lossy();
    expect(first.agents).toMatchObject({ refused: 5, registered: 15 });
    const known = stored(file, 'embedded').size;
    const second = await lossy();
    expect(second.agents).toMatchObject({ refused: 5, registered: 15 });
    expect([known, stored(file, 'embedded').size]).toEqual([25, 30]);
    // All start with passwords; only agents that have lost theirs register.
    const registered = second.phases[0]?.operations.find(({ operation }) => operation === 'register');
    expect(registered?.planned ?? 0).toBe(0);
  });

  it('stores passwords for several targets', async () => {
    const before = stored(FILE, 'embedded');
    const { url, passwords, stop } = await rememberingServer();
    await run(url);
    stop();
    expect([before.size, passwords.size]).toEqual([30, 30]);
    expect(stored(FILE, url)).toEqual(passwords);
    expect(stored(FILE, 'embedded')).toEqual(before);
  });

  it('that becomes unwritable ends the run with one sentence', async () => {
    const file = join(folder, 'taken-away.db');
    const text = `
target: { url: embedded }
fleet: { agents: 2, payload: lean, profiles: { windows-server-2022: 1 }, identities: ${file} }
phases: [{ name: enroll, duration: 1m, register: { over: 50ms } }]`;
    const takeAway = (event: RunEvent) => {
      if (event.kind !== 'started') return;
      const other = new DatabaseSync(file);
      other.exec('DROP TABLE credentials');
      other.close();
    };
    const { outcome } = startRun(
      { ...ALONE, scenario: scenarioOf(text), workers: 1, resultsFolder: undefined },
      takeAway,
    );
    const { summary, resultsProblem } = await outcome;
    expect(resultsProblem).toContain(`The identity file ${file} cannot be written: no such table`);
    expect(summary.verdict).toMatchObject({
      kind: 'incomplete',
      reasons: [{ text: resultsProblem }, ...summary.verdict.reasons.slice(1)],
    });
    expect(summary.elapsedMs).toBeLessThan(60_000);
    expect(total(summary, 'register', 'planned')).toBeGreaterThan(0);
  });
});

it('an agent does not use its password before it is stored', async () => {
  const { url, passwords, submitted, stop } = await rememberingServer();
  const scenario = scenarioOf(`
target: { url: "${url}" }
fleet: { agents: 1, payload: lean, profiles: { windows-server-2022: 1 }, identities: ${join(folder, 'slow.db')} }
phases: [{ name: all, duration: 1m, register: { over: 1ms }, checkdata: { every: 100ms } }]`);
  const waiting: (() => void)[] = [];
  const aSecondIsOver = Promise.withResolvers<void>();
  const shards = await openShards(
    {
      scenario,
      shard: WHOLE_FLEET,
      workers: 1,
      localPorts: undefined,
      fileDescriptors: undefined,
      spareDials: 0,
      firstStartedAt: undefined,
      listening: undefined,
      poller: undefined,
      claims: false,
      debug: undefined,
      knownPasswords: () => [],
      openJournal: undefined,
      target: {
        bases: [{ url, addresses: ['127.0.0.1'], reachedFrom: new Map(), loopbackOnly: true, proxy: undefined }],
        tls: { verify: true, ca: undefined },
      },
    },
    {
      frame: () => {
        if (waiting.length > 0) aSecondIsOver.resolve();
      },
      storeCredentials: () => new Promise((stored) => waiting.push(stored)),
      storeFiles: async () => undefined,
      storeExchanges: async () => {},
      restored: () => {},
      copiedPassword: () => {},
      relocate: async () => {},
      claim: async () => [],
      incomplete: () => {},
      traced: async () => {},
      accounted: () => {},
      finished: () => {},
      lost: (_shard, error) => aSecondIsOver.reject(error),
    },
  );
  shards.start(monotonicClock(), Date.now());
  await aSecondIsOver.promise;
  expect([passwords.size, submitted.size]).toEqual([1, 0]);
  waiting[0]?.();
  await expect.poll(() => submitted.size).toBe(1);
  await shards.close();
  stop();
});
