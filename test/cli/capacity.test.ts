import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CapacityResult } from '../../src/capacity/find-capacity.ts';
import { runMuster } from '../../src/cli/muster.ts';
import { muster } from './muster.ts';

/** Registers all agents, but accepts pushes only from the first two. */
const known = new Set<string>();
const server = createServer(async (request, response) => {
  const { agentuuid, password } = JSON.parse(await text(request)) as { agentuuid: string; password: string };
  if (known.size < 2) known.add(agentuuid);
  response.setHeader('Content-Type', 'application/json');
  if (password === '') return response.writeHead(201).end(JSON.stringify({ agentuuid, password: 'issued' }));
  return known.has(agentuuid) ? response.end('{"received_checks":1}') : response.writeHead(503).end();
});

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  rmSync(cwd, { recursive: true });
  server.closeAllConnections();
  server.close();
});

const SMALL = `name: small
fleet: { agents: 2, payload: lean, profiles: { windows-server-2022: 1 }, identities: known.sqlite }
phases:
  - { name: enroll, register: { over: 20ms } }
  - { name: steady, duration: 9s, checkdata: { every: 100ms } }
thresholds:
  checkdata: ["error_rate < 10%", "count > 1000"]
`;

const cwd = mkdtempSync(join(tmpdir(), 'muster-capacity-'));
writeFileSync(join(cwd, 'small.yaml'), SMALL);

const SHORT = ['--step', '200ms', '--settle', '0s', '--workers', '1', '--to', '3'];

/** Interrupts a search when a step with a third agent is reported. */
async function interrupted(args: readonly string[]) {
  const { port } = server.address() as AddressInfo;
  let [stdout, stderr] = ['', ''];
  let interrupt = () => {};
  const write = (line: string) => {
    stderr += line;
    if (/^step \d: 3 agents/.test(line)) interrupt();
  };
  const code = await runMuster(['capacity', 'small.yaml', ...SHORT, ...args], {
    stdin: Readable.from([]),
    stdout: { write: (part) => (stdout += part) },
    stderr: { write },
    env: { MUSTER_TARGET: `http://127.0.0.1:${port}` },
    cwd,
    onInterrupt: (listener) => {
      interrupt = listener;
      return () => {};
    },
  });
  return { code, stdout, stderr };
}

describe('muster capacity', () => {
  it('finds a load that the server sustains and one that it does not, and reports both when interrupted', async (context) => {
    const { code, stdout, stderr } = await interrupted(['--html', 'curve.html', '--json']);
    const { ending, held, gaveWay, steps } = JSON.parse(stdout) as CapacityResult;
    expect(stderr).toContain('\n6 steps, 9 at most: about');
    expect(stderr).toContain('the same agents in every step, because their identities are kept\n');
    expect(stderr).toContain('not evaluated, because steps differ from the scenario: checkdata count > 1000\n');
    const last = steps.at(-1);
    const summary = readFileSync(join(cwd, `results/small-capacity/${last?.runId}/summary.json`), 'utf8');
    expect(JSON.parse(summary)).toMatchObject({ scenarioName: 'small-capacity', seed: 1 });
    // On a busy machine, a run reports that its generator did not keep up, or ends before its work is done.
    const isLate = steps.some(({ outcome }) => outcome === 'generator');
    const isCut = last?.reasons.some((reason) => reason.endsWith('still waited when the run ended'));
    if (isLate || isCut) context.skip('the generator did not keep up');
    expect({ code, ending, held, gaveWay }).toEqual({
      ...{ code: 105, ending: 'interrupted' },
      held: { load: 2, runs: 1, held: 1 },
      gaveWay: { load: 3, runs: 1, held: 0 },
    });
    expect(last?.reasons[0]).toMatch(/^checkdata error_rate < 10%: observed [1-9]/);
    expect(stderr).toMatch(/\nstep \d: 3 agents failed · .* · errors \d+%: checkdata error_rate < 10%/);
    expect(stderr).toContain('✗ INTERRUPTED: at least 2 agents hold');
    expect(readFileSync(join(cwd, 'curve.html'), 'utf8')).toContain('✗ INTERRUPTED: at least 2 agents hold');
  });

  it.each<[string[], string]>([
    [['--until', 'checkdata p(99) < 5'], '--until: expected a duration such as 250ms after p(99) <, found "5"'],
    [['--from', '10/s'], '--from: expected a number of agents such as 500, found "10/s"'],
    [['--raise', 'rate'], 'The phase steady has no load with a rate to raise; use --raise agents'],
    [['--raise', 'load'], 'expected one of "agents", "rate", found "load"'],
    [['--from', '9', '--to', '4'], 'The search would start at 9 agents and end at 4 agents: --to must be at least'],
    [['--to', '9999999'], 'The search would reach 10.0M agents, but this machine has room for'],
    [['--growth', '1'], '--growth: expected a factor from 1.05 to 10 such as 1.5, found "1"'],
    [['--resolution', '0.5%'], '--resolution: expected a percentage from 1% to 50%, found "0.5%"'],
    [['--step', '0s'], '--step: expected a duration such as 15s, found "0s"'],
    [['--settle', '-5s'], '--settle'],
    [['--html', 'none/curve.html'], 'cannot write'],
    [['--json', '--json', '--from', '1', '--from', '2'], '--from: expected one value, found 2'],
  ])('rejects %j before the search starts', async (args, complaint) => {
    const { code, stdout, stderr } = await muster(['capacity', 'small.yaml', ...args], { cwd });
    expect({ code, stdout }).toEqual({ code: 104, stdout: '' });
    expect(stderr).toContain(complaint);
    expect(stderr).not.toContain('steps');
  });

  it('loads no other host without permission', async () => {
    const { code, stderr } = await muster(['capacity', 'small.yaml', '--target', 'http://mon.example'], { cwd });
    expect(code).toBe(112);
    expect(stderr).toContain('--allow mon.example');
  });
});
