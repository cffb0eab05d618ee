import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addressText } from '../../../src/base/kernel/address.ts';
import { openPullState } from '../../../src/base/storage/pull-state.ts';
import { runMuster } from '../../../src/cli/muster.ts';
import { makeAuthority } from '../../../src/wire/poller/authority.ts';
import { type AgentServer, agentServer } from '../../wire/poller/agent-server.ts';
import { muster } from '../muster.ts';

let folder = '';
const agents: AgentServer[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-serve-pull-'));
});

afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.close();
  rmSync(folder, { recursive: true, force: true });
});

async function pullFile(agent: AgentServer, more = ''): Promise<string> {
  const file = join(folder, 'pull.yaml');
  // An authority with a small key, because RSA 4096 takes seconds to generate.
  const state = await openPullState(join(folder, 'state'));
  await state.keepAuthority(await makeAuthority({ systemId: 'a', keyType: 'ecdsa-p256', nowMs: Date.now() }));
  state.close();
  writeFileSync(file, `every: 50ms\nstate: state\n${more}agents: ["${addressText(agent.address)}"]\n`);
  return file;
}

function serve(file: string, more: readonly string[] = []) {
  let stderr = '';
  let url = '';
  let stop = () => {};
  const end = runMuster(['serve', '--listen', '127.0.0.1:0', '--pull', file, ...more], {
    stdin: Readable.from([]),
    stdout: { write: (text) => (url += text.trim()) },
    stderr: { write: (text) => (stderr += text) },
    env: {},
    cwd: folder,
    onInterrupt: (listener) => {
      stop = listener;
      return () => undefined;
    },
  });
  return {
    words: () => stderr,
    url: () => url,
    said: (line: string) => expect.poll(() => stderr).toContain(line),
    stop: async () => {
      stop();
      expect(await end).toBe(0);
      return stderr;
    },
  };
}

describe('serve --pull', () => {
  it('exchanges certificates, and reuses them after a restart', async () => {
    const agent = await agentServer();
    agents.push(agent);
    const name = addressText(agent.address);
    const file = await pullFile(agent);
    const first = serve(file);
    await first.said(`${name}: certificates exchanged\n`);
    await expect.poll(() => agent.secured()).toBe(true);
    expect(await first.stop()).toContain('Agents polled: 1 (with certificates: 1, configured: 0,');
    const again = serve(file);
    await again.said(`${name}: certificates confirmed\n`);
    await again.said(`${name}: check data\n`);
    const words = await again.stop();
    expect(words).toContain('answering last: 1); answering 1\n');
    expect(words).toMatch(
      /\n {2}exchange {6}1 ok {2}p50 [\d.]+ ms {2}p95 [\d.]+ ms {2}p99 [\d.]+ ms\n {2}poll {10}\d+ ok {2}p50/,
    );
    expect(agent.seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it('reports the progress of its agents on the admin endpoint', async () => {
    const agent = await agentServer();
    agents.push(agent);
    const server = serve(await pullFile(agent), ['--admin', '0', '--admin-token', 't']);
    await server.said('certificates exchanged');
    const admin = /Admin endpoint: (\S+)/.exec(server.words())?.[1];
    const answer = await fetch(`${admin}/pull`, { headers: { Authorization: 'Bearer t' } });
    expect(await answer.json()).toMatchObject({ agents: 1, exchanged: 1, configured: 0 });
    expect((await fetch(`${admin}/pull`)).status).toBe(401);
    await server.stop();
  });

  it('reports code and text of a failed exchange, once', async () => {
    const agent = await agentServer({ 'GET /autotls': { status: 404, body: '' } });
    agents.push(agent);
    const server = serve(await pullFile(agent));
    await server.said('The monitoring server is ready');
    const url = server.url();
    const metrics = async () => (await fetch(`${url}/metrics`)).text();
    await expect
      .poll(metrics)
      .toMatch(/^muster_operations_finished_total\{operation="exchange",outcome="http_404"\} \d/m);
    expect(await metrics()).toMatch(/^muster_pulled_agents\{state="exchange_failed"\} 1$/m);
    expect(await metrics()).toMatch(/^muster_response_seconds_count\{operation="exchange"\} \d/m);
    const words = await server.stop();
    expect(words).toMatch(/\n {2}exchange {6}0 ok .* {2}failed: http_404 \d+\n$/);
    expect(words.match(/exchange failed with code 16: .* \(http_404\)\n/g)).toHaveLength(1);
  });

  it('ends with 112 before it polls an agent beyond this machine, unless that is allowed', async () => {
    // Addresses of this network are reserved for documentation.
    writeFileSync(join(folder, 'out.yaml'), 'autoTls: false\nagents: ["192.0.2.1:3333"]\n');
    const args = ['serve', '--listen', '127.0.0.1:0', '--pull', join(folder, 'out.yaml')];
    expect(await muster(args)).toMatchObject({ code: 112, stderr: expect.stringContaining('--allow 192.0.2.1') });
    const server = serve(join(folder, 'out.yaml'), ['--allow', '192.0.2.0/24']);
    await server.said('The monitoring server is ready');
    await server.stop();
  });

  it('ends with 104 if the file or a file that it names is invalid', async () => {
    writeFileSync(join(folder, 'bad.yaml'), 'agents: 5\n');
    writeFileSync(join(folder, 'config.yaml'), 'autoTls: false\nconfig: gone.ini\nagents: ["127.0.0.1:1"]\n');
    for (const [name, sentence] of [
      ['gone.yaml', 'no such file'],
      ['bad.yaml', 'agents: expected a list of agents'],
      ['config.yaml', 'gone.ini: no such file'],
    ] as const) {
      const { code, stderr } = await muster(['serve', '--listen', '127.0.0.1:0', '--pull', join(folder, name)]);
      expect([code, stderr]).toEqual([104, expect.stringContaining(sentence)]);
    }
  });
});
