import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Fleet, muster, planCommand, pushesOf } from './clients/muster.ts';
import { type Observed, observe } from './clients/observe.ts';
import type { Benchmark, Case, Context, Figures } from './harness/benchmark.ts';
import { connectionsWithin } from './harness/descriptors.ts';
import { PINNING } from './processes/pinning.ts';
import { runToEnd } from './processes/run-to-end.ts';

const SHARED = 64;
const PUSHES_PER_SECOND = 2000;

/** Memory per agent, beyond a process that runs the same scenario with a single agent. */
export const density: Benchmark = {
  name: 'density',
  question: 'How much memory does a large fleet take in one process?',
  needs: ['nginx'],
  minutes: { quick: 1, full: 20 },
  figures: {
    rssMb: 'RSS MB',
    peakMb: 'peak MB',
    emptyMb: 'empty MB',
    bytesPerAgent: 'B per agent',
    bytesPerFurther: 'B per further one',
    planSeconds: 's to plan',
    startSeconds: 's to first push',
    perSecond: 'pushes/s',
    cpuUs: 'CPU µs per push',
  },
  async *cases({ quick, note }) {
    note(PINNING);
    const scale = quick ? 0.1 : 1;
    const own = connectionsWithin(10_000 * scale, note);
    yield fleetCase(`${own} agents, each with its own connection`, { agents: own, kind: 'plain', note });
    const overTls = connectionsWithin(5000 * scale, note);
    yield fleetCase(`${overTls} agents, each with its own TLS connection`, { agents: overTls, kind: 'tls', note });
    const millions = 1_000_000 * scale;
    yield { name: `${millions} agents`, variants: [{ name: 'muster plan', sample: () => samplePlan(millions) }] };
    for (const agents of [100_000 * scale, millions]) {
      yield fleetCase(`${agents} agents on ${SHARED} connections`, { agents, kind: 'shared', note });
    }
  },
};

type Kind = 'plain' | 'tls' | 'shared';

type Dense = { readonly agents: number; readonly kind: Kind; readonly note: Context['note'] };

function fleetCase(name: string, dense: Dense): Case {
  return { name, variants: [{ name: 'muster', sample: () => sampleFleet(dense) }] };
}

async function samplePlan(agents: number): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'));
  try {
    const place = { url: 'http://127.0.0.1:9', ca: undefined, folder, seconds: 60, warmUpSeconds: 1 };
    const { seconds, peakBytes, exitCode } = await runToEnd(planCommand(fleetOf(agents, 'shared'), place));
    if (exitCode !== 0) throw new Error(`muster plan ended with ${exitCode}`);
    return { planSeconds: seconds, peakMb: peakBytes / 1e6 };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function sampleFleet(dense: Dense): Promise<Figures> {
  const empty = await observeFleet({ ...dense, agents: 1 });
  const full = await observeFleet(dense);
  const further = dense.kind === 'shared' ? { bytesPerFurther: await sampleFurther(dense, full) } : {};
  const { requests, seconds, cpuSeconds, rssBytes, peakBytes, startSeconds } = full;
  return {
    rssMb: rssBytes / 1e6,
    peakMb: peakBytes / 1e6,
    emptyMb: empty.rssBytes / 1e6,
    bytesPerAgent: (rssBytes - empty.rssBytes) / dense.agents,
    ...further,
    startSeconds,
    perSecond: requests / seconds,
    cpuUs: (cpuSeconds * 1e6) / requests,
  };
}

/** Compared with a tenth of the fleet at the same rate of pushes, because a single agent does not touch the memory for work. */
async function sampleFurther(dense: Dense, full: Observed): Promise<number> {
  const tenth = await observeFleet({ ...dense, agents: dense.agents / 10 });
  return (full.rssBytes - tenth.rssBytes) / (dense.agents * 0.9);
}

async function observeFleet({ agents, kind, note }: Dense): Promise<Observed> {
  const window = { warmUpSeconds: 6, seconds: 6 };
  const observed = await observe(muster(fleetOf(agents, kind)), window, kind === 'tls' ? 'tls' : 'plain');
  pushesOf(observed.stdout, note);
  return observed;
}

/** An agent with its own connection pushes before the measurement. With a million agents, there is no time for that. */
function fleetOf(agents: number, kind: Kind): Fleet {
  const checkdata = { every: `${Math.max(1, agents / PUSHES_PER_SECOND)}s` };
  return { agents, payload: 'typical', checkdata, ...(kind === 'shared' ? { shared: SHARED } : {}) };
}
