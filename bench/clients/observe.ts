import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { accountOf } from '../processes/account.ts';
import { type Sink, type SinkKind, startSink } from '../processes/nginx-sink.ts';
import { pinned } from '../processes/pinning.ts';
import { PROGRAM_ENVIRONMENT } from '../processes/programs.ts';
import type { Client } from './client.ts';

/** How long a client warms up, and how long it is measured. */
export type Window = { readonly warmUpSeconds: number; readonly seconds: number };

/** Observations of a client during the window. */
export type Observed = {
  readonly requests: number;
  readonly seconds: number;
  /** From the start of the process to its first request. */
  readonly startSeconds: number;
  /** CPU time of the client, with all its threads and processes, and of the sink. */
  readonly cpuSeconds: number;
  readonly sinkCpuSeconds: number;
  /** At the end of the window. */
  readonly connections: number;
  readonly rssBytes: number;
  readonly peakBytes: number;
  /** Times of requests within the window, in Unix ms; empty unless the sink is `logged`. */
  readonly arrivalsMs: readonly number[];
  /** Everything that the client printed. */
  readonly stdout: string;
};

/** A client runs a little longer than the window, so that its shutdown is not measured. */
const MARGIN_SECONDS = 2;
const STARTS_WITHIN_MS = 120_000;
const ENDS_WITHIN_MS = 60_000;

/** Runs a client against its own sink. The sink counts requests, so no client's own figures are trusted. */
export async function observe(client: Client, window: Window, kind: SinkKind = 'plain') {
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'));
  const sink = await startSink(kind);
  try {
    const { warmUpSeconds } = window;
    const seconds = Math.ceil(warmUpSeconds + window.seconds + MARGIN_SECONDS);
    const command = client.command({ url: sink.url, ca: sink.ca, folder, seconds, warmUpSeconds });
    return await observeCommand(command, window, sink);
  } finally {
    await sink.stop();
    rmSync(folder, { recursive: true });
  }
}

async function observeCommand(command: readonly string[], window: Window, sink: Sink): Promise<Observed> {
  const [program, ...args] = pinned('client', command);
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: PROGRAM_ENVIRONMENT });
  const stdout = text(child.stdout);
  const stderr = text(child.stderr);
  const ended = once(child, 'exit');
  try {
    const startSeconds = await firstRequest(child, sink);
    await pause(window.warmUpSeconds * 1000);
    const before = await look(child, sink);
    await pause(window.seconds * 1000);
    const after = await look(child, sink);
    if (after.rssBytes === 0) throw new Error('it ended before its time');
    const isOver = await Promise.race([ended, pause(ENDS_WITHIN_MS, undefined, { ref: false })]);
    if (isOver === undefined) throw new Error('it did not end');
    return {
      ...difference(before, after),
      startSeconds,
      arrivalsMs: await arrivals(sink, before, after),
      stdout: await stdout,
    };
  } catch (error) {
    child.kill('SIGKILL');
    await ended;
    throw new Error(
      `${error instanceof Error ? error.message : error}: ${lastLines((await stderr) || (await stdout))}`,
    );
  }
}

/** Seconds until the first request arrived. */
async function firstRequest(child: ChildProcess, sink: Sink): Promise<number> {
  const startMs = performance.now();
  for (; performance.now() - startMs < STARTS_WITHIN_MS; await pause(25)) {
    if (child.exitCode !== null) throw new Error('it sent nothing');
    if ((await sink.count()).requests > 0) return (performance.now() - startMs) / 1000;
  }
  throw new Error(`it sent nothing for ${STARTS_WITHIN_MS / 1000} s`);
}

type Look = Awaited<ReturnType<typeof look>>;

async function look(child: ChildProcess, sink: Sink) {
  const counted = await sink.count();
  const { cpuSeconds, rssBytes, peakBytes } = accountOf(child.pid ?? 0);
  const sinkCpuSeconds = accountOf(sink.pid).cpuSeconds;
  return { ...counted, atMs: Date.now(), cpuSeconds, rssBytes, peakBytes, sinkCpuSeconds };
}

function difference(before: Look, after: Look) {
  return {
    requests: after.requests - before.requests,
    seconds: (after.atMs - before.atMs) / 1000,
    cpuSeconds: after.cpuSeconds - before.cpuSeconds,
    sinkCpuSeconds: after.sinkCpuSeconds - before.sinkCpuSeconds,
    connections: after.connections,
    rssBytes: after.rssBytes,
    peakBytes: after.peakBytes,
  };
}

async function arrivals(sink: Sink, before: Look, after: Look): Promise<readonly number[]> {
  return (await sink.arrivalsMs()).filter((atMs) => atMs >= before.atMs && atMs < after.atMs);
}

function lastLines(output: string): string {
  return output.trim().split('\n').slice(-3).join(' / ');
}
