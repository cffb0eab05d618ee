import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { connect, type DetailedPeerCertificate } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { showArrivals } from '../../src/cli/actions/serve.ts';
import { runMuster } from '../../src/cli/muster.ts';
import { emptyTotals } from '../../src/metrics/merging/totals.ts';
import { record } from '../../src/metrics/recording/histogram.ts';
import { muster } from './muster.ts';

const CERTIFICATES = join(import.meta.dirname, '../wire/transport/certificates');

/** Starts `muster serve` on a free port; `url` resolves once it listens. */
function serve(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}, listen = '127.0.0.1:0') {
  const url = Promise.withResolvers<string>();
  let stop = () => {};
  let stderr = '';
  const end = runMuster(['serve', '--listen', listen, ...args], {
    stdin: Readable.from([]),
    stdout: { write: (text) => url.resolve(text.trim()) },
    stderr: { write: (text) => (stderr += text) },
    env,
    cwd: import.meta.dirname,
    onInterrupt: (listener) => {
      stop = listener;
      return () => undefined;
    },
  });
  return { url: url.promise, stop: () => stop(), end, words: () => stderr };
}

const AGENT = {
  agentuuid: '6a3c5a3e-1f0b-4f59-9b1e-0d8d2c7a1b11',
  password: '',
  hostname: 'h',
  ipaddress: '127.0.0.1',
};

function register(url: string, key: string): Promise<Response> {
  return fetch(`${url}/agentconnector/register_agent.json`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `X-OITC-API ${key}` },
    body: JSON.stringify(AGENT),
  });
}

/** Sends an empty push without checking the certificate, and returns the certificate beside the answer. */
function askOverTls(url: string): Promise<{ readonly certificate: DetailedPeerCertificate; readonly answer: string }> {
  const { hostname: host, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect({ host, port: Number(port), rejectUnauthorized: false }, () => {
      const certificate = socket.getPeerCertificate(true);
      socket.on('data', (chunk) => (answer += chunk)).on('end', () => resolve({ certificate, answer }));
      socket.write(`POST /agentconnector/register_agent.json HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n`);
      socket.write('Content-Length: 0\r\n\r\n');
    });
    socket.on('error', reject);
  });
}

describe('serve', () => {
  it('answers agents until it is interrupted, and then reports how many registered', async () => {
    const server = serve();
    expect((await register(await server.url, 'any')).status).toBe(201);
    server.stop();
    expect(await server.end).toBe(0);
    expect(server.words()).toContain('agents registered: 1');
  });

  it('requires the given key', async () => {
    const server = serve(['--api-key', 'right']);
    const url = await server.url;
    expect((await register(url, 'right')).ok).toBe(true);
    expect((await register(url, 'wrong')).ok).toBe(false);
    server.stop();
    await server.end;
  });

  it('reads its key from MUSTER_API_KEY, which other users of the machine cannot see', async () => {
    const server = serve([], { MUSTER_API_KEY: 'right' });
    const url = await server.url;
    expect([(await register(url, 'wrong')).status, (await register(url, 'right')).status]).toEqual([401, 201]);
    server.stop();
    await server.end;
  });

  it('reads the token of the admin endpoint from MUSTER_ADMIN_TOKEN', async () => {
    const server = serve(['--admin', '0'], { MUSTER_ADMIN_TOKEN: 'secret' });
    await server.url;
    const admin = /Admin endpoint: (\S+)/.exec(server.words())?.[1];
    const headers = { Authorization: 'Bearer secret' };
    expect((await fetch(`${admin}/counts`, { headers })).status).toBe(200);
    server.stop();
    await server.end;
  });

  it.each([
    { listen: '0.0.0.0:0', env: {}, warns: true },
    { listen: '0.0.0.0:0', env: { MUSTER_API_KEY: 'k' }, warns: false },
    { listen: '127.0.0.2:0', env: {}, warns: false },
    { listen: '[::1]:0', env: {}, warns: false },
  ])('warns if any client may register: at $listen with $env, $warns', async ({ listen, env, warns }) => {
    const server = serve([], env, listen);
    await server.url;
    expect(server.words().includes('without an API key')).toBe(warns);
    server.stop();
    await server.end;
  });

  it('serves HTTPS with a generated or a given certificate', async () => {
    const given = new X509Certificate(readFileSync(`${CERTIFICATES}/server.pem`)).fingerprint256;
    const files = ['--tls-cert', `${CERTIFICATES}/server.pem`, '--tls-key', `${CERTIFICATES}/server.key`];
    for (const args of [['--tls', 'self-signed'], files]) {
      const server = serve(args);
      const url = await server.url;
      expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
      const { certificate, answer } = await askOverTls(url);
      expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
      expect(certificate.fingerprint256 === given).toBe(args === files);
      server.stop();
      expect(await server.end).toBe(0);
    }
  });

  it.each([
    [['--admin', '70000', '--admin-token', 't'], 'a port from 0 to 65535, found "70000"'],
    [['--admin', '9090'], 'MUSTER_ADMIN_TOKEN'],
    [['--tls-cert', 'server.pem'], 'expected both'],
    [['--tls-cert', 'gone.pem', '--tls-key', 'gone.key'], 'gone.pem: no such file'],
    [['--tls-cert', 'serve.test.ts', '--tls-key', 'serve.test.ts'], 'expected a certificate in PEM'],
    [['--data', 'serve.test.ts'], 'cannot be used'],
  ])('rejects %j with 104 and one sentence', async (args, sentence) => {
    const { code, stderr } = await muster(['serve', '--listen', '127.0.0.1:0', ...args]);
    expect(code).toBe(104);
    expect(stderr).toContain(sentence);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it('ends with 104 and the address if it cannot listen there', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void holder.close());
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    expect(await muster(['serve', '--listen', `127.0.0.1:${port}`])).toEqual({
      code: 104,
      stdout: '',
      stderr: `Muster cannot listen on 127.0.0.1:${port}: the port is in use; stop the program that uses it, or choose another port.\n`,
    });
    expect(await muster(['serve', '--listen', 'nowhere'])).toEqual({
      code: 104,
      stdout: '',
      stderr: '--listen: expected host:port such as 127.0.0.1:8080 or [::1]:0, found "nowhere".\n',
    });
  });

  it('logs less than 500 KB a day about agents that get three statuses from each endpoint', async () => {
    const [day, stop] = [86_400, new AbortController()];
    let seconds = 0;
    const endpoints = ['register_agent', 'authorize', 'submit_checkdata', 'submit_package_info'];
    const statuses = [200, 400, 503];
    const counts = () => ({
      registrations: 5000,
      openConnections: 5000,
      receivedBytes: seconds * 1e6,
      answers: Object.fromEntries(
        endpoints.map((name) => [name, Object.fromEntries(statuses.map((status) => [status, seconds * 1000]))]),
      ),
    });
    const wait = async (ms: number) => {
      seconds += ms / 1000;
      if (seconds > day) stop.abort();
    };
    let log = '';
    const print = (line: string) => (log += `${line}\n`);
    await showArrivals({ counts, pull: undefined }, { print, show: undefined }, stop.signal, wait);
    expect(log.split('\n')[0]).toMatch(/^agents registered: 5,000 .* 1\.0 MB\/s .*200 × 60,000.*in 60 s$/);
    expect(log.split('\n')).toHaveLength(day / 60 + 1);
    expect(log.length).toBeLessThan(500_000);
  });

  it('logs the polls of each minute that has some: their operations, failures and the states of agents', async () => {
    const stop = new AbortController();
    const failed = { ...emptyTotals(), started: 3, outcomes: { http_404: 3 } };
    record(failed.histograms.response, 8);
    const minutes = [[], [{ operation: 'exchange', totals: failed } as const], []];
    const states = { waiting: 0, ready: 0, answering: 0, failing: 0, exchange_failed: 1 };
    const agents = { agents: 1, exchanged: 0, configured: 0, answering: 0, states };
    const pull = { counts: () => agents, takeEnded: () => minutes.shift() ?? [] };
    const counts = () => ({ registrations: 0, openConnections: 0, receivedBytes: 0, answers: {} });
    const wait = async () => (minutes.length === 0 ? stop.abort() : undefined);
    const log: string[] = [];
    await showArrivals({ counts, pull }, { print: (line) => log.push(line), show: undefined }, stop.signal, wait);
    expect(log).toEqual([
      expect.stringMatching(/^pulled: exchange 3 {2}p99 8\.\d+ ms {2}failed: http_404 3 {2}agents: exchange_failed 1$/),
    ]);
  });
});
