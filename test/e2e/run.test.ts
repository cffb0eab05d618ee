import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { muster, resultsOf, scenario, start, total, WITHOUT_FAULT } from './muster.ts';

const FLEET = 'fleet: { agents: 40, payload: lean }';
const ENROL_AND_REPORT = `
phases:
  - { name: enrol, register: { rate: 100/s } }
  - { name: steady, duration: 1s, authorize: { rate: 20/s }, checkdata: { every: 500ms, jitter: 0.2 }, packages: { every: 1h, first: 100ms } }
`;

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

/** A server of the test's own; without an answer it keeps every request waiting. */
async function listen(answer?: { status: number; body: string }): Promise<{
  url: string;
  seen: () => number;
  connections: () => number;
}> {
  let seen = 0;
  let connections = 0;
  const server = createServer((request, response) => {
    seen++;
    request.resume();
    if (answer === undefined) return;
    response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(answer.body);
  });
  server.on('connection', () => connections++);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, seen: () => seen, connections: () => connections };
}

describe('muster run', () => {
  it('takes a fleet from enrolment to a passing verdict and leaves everything in the results', async () => {
    const file = scenario('whole', `${FLEET}\n${ENROL_AND_REPORT}\nthresholds: { checkdata: ["error_rate < 1%"] }`);
    const { code, stderr, stdout } = await muster('run', file, '--json');
    expect(WITHOUT_FAULT).toContain(code);
    expect(stderr).toContain(code === 0 ? '✓ PASS' : '✗ INVALID');
    const { files, path, summary } = resultsOf('whole');
    expect(files).toEqual([
      'authorize.hgrm',
      'histograms.hlog',
      'register.hgrm',
      'scenario.yaml',
      'checkdata.hgrm',
      'packages.hgrm',
      'summary.json',
      'timeline.ndjson',
    ]);
    expect(JSON.parse(stdout)).toEqual(JSON.parse(readFileSync(join(path, 'summary.json'), 'utf8')));
    expect(stderr).toContain(summary.runId);
    expect(total(summary, 'register', 'succeeded')).toBe(40);
    // Each agent once right after its registration, and twice in the second of cadence, jitter permitting.
    expect(total(summary, 'checkdata', 'succeeded')).toBeGreaterThanOrEqual(40 + 40);
    expect(total(summary, 'packages', 'succeeded')).toBe(40);
    expect(total(summary, 'authorize', 'succeeded')).toBe(20);
  });

  it('runs its own effective scenario again', async () => {
    const { path } = resultsOf('whole');
    expect(WITHOUT_FAULT).toContain((await muster('run', join(path, 'scenario.yaml'), '--quiet')).code);
  });

  it('shares one connection among all agents, however many workers are asked for', async () => {
    const { url, seen, connections } = await listen({ status: 403, body: '' });
    const fleet = 'fleet: { agents: 8, payload: lean, connections: { shared: 1 } }';
    const phases = 'phases: [{ name: enrol, register: { over: 200ms } }]';
    await muster(
      'run',
      scenario('shared', `target: { url: "${url}" }\n${fleet}\n${phases}`),
      '--workers',
      '4',
      '--quiet',
    );
    expect(seen()).toBe(8);
    // One more asks whether the port takes connections at all.
    expect(connections()).toBe(2);
  });

  it('plans and starts the same with one worker and with four', async () => {
    const file = scenario('split', `${FLEET}\n${ENROL_AND_REPORT}`);
    const planned: number[][] = [];
    for (const workers of ['1', '4']) {
      await muster('run', file, '--workers', workers, '--quiet');
      const { summary } = resultsOf('split');
      expect(summary.environment.workers).toBe(Number(workers));
      planned.push(['register', 'authorize', 'checkdata', 'packages'].map((name) => total(summary, name, 'planned')));
    }
    expect(planned[1]).toEqual(planned[0]);
  });

  it.each(['1', '3'])('sees with %s workers that everything which was sent arrived, once', async (workers) => {
    const file = scenario(
      'delivered',
      `${FLEET}\n${ENROL_AND_REPORT}\nthresholds: { delivery: ["lost == 0", "duplicated == 0", "unknown == 0"] }`,
    );
    const { stderr } = await muster('run', file, '--workers', workers, '--quiet');
    const { delivery, phases, thresholds } = resultsOf('delivered').summary;
    const started = phases.flatMap(({ operations }) => operations).reduce((sum, entry) => sum + entry.started, 0);
    expect(delivery).toMatchObject({
      observed: true,
      ...{ sent: started, acknowledged: started, received: started },
      ...{ lost: 0, duplicated: 0, unknown: 0, refused: 0, unattributed: 0 },
    });
    const arrived = delivery.observed ? delivery.operations : [];
    expect(arrived.map(({ operation, sent, received }) => [operation, received - sent])).toEqual([
      ['register', 0],
      ['authorize', 0],
      ['checkdata', 0],
      ['packages', 0],
    ]);
    expect(arrived[2]?.documents).toMatchObject({ stale: 0, ahead: 0, undated: 0 });
    expect(thresholds.map(({ passed }) => passed)).toEqual([true, true, true]);
    expect(stderr).toContain('✓ delivery lost == 0: 0');
  });

  it('fails a threshold on the delivery at a server that is no observer, and says why', async () => {
    const { url } = await listen({ status: 403, body: '{"error":"no"}' });
    const file = scenario(
      'unobserved',
      `target: { url: "${url}" }\n${FLEET}\nphases: [{ name: enrol, register: { over: 100ms } }]
thresholds: { delivery: ["lost == 0"] }`,
    );
    const { stderr } = await muster('run', file, '--quiet');
    expect(resultsOf('unobserved').summary.verdict.reasons).toContainEqual({
      kind: 'threshold_crossed',
      text: 'delivery lost == 0: observed no data (the target is not the embedded server)',
    });
    expect(stderr).toContain('✗ delivery lost == 0: no data (the target is not the embedded server)');
  });

  it('runs several scenarios and ends with the gravest code', async () => {
    const good = scenario('good', `${FLEET}\n${ENROL_AND_REPORT}`);
    const bad = scenario('bad', `${FLEET}\n${ENROL_AND_REPORT}\nthresholds: { register: ["max < 0.001ms"] }`);
    const { code, stderr } = await muster('run', good, bad, '--quiet');
    expect([99, 111]).toContain(code);
    expect(stderr).toContain('✗ register max < 0.001ms');
  });

  it('fails a threshold that has nothing to measure', async () => {
    const file = scenario(
      'empty',
      `${FLEET}\n${ENROL_AND_REPORT}\nthresholds: { "authorize{phase:enrol}": ["p(99) < 1s"] }`,
    );
    const { code, stderr } = await muster('run', file, '--quiet');
    expect([99, 111]).toContain(code);
    expect(stderr).toContain('no data');
  });
});

describe('a run that cannot be', () => {
  it.each([
    ['the scenario is missing', ['run', 'nowhere.yaml'], 'nowhere.yaml'],
    ['the results cannot be written', ['run', 'tiny.yaml', '--out', 'tiny.yaml/results'], 'tiny.yaml/results'],
    ['a flag is unknown', ['run', 'tiny.yaml', '--agnets', '5'], 'agnets'],
  ])('ends with 104 and one clear message where %s', async (_title, args, named) => {
    scenario('tiny', `${FLEET}\nphases: [{ name: enrol, register: { rate: 100/s } }]`);
    const { code, stderr } = await muster(...args);
    expect(code).toBe(104);
    expect(stderr).toContain(named);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it('ends with 112 for a host that is not allowed, before anything is sent', async () => {
    const file = scenario('foreign', `target: { url: "http://push.invalid" }\n${FLEET}\n${ENROL_AND_REPORT}`);
    const { code, stderr } = await muster('run', file);
    expect(code).toBe(112);
    expect(stderr).toContain('--allow push.invalid');
  });

  it('ends with 115 long before its timeline if nothing listens', async () => {
    const { url } = await listen();
    const closed = servers.pop();
    closed?.close();
    const file = scenario(
      'deserted',
      `target: { url: "${url}" }\n${FLEET}\nphases: [{ name: enrol, duration: 10m, register: { rate: 100/s }, checkdata: { every: 1s } }]`,
    );
    const { code, stderr } = await muster('run', file, '--quiet');
    expect(code).toBe(115);
    expect(stderr).toContain('TARGET UNREACHABLE');
    expect(resultsOf('deserted').summary.elapsedMs).toBeLessThan(60_000);
  });
});

describe('SIGINT', () => {
  const long = (url: string) =>
    `target: { url: "${url}" }\n${FLEET}\nphases: [{ name: enrol, duration: 10m, register: { rate: 100/s }, checkdata: { every: 1s } }]`;

  it('once: lets what is under way end, writes everything and ends with 105', async () => {
    const { url, seen } = await listen({ status: 403, body: '{"error":"no"}' });
    const run = start(['run', scenario('stopped', long(url))]);
    await until(() => seen() >= 40);
    run.child.kill('SIGINT');
    const { code, stderr } = await run.ended;
    expect(code).toBe(105);
    expect(stderr).toContain('INTERRUPTED');
    const { summary } = resultsOf('stopped');
    for (const { planned, started, dropped, succeeded, failed } of summary.phases.flatMap(
      (phase) => phase.operations,
    )) {
      expect([planned, started]).toEqual([started + dropped, succeeded + failed]);
    }
  });

  it('twice: ends at once though the server never answers', async () => {
    const { url, seen } = await listen();
    const run = start(['run', scenario('silent', long(url))]);
    await until(() => seen() >= 40);
    run.child.kill('SIGINT');
    await until(() => run.words().includes('interrupt again'));
    run.child.kill('SIGINT');
    expect((await run.ended).code).toBe(105);
    const { summary } = resultsOf('silent');
    expect(summary.phases[0]?.operations[0]?.outcomes).toEqual({ cancelled: 40 });
  });
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}
