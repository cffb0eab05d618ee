import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { uuidOf } from '../src/agent/identity.ts';
import { averageBytesOf } from '../src/machine/profiles.ts';
import { summarySchema } from '../src/metrics/results/summary-schema.ts';
import { openIdentityStore } from '../src/storage/identity-store.ts';
import { type Usage, usageOf } from './child-usage.ts';
import { startNginxSink } from './nginx-sink.ts';

const CONNECTIONS = 64;
const AGENTS = 10_000;
const MUSTER = resolve(import.meta.dirname, '../src/main.ts');

/** CPU per push against a bare sink, beside wrk with a body of the same size, in turn; and the memory of a large fleet. */
export async function benchPushCost(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'));
  const sink = await startNginxSink();
  const target = `http://127.0.0.1:${sink.port}`;
  const identities = join(folder, 'identities.db');
  try {
    registerAll(identities, target);
    const rows: { wrk: number; muster: number }[] = [];
    for (let round = 1; round <= 3; round++) {
      const wrk = await costOf((seconds) => wrkSample(target, folder, seconds));
      const muster = await costOf((seconds) => musterSample({ target, identities, folder }, seconds));
      rows.push({ wrk, muster });
      print(
        `  round ${round}: wrk ${wrk.toFixed(1)} µs, muster ${muster.toFixed(1)} µs, ratio ${(muster / wrk).toFixed(2)}`,
      );
    }
    const ratios = rows.map(({ wrk, muster }) => muster / wrk).sort((a, b) => a - b);
    print(
      `  CPU per push of 40 KB on ${CONNECTIONS} connections: ${ratios[1]?.toFixed(2)} × wrk (median; aim: below 3)`,
    );
    await benchMemory({ target, identities, folder });
  } finally {
    await sink.stop();
    rmSync(folder, { recursive: true });
  }
}

type Place = { readonly target: string; readonly identities: string; readonly folder: string };

/** The sink cannot issue passwords, so the agents bring theirs. */
function registerAll(identities: string, target: string): void {
  const store = openIdentityStore(identities);
  const entries = Array.from({ length: AGENTS }, (_, agent) => ({ uuid: uuidOf(1, agent), password: 'f'.repeat(128) }));
  store.save(target, entries);
  store.close();
}

/** What one run of `seconds` did and used. */
type Sample = { readonly cpuSeconds: number; readonly requests: number };

/** A short and a long run: what the second did more than the first is free of starting up and compiling. */
async function costOf(sample: (seconds: number) => Promise<Sample>): Promise<number> {
  const short = await sample(3);
  const long = await sample(9);
  return ((long.cpuSeconds - short.cpuSeconds) * 1e6) / (long.requests - short.requests);
}

async function wrkSample(target: string, folder: string, seconds: number): Promise<Sample> {
  const script = join(folder, 'push.lua');
  const size = averageBytesOf('ubuntu-24.04', 'typical').checkdata;
  writeFileSync(
    script,
    `wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\nwrk.body = string.rep("x", ${size})\n` +
      'done = function(summary) io.write("REQUESTS " .. summary.requests .. "\\n") end\n',
  );
  const usage = await usageOf('wrk', ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '-s', script, target]);
  return { cpuSeconds: usage.cpuSeconds, requests: Number(/REQUESTS (\d+)/.exec(usage.stdout)?.[1]) };
}

async function musterSample(place: Place, seconds: number): Promise<Sample> {
  const usage = await muster('throughput.yaml', place, seconds);
  return { cpuSeconds: usage.cpuSeconds, requests: acceptedPushes(usage) };
}

async function benchMemory(place: Place): Promise<void> {
  const usage = await muster('many-agents.yaml', place, 20);
  const pushes = acceptedPushes(usage);
  print(
    `  ${AGENTS} agents, each with its own connection, ${pushes} pushes: peak ${Math.round(usage.peakBytes / 1e6)} MB ` +
      `in the whole process (aim: below 500), ${((usage.cpuSeconds * 1e6) / pushes).toFixed(0)} µs CPU per push, ` +
      'starting up and connecting included',
  );
}

function muster(scenario: string, { target, identities, folder }: Place, seconds: number): Promise<Usage> {
  const file = resolve(import.meta.dirname, scenario);
  const flags = [
    '--target',
    target,
    '--duration',
    `${seconds}s`,
    '--workers',
    '1',
    '--out',
    folder,
    '--quiet',
    '--json',
  ];
  process.env.MUSTER_BENCH_IDENTITIES = identities;
  process.env.MUSTER_TARGET = target;
  return usageOf(process.execPath, ['--', MUSTER, 'run', file, ...flags]);
}

function acceptedPushes({ stdout, exitCode }: Usage): number {
  if (exitCode !== 0) throw new Error(`muster ended with ${exitCode}`);
  const summary = summarySchema.parse(JSON.parse(stdout));
  return summary.overall.find(({ operation }) => operation === 'checkdata')?.succeeded ?? 0;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
