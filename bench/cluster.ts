import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, openSync, readdirSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { readStart } from '../src/results/read.ts';
import type { Benchmark, Context, Figures } from './harness/benchmark.ts';
import { percentile } from './harness/statistics.ts';
import { type Account, accountOf } from './processes/account.ts';
import { PROGRAM_ENVIRONMENT } from './processes/programs.ts';
import { runToEnd } from './processes/run-to-end.ts';

const ROOT = resolve(import.meta.dirname, '..');
const MUSTER = [process.execPath, '--', join(ROOT, 'src/main.ts')];
const SIMULATION = join(import.meta.dirname, 'processes/simulated-machines.ts');
const SIMULATORS = 4;
/** Pushes per second of one machine: a fleet of 18,000 agents that push every 30 s. */
const PER_SECOND = 600;

/** Many simulated machines with a real NATS and a real coordinator: the resources that both use, and the delay of the live view. */
export const cluster: Benchmark = {
  name: 'cluster',
  question: 'How many machines can one coordinator and one NATS take?',
  needs: ['nats-server'],
  minutes: { quick: 1, full: 20 },
  figures: {
    framesPerSecond: 'frames/s',
    coordinatorCores: 'coordinator cores',
    coordinatorMb: 'coordinator peak MB',
    natsCores: 'NATS cores',
    natsMb: 'NATS peak MB',
    behindP50: 'view behind p50 s',
    behindMax: 'view behind max s',
  },
  async *cases({ quick, note }) {
    const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'));
    try {
      const seconds = quick ? 4 : 30;
      const recording = await record(folder, seconds);
      noteCores(note);
      for (const machines of quick ? [10] : [100, 300, 1000, 2000]) {
        const sample = () => sampleCluster({ machines, seconds, recording, folder });
        yield {
          name: `${machines} machines, ${machines * PER_SECOND} pushes/s`,
          variants: [{ name: 'muster', sample }],
        };
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

function noteCores(note: Context['note']): void {
  note(
    `Machines are simulated by ${SIMULATORS} processes, which share ${availableParallelism()} cores with NATS and the coordinator: all of them together are at their end first.`,
  );
}

const phasesOf = (seconds: number) => [
  { name: 'enroll', exclude: true, register: { over: '2s' } },
  { name: 'steady', duration: `${seconds}s`, checkdata: { rate: `${PER_SECOND}/s` }, authorize: { rate: '20/s' } },
];

/** Records what one machine reports each second, as the results of a run. */
async function record(folder: string, seconds: number): Promise<string> {
  const fleet = { agents: 600, payload: 'lean', connections: { shared: 60 } };
  const file = join(folder, 'one.json');
  writeFileSync(file, JSON.stringify({ name: 'one', fleet, phases: phasesOf(seconds) }));
  const { exitCode } = await runToEnd([...MUSTER, 'run', file, '--quiet', '--out', folder, '--workers', '2']);
  // Its seconds can be used even if the run was not valid.
  if (exitCode !== 0 && exitCode !== 111) throw new Error(`the run to be recorded ended with ${exitCode}`);
  return join(folder, 'one', 'latest');
}

type Simulated = {
  readonly machines: number;
  readonly seconds: number;
  readonly recording: string;
  readonly folder: string;
};

async function sampleCluster({ machines, seconds, recording, folder }: Simulated): Promise<Figures> {
  const place = mkdtempSync(join(folder, 'cluster-'));
  const target = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(target, 'listening');
  const nats = await startNats(place);
  const file = join(place, 'many.json');
  const fleet = { agents: 600 * machines, payload: 'lean', connections: { shared: 60 * machines } };
  writeFileSync(
    file,
    JSON.stringify({
      name: 'many',
      target: { url: `http://127.0.0.1:${portOf(target)}` },
      fleet,
      phases: phasesOf(seconds).map((phase) => times(phase, machines)),
    }),
  );
  const each = Math.ceil(machines / SIMULATORS);
  const simulators = Array.from({ length: Math.ceil(machines / each) }, (_, at) => {
    const range = [String(at * each), String(Math.min(each, machines - at * each))];
    return spawn(process.execPath, [SIMULATION, nats.url, ...range, recording], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  });
  try {
    const words = ['run', file, '--cluster', nats.url, '--machines', String(machines), '--wait', '2m', '--quiet'];
    const [program = '', ...args] = [...MUSTER, ...words, '--out', place];
    const coordinator = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    const pids = {
      coordinator: coordinator.pid ?? 0,
      nats: nats.pid,
    };
    const exited = once(coordinator, 'exit');
    const { secondsPerSecond, ...seen } = await watch(place, pids, exited);
    return { ...seen, framesPerSecond: secondsPerSecond * machines };
  } finally {
    for (const child of simulators) child.kill();
    await nats.stop();
    target.close();
  }
}

/** A phase with the load of one machine, multiplied. */
function times(phase: object, machines: number): object {
  return JSON.parse(JSON.stringify(phase).replace(/(\d+)\/s/g, (_, rate) => `${Number(rate) * machines}/s`));
}

type Pids = { readonly coordinator: number; readonly nats: number };

const LOOK_MS = 20;

/** Follows the timeline as it is written. The live view has each second at the same time. */
async function watch(place: string, pids: Pids, exited: Promise<unknown[]>) {
  let isOver = false;
  void exited.then(() => {
    isOver = true;
  });
  const behind: number[] = [];
  const accounts: Taken[] = [];
  let timeline: Timeline | undefined;
  while (!isOver) {
    await Promise.race([exited, pause(LOOK_MS)]);
    timeline ??= await openTimeline(join(place, 'many'));
    const seconds = timeline?.read() ?? [];
    behind.push(...seconds.map((second) => (Date.now() - (timeline?.startMs ?? 0)) / 1000 - second - 1));
    if (seconds.length > 0) accounts.push(taken(pids));
  }
  const [first, last] = [accounts[0], accounts.at(-1)];
  if (first === undefined || last === undefined || last === first) throw new Error('the coordinator wrote no seconds');
  const tookS = (last.atMs - first.atMs) / 1000;
  const cores = (of: (account: Taken) => number) => (of(last) - of(first)) / tookS;
  return {
    secondsPerSecond: (behind.length - 1) / tookS,
    coordinatorCores: cores(({ coordinator }) => coordinator.cpuSeconds),
    coordinatorMb: last.coordinator.peakBytes / 1e6,
    natsCores: cores(({ nats }) => nats.cpuSeconds),
    natsMb: last.nats.peakBytes / 1e6,
    behindP50: percentile(behind, 0.5),
    behindMax: Math.max(...behind),
  };
}

type Taken = {
  readonly atMs: number;
  readonly coordinator: Account;
  readonly nats: Account;
};

function taken({ coordinator, nats }: Pids): Taken {
  return {
    atMs: performance.now(),
    coordinator: accountOf(coordinator),
    nats: accountOf(nats),
  };
}

/** `read` returns the seconds that were written since the previous call. */
type Timeline = { readonly startMs: number; readonly read: () => readonly number[] };

/** `undefined` if the run has not started to write one. */
async function openTimeline(runs: string): Promise<Timeline | undefined> {
  const run = existsSync(runs) ? readdirSync(runs).find((name) => name !== 'latest') : undefined;
  const file = join(runs, run ?? '', 'timeline.ndjson');
  if (run === undefined || !existsSync(file)) return undefined;
  const { startedAt } = await readStart(join(runs, run));
  const descriptor = openSync(file, 'r');
  const buffer = Buffer.alloc(2 ** 24);
  let rest = '';
  return {
    startMs: Date.parse(startedAt),
    read: () => {
      const lines = (rest + buffer.toString('utf8', 0, readSync(descriptor, buffer))).split('\n');
      rest = lines.pop() ?? '';
      return lines.map((line) => Number(/^\{"second":(\d+)/.exec(line)?.[1]));
    },
  };
}

async function startNats(place: string) {
  const store = join(place, 'nats');
  const port = await freePort();
  const words = ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', store];
  const child = spawn('nats-server', words, { stdio: ['ignore', 'ignore', 'pipe'], env: PROGRAM_ENVIRONMENT });
  for await (const line of createInterface({ input: child.stderr })) if (line.includes('Server is ready')) break;
  child.stderr.resume();
  return {
    url: `nats://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  server.close();
  await once(server, 'close');
  return port;
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
