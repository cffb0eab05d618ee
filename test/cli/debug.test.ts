import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { listen } from '../run/real-time/own-server.ts';
import { muster } from './muster.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-'));
afterAll(() => rmSync(folder, { recursive: true }));

const SCENARIO = `
fleet: { agents: 10, payload: lean, profiles: { windows-server-2022: 1 } }
phases: [{ name: enroll, duration: 1s, register: { over: 200ms } }]`;

it('run --debug prints the requests and answers of all agents, whichever worker runs them', async () => {
  const { url } = await listen({ status: 500, body: 'no room\u001b[2J for s3cret-key' });
  writeFileSync(join(folder, 'small.yaml'), `target: { url: "${url}", apiKey: s3cret-key }${SCENARIO}`);
  const args = ['run', 'small.yaml', '--workers', '2', '--debug', '--json'];
  const { stdout, stderr } = await muster(args, { cwd: folder });
  expect(JSON.parse(stdout).overall).toMatchObject([{ operation: 'register', failed: 10 }]);
  const titles =
    stderr.match(/^\* \d+\.\d{3}s agent \d+, register in phase enroll: (?:request|http_500 after .*)$/gm) ?? [];
  expect(titles).toHaveLength(20);
  expect(new Set(titles.map((title) => /agent \d/.exec(title)?.[0])).size).toBe(10);
  const request = [
    '> POST /agentconnector/register_agent.json HTTP/1.1',
    `> Host: ${new URL(url).host}`,
    '> User-Agent: .*',
    '> Content-Length: \\d+',
    '> Authorization: \\*\\*\\*',
    '> Content-Type: application/json',
    '> Accept-Encoding: gzip',
    '>',
    '> \\{"agentuuid":".*","password":"\\*\\*\\*","hostname":".*","ipaddress":".*"\\}',
  ];
  expect(stderr).toMatch(new RegExp(`agent 3, .*: request\\n${request.join('\\n')}\\n\\* `));
  expect(stderr).toMatch(
    /http_500 after .*\n< HTTP\/1\.1 500 Internal Server Error\n(?:< .+\n)+<\n< no room\\u001b\[2J for \*\*\*\n/,
  );
  expect(stderr).not.toContain('s3cret');
});

it('run --debug --agent prints only those of one agent', async () => {
  const { url } = await listen({ status: 500, body: 'no' });
  writeFileSync(join(folder, 'one.yaml'), `target: { url: "${url}" }${SCENARIO}`);
  const { stderr } = await muster(['run', 'one.yaml', '--workers', '1', '--debug', '--agent', '3', '--quiet'], {
    cwd: folder,
  });
  expect(stderr.match(/^\* .*/gm)).toEqual([
    expect.stringMatching(/ agent 3, .* request$/),
    expect.stringMatching(/ agent 3, .* http_500 after /),
  ]);
});
