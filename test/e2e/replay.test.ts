import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { folder, muster, start, WITHOUT_FAULT } from './muster.ts';

// nginx takes the addresses of agents from loopback, of which only Linux has more than one.
const isMissing = process.platform !== 'linux' || spawnSync('nginx', ['-v']).status !== 0;

const FORMAT = '$remote_addr [$time_local] "$request" $status $msec $request_time $request_length';
const AGENTS = 30;

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as { port: number };
  await new Promise((closed) => server.close(closed));
  return port;
}

/** nginx before a server, with its log; returns its URL. */
async function startNginx(target: string): Promise<string> {
  const port = await freePort();
  const prefix = join(folder, 'nginx');
  mkdirSync(prefix);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${prefix}/${kind};`,
  );
  writeFileSync(
    join(prefix, 'nginx.conf'),
    `daemon off; master_process off; pid ${prefix}/pid; error_log ${prefix}/error.log; events {}
http { log_format timed '${FORMAT}'; access_log ${folder}/access.log timed; ${paths.join(' ')}
  server { listen 127.0.0.1:${port}; location / { proxy_pass ${target}; } } }`,
  );
  const nginx = spawn('nginx', ['-c', join(prefix, 'nginx.conf'), '-p', prefix, '-e', join(prefix, 'error.log')]);
  onTestFinished(() => void nginx.kill());
  const url = `http://127.0.0.1:${port}`;
  await expect
    .poll(() =>
      fetch(`${url}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    )
    .toBe(true);
  return url;
}

/** The operations of each agent, in order; agents by the first number of `numbers`. */
function sequences(log: string, numberOf: (address: string) => number): readonly string[] {
  const lines = readFileSync(join(folder, log), 'utf8')
    .split('\n')
    .filter((line) => line.includes('POST'));
  const rows = lines.map((line) => {
    const [, address = '', operation = '', endS = '', lastS = ''] =
      /^(\S+) .*POST \/agentconnector\/(\w+)\.json.* ([\d.]+) ([\d.]+) \d+$/.exec(line) ?? [];
    return { agent: numberOf(address), operation, arrivedS: Number(endS) - Number(lastS) };
  });
  const agents = Array.from({ length: AGENTS }, (_, agent) => rows.filter((row) => row.agent === agent));
  return agents.map((own) =>
    own
      .sort((a, b) => a.arrivedS - b.arrivedS)
      .map(({ operation }) => operation)
      .join(' '),
  );
}

it.skipIf(isMissing)(
  `the log of nginx, replayed through nginx, makes the same log: each agent does the same${isMissing ? ' (skipped: there is no nginx on Linux)' : ''}`,
  async () => {
    const server = start(['serve', '--listen', '127.0.0.1:0']);
    onTestFinished(() => void server.child.kill());
    const target = await new Promise<string>((ready) => {
      server.child.stdout?.once('data', (text: string) => ready(text.trim()));
    });
    const url = await startNginx(target);
    const sources = Array.from({ length: AGENTS }, (_, agent) => `127.0.9.${agent + 1}`);
    const fleet = `fleet: { agents: ${AGENTS}, payload: lean, sourceAddresses: [${sources.join(', ')}] }`;
    writeFileSync(
      join(folder, 'first.yaml'),
      `target: { url: "${url}" }
${fleet}
phases:
  - { name: enroll, register: { rate: 30/s } }
  - { name: steady, duration: 7s, checkdata: { every: 1s } }
events: [{ do: disconnect, name: cable, at: steady+2s, for: 2s }]`,
    );
    const first = await muster('run', 'first.yaml', '--quiet', '--workers', '1');
    expect(WITHOUT_FAULT).toContain(first.code);
    const seen = new Map<string, number>();
    for (const [address] of readFileSync(join(folder, 'access.log'), 'utf8').matchAll(/^127\.0\.9\.\d+/gm))
      if (!seen.has(address)) seen.set(address, seen.size);
    writeFileSync(join(folder, 'first.log'), readFileSync(join(folder, 'access.log')));
    const before = sequences('first.log', (address) => seen.get(address) ?? Number.NaN);
    expect(before.filter((own) => own.startsWith('register_agent submit_checkdata submit_checkdata'))).toHaveLength(
      AGENTS,
    );

    const { code, stdout } = await muster('replay', 'first.log', '--format', FORMAT, '-o', 'again.yaml');
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/agents +30, 30 of them new, one for each/),
    });
    // Without thresholds: how fast this machine answers is not the claim.
    const [proposed = ''] = readFileSync(join(folder, 'again.yaml'), 'utf8').split('# A proposal.');
    const text = proposed.replace(/^ {2}payload:/m, `  sourceAddresses: [${sources.join(', ')}]\n  payload:`);
    writeFileSync(join(folder, 'again.yaml'), text);
    const rows = readFileSync(join(folder, 'access.log'), 'utf8').length;
    expect(WITHOUT_FAULT).toContain(
      (await muster('run', 'again.yaml', '--target', url, '--seed', '2', '--quiet', '--workers', '1')).code,
    );
    writeFileSync(join(folder, 'second.log'), readFileSync(join(folder, 'access.log'), 'utf8').slice(rows));
    expect(sequences('second.log', (address) => sources.indexOf(address))).toEqual(before);
  },
);
