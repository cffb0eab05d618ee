import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { type FleetProcess, startFleet, unlessDown } from './fleet-process.ts';
import { benchStoredListeners } from './stored-listeners.ts';

const AGENTS = 10_000;
const ROUNDS = 3;
const SECONDS = 1;
const CONNECTIONS = 64;
const PORT = 3333;
const LISTEN = `127.30.0.0/16:${PORT}`;
/** Agents whose runs follow each other closely have their first result after two seconds. */
const FIRST_RESULT_MS = 2500;

/**
 * Ten thousand agents that listen: how soon, with how much memory, and what an answer costs. Of each figure the smallest of
 * some rounds counts, for a busy machine makes all of them larger.
 */
export async function benchListeners(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'));
  try {
    await benchOpening();
    await benchSweep();
    for (const payload of ['lean', 'typical', 'full']) await benchAnswers(payload, folder);
    await benchStoredListeners(folder);
    print(`  load average ${loadavg()[0]?.toFixed(1)}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The same fleet with and without web servers, in turn. */
async function benchOpening(): Promise<void> {
  const fleet = { agents: AGENTS, connections: { shared: CONNECTIONS } };
  const phases = [{ name: 'quiet', duration: '1m', register: { rate: '1/m' } }];
  const plain = { name: 'bench', target: { url: 'embedded' }, fleet, phases };
  const figures = { plain: [] as Opened[], listening: [] as Opened[] };
  for (let round = 0; round < ROUNDS; round++) {
    figures.plain.push(await opened(plain));
    figures.listening.push(await opened({ ...plain, webServer: { listen: LISTEN } }));
  }
  const [without, all] = [least(figures.plain), least(figures.listening)];
  print(
    `  ${AGENTS} agents listen ${all.readyMs.toFixed(0)} ms after the start of the process, ` +
      `${(all.readyMs - without.readyMs).toFixed(0)} ms and ${((all.cpuMs - without.cpuMs) / 1000).toFixed(2)} s CPU of it for listening; ` +
      `${((all.rssBytes - without.rssBytes) / AGENTS / 1000).toFixed(1)} KB per listener (aims: 2 s, 10 KB)`,
  );
}

type Opened = { readonly readyMs: number; readonly cpuMs: number; readonly rssBytes: number };

async function opened(scenario: object): Promise<Opened> {
  const fleet = await startFleet(scenario);
  await pause(500);
  const { rssBytes } = await fleet.used();
  await fleet.stop();
  return { readyMs: fleet.atStart.ageMs, cpuMs: fleet.atStart.cpuMicros / 1000, rssBytes };
}

function least(all: readonly Opened[]): Opened {
  const of = (name: keyof Opened) => Math.min(...all.map((one) => one[name]));
  return { readyMs: of('readyMs'), cpuMs: of('cpuMs'), rssBytes: of('rssBytes') };
}

/** Each of them is asked once, over a connection of its own. */
async function benchSweep(): Promise<void> {
  const fleet = await startFleet(pulled(AGENTS, 'lean'));
  await pause(FIRST_RESULT_MS);
  const rounds: Cost[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await costOf(fleet, sweep));
  await fleet.stop();
  print(`  ${AGENTS} agents asked in turn, a connection each: ${written(rounds)}`);
}

async function sweep(): Promise<number> {
  let next = 0;
  let answers = 0;
  const lane = async () => {
    for (let agent = next++; agent < AGENTS; agent = next++) {
      const wasThere = await askOnce(addressOf(agent)).then(() => true, unlessDown);
      if (wasThere) answers++;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
  return answers;
}

async function askOnce(host: string): Promise<void> {
  const socket = connect(PORT, host);
  socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  const answer = await text(socket);
  if (!answer.startsWith('HTTP/1.1 200 ')) throw new Error(`${host} answered ${answer.slice(0, 80)}`);
}

/** One agent asked again and again, over connections that stay and over new ones. */
async function benchAnswers(payload: string, folder: string): Promise<void> {
  const fleet = await startFleet(pulled(1, payload));
  await pause(FIRST_RESULT_MS);
  const kept: Cost[] = [];
  const fresh: Cost[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    kept.push(await costOf(fleet, () => wrk(folder, [])));
    fresh.push(await costOf(fleet, () => wrk(folder, ['-H', 'Connection: close'])));
  }
  await fleet.stop();
  print(`  ${payload}: ${written(kept)}; a connection for each request: ${written(fresh)}`);
}

async function wrk(folder: string, flags: readonly string[]): Promise<number> {
  const script = join(folder, 'poll.lua');
  writeFileSync(
    script,
    'done = function(summary) io.write("REQUESTS ", summary.requests, " FAILED ", summary.errors.status, "\\n") end',
  );
  const url = `http://${addressOf(0)}:${PORT}/`;
  const child = spawn('wrk', ['-t1', `-c${CONNECTIONS}`, `-d${SECONDS}s`, '-s', script, ...flags, url]);
  const ended = once(child, 'exit');
  const report = await text(child.stdout);
  await ended;
  const [, requests, failed] = /REQUESTS (\d+) FAILED (\d+)/.exec(report) ?? [];
  if (failed !== '0') throw new Error(`the agent did not answer every request with success:\n${report}`);
  return Number(requests);
}

type Cost = { readonly perSecond: number; readonly cpuMicros: number };

/** `ask` resolves to how many answers there were. */
async function costOf(fleet: FleetProcess, ask: () => Promise<number>): Promise<Cost> {
  const before = await fleet.used();
  const answers = await ask();
  const after = await fleet.used();
  return {
    perSecond: (answers * 1000) / (after.ageMs - before.ageMs),
    cpuMicros: (after.cpuMicros - before.cpuMicros) / answers,
  };
}

function written(rounds: readonly Cost[]): string {
  const fastest = Math.max(...rounds.map(({ perSecond }) => perSecond));
  const cheapest = Math.min(...rounds.map(({ cpuMicros }) => cpuMicros));
  return `${fastest.toFixed(0)} answers/s, ${cheapest.toFixed(0)} µs CPU each`;
}

function pulled(agents: number, payload: string): object {
  return {
    name: 'bench',
    fleet: { agents, payload },
    webServer: { listen: LISTEN, interval: '5s' },
    phases: [{ name: 'polled', duration: '5m' }],
  };
}

function addressOf(agent: number): string {
  const host = agent + 1;
  return `127.30.${host >>> 8}.${host & 0xff}`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
