import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { runMuster } from '../../src/cli/muster.ts';
import { openReceiver } from '../outputs/otlp/receiver.ts';
import { muster } from './muster.ts';

const SCENARIO = `
fleet: { agents: 5, payload: lean }
phases: [{ name: steady, duration: 1s, checkdata: { every: 200ms } }]
`;

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'muster-cli-otlp-'));
  writeFileSync(join(cwd, 'small.yaml'), SCENARIO);
});
afterEach(() => rmSync(cwd, { recursive: true }));

/** The contents of all files below a folder. */
function textsIn(folder: string): string {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  return files.map((file) => (statSync(file).isFile() ? readFileSync(file, 'latin1') : '')).join('\n');
}

// Longer than any run, so that only exports at the end are counted.
const SELDOM = { OTEL_METRIC_EXPORT_INTERVAL: '600000' };

// A busy machine makes a run INVALID.
const AS_WITHOUT = [EXIT_CODES.pass, EXIT_CODES.invalid];

describe('muster run --otlp', () => {
  it('exports each of several runs with the same name; if the receiver refuses, reports it once and exits as without', async () => {
    const { url, received, close } = await openReceiver((response) => response.writeHead(403).end());
    const { code, stderr } = await muster(['run', 'small.yaml', 'small.yaml', '--otlp', url, '--quiet'], {
      cwd,
      env: SELDOM,
    });
    await close();
    expect(received).toHaveLength(2);
    expect(received.every(({ body }) => body.includes('process_resident_memory_bytes'))).toBe(true);
    expect(AS_WITHOUT).toContain(code);
    expect(stderr).toBe(
      `OTLP: ${url}/v1/metrics, every 10m\n! the last metrics could not be sent to ${url}/v1/metrics: status 403\n`,
    );
  });

  it('shows credentials only to the receiver', async () => {
    const { url, received, close } = await openReceiver((response) => response.writeHead(401).end());
    const env = {
      ...SELDOM,
      OTEL_EXPORTER_OTLP_ENDPOINT: `${url.replace('//', '//user:passw0rd@')}/?key=qu3ry`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=h3ader',
    };
    const { stderr, stdout } = await muster(['run', 'small.yaml'], { cwd, env });
    await close();
    expect(received.map(({ path, headers }) => ({ path, key: headers['x-key'], user: headers.authorization }))).toEqual(
      [{ path: '/v1/metrics?key=qu3ry', key: 'h3ader', user: `Basic ${btoa('user:passw0rd')}` }],
    );
    const shown = `${stderr}${stdout}${textsIn(cwd)}`;
    expect(stderr).toContain(`${url}/v1/metrics?…: status 401`);
    expect(shown).not.toMatch(/passw0rd|qu3ry|h3ader/);
  });

  it('does not wait for the receiver after an interrupt', async () => {
    const interrupts: (() => void)[] = [];
    const { url, got, close } = await openReceiver(() => {});
    let stderr = '';
    const run = runMuster(['run', 'small.yaml', '--quiet', '--otlp', url], {
      stdin: (async function* () {})(),
      stdout: { write: () => {} },
      stderr: { write: (text) => (stderr += text) },
      env: SELDOM,
      cwd,
      onInterrupt: (listener) => {
        interrupts.push(listener);
        return () => interrupts.splice(interrupts.indexOf(listener), 1);
      },
    });
    await got(1);
    for (const interrupt of [...interrupts]) interrupt();
    expect(AS_WITHOUT).toContain(await run);
    await close();
    expect(stderr).toMatch(/! the last metrics could not be sent to .*: interrupted\n$/);
    expect(interrupts).toEqual([]);
  });

  it.each([
    [['--otlp', '127.0.0.1:4318'], {}, '--otlp: expected the http or https URL of an OTLP receiver'],
    [['--otlp', 'http://a', '--otlp', 'http://b'], {}, '--otlp: expected one value, found 2; use the flag once.'],
    [
      [],
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a:4317', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      'OTEL_EXPORTER_OTLP_PROTOCOL',
    ],
    [['--metrics-address', '*:9464'], {}, 'expected an address such as 127.0.0.1:9464, :9464 or 9464, found "*:9464".'],
    [['--metrics-address', '0.0.0.0:0'], {}, '--metrics-address: 0.0.0.0:0 is reachable from other machines'],
  ])('rejects invalid settings before anything is sent: %j with %j', async (flags, env, sentence) => {
    const { code, stderr } = await muster(['run', 'small.yaml', ...flags], { cwd, env });
    expect(code).toBe(EXIT_CODES.userError);
    expect(stderr).toContain(sentence);
    expect(readdirSync(cwd)).toEqual(['small.yaml']);
  });
});

describe('muster capacity --otlp', () => {
  it('exports the figures of each step', async () => {
    const { url, received, close } = await openReceiver();
    const flags = [
      '--until',
      'checkdata error_rate < 50%',
      '--from',
      '2',
      '--to',
      '3',
      '--step',
      '200ms',
      '--settle',
      '0s',
    ];
    const { stdout } = await muster(['capacity', 'small.yaml', '--json', '--otlp', url, ...flags], {
      cwd,
      env: SELDOM,
    });
    await close();
    const { steps } = JSON.parse(stdout);
    expect(steps.length).toBeGreaterThan(0);
    expect(received).toHaveLength(steps.length);
  });
});

describe('muster serve --otlp', () => {
  it('exports the figures of the server until it stops', async () => {
    const { url, received, close } = await openReceiver();
    let stop: (() => void) | undefined;
    let stderr = '';
    const serving = runMuster(['serve', '--listen', '127.0.0.1:0', '--otlp', url], {
      stdin: (async function* () {})(),
      stdout: { write: () => {} },
      stderr: { write: (text) => (stderr += text) },
      env: SELDOM,
      cwd,
      onInterrupt: (listener) => {
        stop = listener;
        return () => {};
      },
    });
    await expect.poll(() => stop).toBeDefined();
    stop?.();
    expect(await serving).toBe(EXIT_CODES.pass);
    await close();
    expect(received).toHaveLength(1);
    expect(received[0]?.body.includes('muster_server_registrations')).toBe(true);
    expect(stderr).toContain(`OTLP: ${url}/v1/metrics, every 10m\n`);
  });
});
