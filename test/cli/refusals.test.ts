import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { closedUrl, ENROL_AND_REPORT, FLEET } from '../run/real-time/own-server.ts';
import { muster } from './muster.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a scenario text with --quiet. */
function run(name: string, text: string, flags: readonly string[] = []) {
  writeFileSync(join(folder, `${name}.yaml`), text);
  return muster(['run', `${name}.yaml`, '--quiet', ...flags], { cwd: folder });
}

describe('a run that cannot start', () => {
  it('ends with 112 before anything is sent if the host is not allowed', async () => {
    const { code, stderr } = await run(
      'foreign',
      `target: { url: "http://push.invalid" }\n${FLEET}\n${ENROL_AND_REPORT}`,
    );
    expect(code).toBe(112);
    expect(stderr).toContain('--allow push.invalid');
  });

  it('ends with 115 once the time of --give-up has passed if nothing listens', async () => {
    const url = await closedUrl();
    const { code, stdout, stderr } = await run(
      'deserted',
      `target: { url: "${url}" }\n${FLEET}\nphases: [{ name: enroll, duration: 10m, register: { rate: 100/s }, checkdata: { every: 1s } }]`,
      ['--give-up', '1s'],
    );
    expect(code).toBe(115);
    expect(stdout).toMatch(
      /^deserted: ✗ TARGET UNREACHABLE: none of \d+ operations reached the target in \d+ s .*\n {2}evidence {4}register connection_refused, /,
    );
    expect(stdout).toContain(`never connected: connect ECONNREFUSED`);
    expect(stderr).toBe('');
    const summary = JSON.parse(readFileSync(join(folder, 'results/deserted/latest/summary.json'), 'utf8'));
    expect(summary.elapsedMs).toBeLessThan(600_000);
  });
});

it('a run of a target alone has a hundred agents that no earlier run had registered', async () => {
  const url = await closedUrl();
  const flags = ['--target', url, '--set', 'phases=[{ name: enroll, duration: 1s, register: { rate: 100/s } }]'];
  const seeds: number[] = [];
  for (const out of ['first', 'second']) {
    const { code, stderr } = await muster(['run', ...flags, '--out', out], { cwd: folder });
    expect(stderr).toContain('muster run FILE --target URL runs your file');
    const summary = JSON.parse(readFileSync(join(folder, out, 'starter/latest/summary.json'), 'utf8'));
    expect([code, summary.scenario.target.url, summary.scenario.fleet.agents]).toEqual([115, url, 100]);
    seeds.push(summary.seed);
  }
  expect(seeds[1]).not.toBe(seeds[0]);
});

it.each(['run', 'fleet', 'capacity'])('%s says that --machines and --cluster need each other', async (command) => {
  writeFileSync(join(folder, 'alone.yaml'), `target: { url: "${await closedUrl()}" }\n${FLEET}\n${ENROL_AND_REPORT}`);
  const refused = (...flags: string[]) => muster([command, 'alone.yaml', ...flags], { cwd: folder });
  expect(await refused('--machines', '3')).toMatchObject({
    code: 104,
    stderr: expect.stringContaining('add its NATS server with --cluster nats://127.0.0.1:4222'),
  });
  expect(await refused('--cluster', 'nats://127.0.0.1:1')).toMatchObject({
    code: 104,
    stderr: expect.stringContaining('add --machines 3'),
  });
});

it('a run whose results folder is deleted still reports its verdict, and what is missing', async () => {
  writeFileSync(
    join(folder, 'robbed.yaml'),
    'fleet: { agents: 5, payload: lean, profiles: { windows-server-2022: 1 } }\nphases: [{ name: all, duration: 4s, register: { over: 100ms }, checkdata: { every: 500ms } }]',
  );
  const ended = muster(['run', 'robbed.yaml', '--json'], { cwd: folder });
  await expect.poll(() => existsSync(join(folder, 'results', 'robbed', 'latest', 'timeline.ndjson'))).toBe(true);
  rmSync(join(folder, 'results'), { recursive: true });
  const { code, stdout, stderr } = await ended;
  expect(code).toBe(116);
  expect(JSON.parse(stdout).overall).not.toEqual([]);
  expect(stderr).toMatch(/DONE|INVALID/);
  expect(stderr).not.toMatch(/^ {2}report /m);
  expect(stderr).toMatch(/The results on disk are incomplete: cannot write the results to .*robbed/);
});
