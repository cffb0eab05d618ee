import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uuidOf } from '../../src/wire/agent/identity.ts';
import { countingServer } from '../cluster/counting-server.ts';
import { hasNats, type NatsServer, startNats } from '../cluster/nats-server.ts';
import { folder, type Running, resultsOf, scenario, start } from './muster.ts';

describe.skipIf(!hasNats)('a run on several machines with nats-server', () => {
  let nats: NatsServer;
  let server: Awaited<ReturnType<typeof countingServer>>;
  const running: Running[] = [];
  const joined: Running[] = [];
  const names = [...'abcdefgh'];

  function begin(...args: string[]): Running {
    const one = start(args);
    running.push(one);
    return one;
  }

  async function end(all: readonly Running[], signal: 'SIGKILL' | 'SIGINT' = 'SIGKILL'): Promise<void> {
    for (const { child } of all) child.kill(signal);
    await Promise.all(all.map(({ ended }) => ended));
  }

  async function machine(): Promise<Running> {
    const name = names.shift() ?? '';
    const one = begin('join', nats.url, '--name', name, '--workers', '1');
    await expect.poll(one.words).toContain(`${name} has joined`);
    joined.push(one);
    return one;
  }

  /** So many machines, with the output of each from now on. Those that earlier tests left wait for the next run. */
  async function machines(count: number) {
    const left = joined.filter(({ child }) => child.exitCode === null && child.signalCode === null);
    await end(left.splice(count), 'SIGINT');
    const started = await Promise.all(Array.from({ length: count - left.length }, machine));
    return [...left, ...started].map((one) => {
      const from = one.words().length;
      return { ...one, words: () => one.words().slice(from) };
    });
  }

  /** Number of seconds of a run on disk. */
  function secondsOf(name: string): number {
    const file = join(folder, 'results', name, 'latest', 'timeline.ndjson');
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
  }

  beforeAll(async () => {
    [nats, server] = await Promise.all([startNats(), countingServer()]);
  });

  afterAll(async () => {
    await end(running);
    await nats.close();
    server.stop();
  });

  it('continues when one of them is killed: another takes over its agents with their passwords', async () => {
    const file = scenario(
      'replaced',
      `target: { url: "${server.url}" }
fleet: { agents: 12, seed: 11, payload: lean, identities: hosts.db }
phases:
  - { name: enroll, duration: 4s, register: { over: 3s } }
  - { name: steady, duration: 22s, checkdata: { every: 1s } }
`,
    );
    const three = await machines(3);
    const run = begin('run', file, '--cluster', nats.url, '--machines', '2', '--replace');
    // During the enrollment; the output of a machine shows whether it works or is on standby.
    await expect.poll(() => server.pushes().length, { interval: 5 }).toBeGreaterThan(3);
    await end(three.filter(({ words }) => words().includes('part 1 of 2')));
    const known = new Map(server.pushes());
    const { code, stdout } = await run.ended;
    expect(code).toBe(113);
    expect(stdout).toMatch(/machine \w was lost at \d+s?.*, and \w took over its agents at \d+s: a gap of/);
    // An agent that has used its password keeps it; the answer to any other agent may have been lost on its way to NATS.
    expect(server.again().filter((uuid) => known.has(uuid))).toEqual([]);
    expect(server.registered()).toHaveLength(12);
    expect(server.pushes()).toHaveLength(12);
    for (const [uuid, count] of server.pushes()) expect(count).toBeGreaterThan((known.get(uuid) ?? 0) + 2);
    const { summary } = resultsOf('replaced');
    const parts = summary.machines?.map(({ part, fromMs, toMs }) => [part, fromMs > 0, toMs === undefined]);
    expect(parts).toEqual([
      [1, false, false],
      [1, true, true],
      [2, false, true],
    ]);
    expect(summary.verdict.kind).toBe('incomplete');
  });

  it('tries an agent once whose registration was in flight when its machine was killed, and names it', async () => {
    const late = uuidOf(13, 0);
    const silent = await countingServer('p-', [late]);
    const file = scenario(
      'in-flight',
      `target: { url: "${silent.url}" }
fleet: { agents: 6, seed: 13, payload: lean, identities: in-flight.db }
phases:
  - { name: enroll, duration: 1s, register: { over: 300ms } }
  - { name: steady, duration: 5m, checkdata: { every: 1s } }
`,
    );
    const three = await machines(3);
    const run = begin('run', file, '--cluster', nats.url, '--machines', '2', '--replace');
    await expect.poll(() => silent.pushes().length).toBe(5);
    expect(silent.registered()).toContain(late);
    await end(three.filter(({ words }) => words().includes('part 1 of 2')));
    await expect.poll(silent.again, { timeout: 60_000 }).toEqual([late]);
    const before = new Map(silent.pushes());
    const more = () => silent.pushes().map(([uuid, count]) => count - (before.get(uuid) ?? 0));
    await expect.poll(() => Math.min(...more())).toBeGreaterThan(4);
    expect(silent.again()).toEqual([late]);
    expect(silent.pushes()).toHaveLength(5);
    run.child.kill('SIGINT');
    const { code, stderr } = await run.ended;
    const named =
      /part 1: 1 agent held back, because the server knows them, but their passwords were lost with machine \w, which is no failure of the server: 0;/;
    expect(stderr).toMatch(named);
    expect(code).toBe(105);
    const { verdict, overall } = resultsOf('in-flight').summary;
    expect(verdict.reasons.map(({ text }) => text)).toContainEqual(expect.stringMatching(named));
    const registrations = overall.find(({ operation }) => operation === 'register');
    expect(registrations?.outcomes.http_403).toBe(1);
    silent.stop();
  });

  it('loses nothing and counts nothing twice if NATS restarts twice and its command is killed and repeated twice', async () => {
    server.forget();
    const file = scenario(
      'resumed',
      `target: { url: "${server.url}" }
fleet: { agents: 12, seed: 12, payload: lean }
phases:
  - { name: enroll, duration: 1s, register: { over: 500ms } }
  - { name: steady, duration: 12s, checkdata: { rate: 20/s } }
`,
    );
    const name = 'soak';
    const command = ['run', file, '--cluster', nats.url, '--machines', '2', '--resume', name];
    const [first] = await machines(1);
    const early = begin(...command);
    await expect.poll(() => first?.words()).toContain('part 1 of 2');
    await end([early]);
    await machine();
    const run = begin(...command);
    await expect.poll(() => secondsOf('resumed')).toBeGreaterThan(1);
    expect(run.words()).toContain('run soak on 2 machines');
    const second = await begin('run', '--resume', name, '--cluster', nats.url).ended;
    expect(second).toMatchObject({ code: 104, stderr: expect.stringContaining(`found that ${name} still has one`) });
    await nats.kill();
    await nats.start();
    const before = secondsOf('resumed');
    await expect.poll(() => secondsOf('resumed')).toBeGreaterThan(before);
    await end([run]);
    const resumed = begin(...command);
    await expect.poll(() => secondsOf('resumed')).toBeGreaterThan(0);
    await nats.kill();
    await nats.start();
    const { code } = await resumed.ended;
    expect([0, 111]).toContain(code);
    const { summary } = resultsOf('resumed');
    const steady = summary.phases.find(({ name: phase }) => phase === 'steady')?.operations;
    expect(steady?.map(({ operation, planned }) => [operation, planned])).toEqual([['checkdata', 240]]);
    expect(server.again()).toEqual([]);
    expect(server.pushes().reduce((sum, [, count]) => sum + count, 0)).toBe(
      summary.overall.reduce((sum, one) => (one.operation === 'register' ? sum : sum + one.started), 0),
    );
    expect(summary.verdict.reasons.filter(({ kind }) => kind !== 'invalid')).toEqual([]);
    expect(summary.machines?.map(({ toMs }) => toMs)).toEqual([undefined, undefined]);
  });
});
