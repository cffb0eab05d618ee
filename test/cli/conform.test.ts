import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SERVER_CASES } from '../../src/conformance/server/mode.ts';
import { type MonitoringServer, startMonitoringServer } from '../../src/server/start.ts';
import { muster } from './muster.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-conform-'));
let server: MonitoringServer;

beforeAll(async () => {
  server = await startMonitoringServer({ apiKey: 'Key7Key7' });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

function conform(...args: readonly string[]) {
  return muster(['conform', 'server', server.url, '--api-key', 'Key7Key7', ...args]);
}

describe('conform server', () => {
  it('lists every case without a server', async () => {
    const { code, stdout } = await muster(['conform', 'server', '--list']);
    expect(code).toBe(0);
    expect(stdout.trim().split('\n')).toHaveLength(SERVER_CASES.length);
    expect(stdout).toMatch(/^register\.1 +written +A UUID that the server does not know/);
  });

  it('lists what --only and --except select, and names the nearest case', async () => {
    const { stdout } = await muster(['conform', 'server', '--list', '--only', 'type,body.2', '--except', 'type.3']);
    expect(stdout.match(/^\S+/gm)).toEqual(['body.2', ...['1', '2', '4', '5', '6', '7'].map((n) => `type.${n}`)]);
    const strange = await muster(['conform', 'server', '--list', '--only', 'registr']);
    expect(strange).toMatchObject({ code: 104, stdout: '' });
    expect(strange.stderr).toContain('found registr; did you mean register?');
  });

  it('exits with 0 if all rules of the levels hold, and says which registrations stay', async () => {
    const before = server.counts().registrations;
    const { code, stdout } = await conform('--only', 'register');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /The server keeps \d+ registrations of this run: [\da-f-]{36} to [\da-f-]{36}[^\n]*, web-[^\n]*\.\n39 rules: \d+ hold/,
    );
    const kept = Number(/keeps (\d+) registrations/.exec(stdout)?.[1]);
    expect(server.counts().registrations - before).toBe(kept);
  });

  it('exits with 118 and shows request, expectation and a line that repeats it', async () => {
    const { code, stdout, stderr } = await conform('--only', 'path.3,register.1', '--level', 'shipped');
    expect(code).toBe(118);
    expect(stdout).toContain(
      '✕ path.3 (shipped) Without `.json`, the path gets 405.\n  expected  405\n  found     404, application/json',
    );
    expect(stdout).toMatch(/repeat +UUID=\$\(.*\n +curl -isS .*'Authorization: X-OITC-API '"\$MUSTER_API_KEY"''/);
    expect(stdout).toContain('2 rules: 1 hold, 1 broken\n');
    expect(stderr).toContain('✕ path.3: 404');
  });

  it('prints JSON, and writes JUnit XML and a page, none of them with the key', async () => {
    const [junit, html] = [join(folder, 'c.xml'), join(folder, 'c.html')];
    const { code, stdout } = await conform('--only', 'path,key.1', '--json', '--junit', junit, '--html', html);
    expect(code).toBe(0);
    const report = JSON.parse(stdout) as { counts: object; results: { id: string; wire?: { sent: string }[] }[] };
    expect(report.counts).toEqual({ held: 5, broken: 0, deviating: 7, untried: 0 });
    const wire = report.results.find(({ id }) => id === 'path.3')?.wire?.[0];
    expect(wire?.sent).toMatch(/^POST \/agentconnector\/register_agent HTTP\/1.1\nHost: /);
    const texts = [stdout, readFileSync(junit, 'utf8'), readFileSync(html, 'utf8')];
    expect(texts.map((text) => text.includes('Key7Key7'))).toEqual([false, false, false]);
    expect(texts[1]).toContain('<testsuite name="server path" tests="11" failures="0"');
    expect(texts[2]).toContain('<h3 id="path.3">path.3 Without `.json`, the path gets 405.</h3>');
  });

  it('adds a host for its agent and removes it and all registrations with --provision', async () => {
    const released = await startMonitoringServer({
      dialect: 'shipped',
      apiKey: 'Key7',
      hostAssignment: { kind: 'manual' },
    });
    const args = ['conform', 'server', released.url, '--api-key', 'Key7', '--only', 'register,checkdata,packages'];
    const without = await muster(args);
    const provisioned = await muster([...args, '--provision']);
    const { registrations } = released.counts();
    const hosts = await fetch(`${released.url}/hosts/notMonitored.json?angular=true`, {
      headers: { Authorization: 'X-OITC-API Key7' },
    });
    const listed: unknown = await hosts.json();
    await released.stop();
    expect(without.stdout).toContain('it needs an agent with a host: pass --assigned UUID:PASSWORD or --provision');
    expect(provisioned.stdout).not.toContain('Not tried');
    expect(provisioned.stdout).toContain('The server keeps no registration of this run.\n');
    expect(registrations).toBe(Number(/keeps (\d+)/.exec(without.stdout)?.[1]));
    expect(listed).toMatchObject({ all_hosts: [] });
  });

  it.each(['127.0.0.1', '::1'])(
    'tries a server with TLS at %s, below a path, if its certificate is accepted',
    async (host) => {
      const secured = await startMonitoringServer({ host, tls: { kind: 'self_signed' } });
      const one = ['conform', 'server', `${secured.url}/monitoring/`, '--only', 'path.2'];
      const refused = await muster(one);
      const accepted = await muster([...one, '--insecure']);
      await secured.stop();
      expect(refused.code).toBe(115);
      expect(refused.stderr).toContain('self-signed certificate');
      expect(accepted.code).toBe(0);
      expect(accepted.stdout).toContain('1 rule: 1 hold');
    },
  );

  it('exits with 112 without a request if the host is not allowed, and with 115 if nothing listens', async () => {
    const forbidden = await muster(['conform', 'server', 'http://192.0.2.1:8080']);
    expect(forbidden).toMatchObject({
      code: 112,
      stdout: '',
      stderr: expect.stringContaining('pass --allow 192.0.2.1.'),
    });
    const unreachable = await muster(['conform', 'server', 'http://127.0.0.1:1']);
    expect(unreachable).toMatchObject({ code: 115, stdout: '' });
    expect(unreachable.stderr).toBe('No connection to 127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1.\n');
  });

  it('exits with 104 without a URL, and for a strange level', async () => {
    expect((await muster(['conform', 'server'])).code).toBe(104);
    expect((await conform('--level', 'all')).stderr).toContain('--level: expected written, agent');
  });

  it('ends soon after an interrupt with 105, and reports what ended before', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const address = silent.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
    const reached = new Promise<void>((resolve) => {
      let connections = 0;
      silent.on('connection', () => ++connections > 1 && resolve());
    });
    const { code, stdout } = await muster(['conform', 'server', url, '--only', 'register'], { interrupted: reached });
    silent.close();
    expect(code).toBe(105);
    expect(stdout).toContain('39 rules: 0 hold');
  });
});
