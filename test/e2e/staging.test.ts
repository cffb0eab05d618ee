import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { COMMAND, ENVIRONMENT, folder } from './muster.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/tutorials/staging-fleet.md'), 'utf8');

/** The commands of the page, in their order. */
const commands = [...PAGE.matchAll(/```sh\n([\s\S]*?)\n```/g)].map(([, text = '']) => text);

/** One shell for all of them, as for whoever reads the page: jobs of one command are known to the next. */
let shell: ChildProcess;
afterAll(() => shell?.kill());

function openShell(): ChildProcess {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const npx = join(bin, 'npx');
  const quoted = COMMAND.map((word) => `'${word}'`).join(' ');
  writeFileSync(npx, `#!/bin/sh\nshift\nexec ${quoted} "$@"\n`);
  chmodSync(npx, 0o755);
  const env = { ...ENVIRONMENT, MUSTER: ROOT, PATH: `${bin}:${process.env.PATH}` };
  return spawn('bash', ['-m'], { cwd: folder, env, stdio: ['pipe', 'pipe', 'pipe'] });
}

/** Carries out a command in the shell; hands over what it said and its code. */
async function carryOut(command: string): Promise<{ readonly code: number; readonly said: string }> {
  let said = '';
  const take = (chunk: Buffer) => {
    said += String(chunk);
  };
  shell.stdout?.on('data', take);
  shell.stderr?.on('data', take);
  shell.stdin?.write(`${command}\necho "<ended $?>"\n`);
  while (!/<ended \d+>\n/.test(said)) await once(shell.stdout as NodeJS.ReadableStream, 'data');
  shell.stdout?.off('data', take);
  shell.stderr?.off('data', take);
  return { code: Number(/<ended (\d+)>/.exec(said)?.[1]), said };
}

const logOf = (name: string) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : '');

/** What the server counted. */
async function figure(name: string): Promise<number> {
  const text = await (await fetch('http://127.0.0.1:8080/metrics')).text();
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `));
  return Number(line?.slice(name.length) ?? 0);
}

/** The page names its ports, so that whoever reads it can type them. */
async function takenPort(): Promise<number | undefined> {
  for (const port of [8080, ...Array.from({ length: 60 }, (_, agent) => 20_000 + agent)]) {
    const server = createServer();
    const isFree = await new Promise<boolean>((settle) => {
      server.once('error', () => settle(false)).listen(port, '127.0.0.1', () => settle(true));
    });
    server.close();
    if (!isFree) return port;
  }
  return undefined;
}

const taken = await takenPort();
const unless = taken === undefined ? '' : ` (skipped: port ${taken}, which it names, is in use)`;

it.skipIf(taken !== undefined)(
  `docs/tutorials/staging-fleet.md takes a team to a fleet that a server polls and receives pushes from, in ten commands${unless}`,
  async () => {
    expect(commands).toHaveLength(10);
    shell = openShell();
    const [copy, plan, serve, fleet, look, ask, hosts, disconnect, events, stop] = commands.map(
      (command) => () => carryOut(command),
    );
    expect(await copy?.()).toMatchObject({ code: 0 });
    expect(await plan?.()).toMatchObject({ code: 0, said: expect.stringContaining('60 agents') });
    expect(await serve?.()).toMatchObject({ code: 0 });
    await expect.poll(() => logOf('serve.log')).toContain('http://127.0.0.1:8080');
    expect(await fleet?.()).toMatchObject({ code: 0 });
    await expect.poll(() => logOf('fleet.log')).toContain('are up');
    // A few hosts may be down: they reboot, as hosts do.
    await expect.poll(() => figure('muster_server_registrations')).toBeGreaterThan(50);
    await expect.poll(() => figure('muster_server_acknowledgements_total{operation="checkdata"}')).toBeGreaterThan(50);
    await expect.poll(() => figure('muster_pulled_agents{state="answering"}')).toBeGreaterThan(50);
    expect(await look?.()).toMatchObject({ code: 0, said: expect.stringContaining('staging') });
    const asked = await ask?.();
    expect(JSON.parse(asked?.said.replace(/<ended 0>\n$/, '') ?? '')).toHaveProperty('cpu');
    expect(await hosts?.()).toMatchObject({ code: 0 });
    expect(logOf('hosts.csv').trim().split('\n')).toHaveLength(61);
    expect(await disconnect?.()).toMatchObject({ code: 0 });
    expect(await events?.()).toMatchObject({ code: 0, said: expect.stringContaining('cable') });
    expect(logOf('fleets/staging/identities.db.events.yaml')).toMatch(
      /do: disconnect.*name: cable|name: cable.*do: disconnect/,
    );
    expect(await stop?.()).toMatchObject({ code: 0 });
    await carryOut('kill %1; wait %1');
  },
);
