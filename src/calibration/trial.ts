import { uuidOf } from '../agent/identity.ts';
import type { Fault } from '../faults/fault.ts';
import { monotonicClock } from '../kernel/clock.ts';
import { countedPhases, measure } from '../metrics/merging/measurement.ts';
import type { Totals } from '../metrics/merging/totals.ts';
import { DEFAULT_SETTINGS } from '../monitoring-server/settings.ts';
import { startRun } from '../run/control.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { openShards } from '../workers/open-shards.ts';
import { type ServerThread, startServerThread } from '../workers/server-thread.ts';

export const SEED = 1;
export const AGENTS = 100;
export const OPERATION = 'checkdata';

/** How many pushes an agent has made before it is measured. */
export const WARM_UP_PUSHES = 1;
const WARM_UP_MS = 500;
const WARM_UP_PER_SECOND = 400;

type Phase = Scenario['phases'][number];

/** A load at a constant rate on a server that is told what to do wrong. */
export type Trial = {
  readonly ratePerSecond: number;
  readonly durationMs: number;
  /** What the server does wrong from its start on. */
  readonly faults: readonly Fault[];
  /** What it does wrong from an instant of the measured phase on; their times count from then. */
  readonly later: { readonly afterMs: number; readonly faults: readonly Fault[] } | undefined;
};

/**
 * Carries a trial out as a run is carried out: real connections, one worker thread, the server in a thread of its own.
 * Agents are registered from the start, and each has opened its connection before the measured phase.
 */
export async function measureTrial(trial: Trial): Promise<Totals> {
  const passwords = new Map(Array.from({ length: AGENTS }, (_, agent) => [uuidOf(SEED, agent), `p-${agent}`]));
  const registrations = [...passwords].map(([uuid, password]) => ({ uuid, password }));
  const server = await startServerThread({ ...DEFAULT_SETTINGS, seed: SEED, registrations, faults: trial.faults });
  let timer: NodeJS.Timeout | undefined;
  try {
    const scenario = scenarioOf(trial, server.url);
    const plan = { scenario, targetUrl: server.url, workers: 1, knownPasswords: passwords };
    const run = startRun(scenario, {
      openShards: (events) => openShards(plan, events),
      clock: monotonicClock,
      onStart: (startedAt) => {
        timer = misbehaveLater(trial, server, startedAt);
      },
      takesConnections: () => Promise.resolve(true),
      onSeconds: () => {},
      saveCredentials: () => {},
    });
    const { recording, reasons } = await run.end;
    for (const { text } of reasons) throw new Error(`the calibration did not come to its end: ${text}`);
    return measure(recording, OPERATION, countedPhases(recording)).totals;
  } finally {
    clearTimeout(timer);
    await server.stop();
  }
}

function misbehaveLater({ later }: Trial, server: ServerThread, startedAt: Date): NodeJS.Timeout | undefined {
  if (later === undefined) return undefined;
  const delayMs = startedAt.getTime() - Date.now() + WARM_UP_MS + later.afterMs;
  return setTimeout(() => server.setFaults(later.faults), delayMs);
}

function scenarioOf({ ratePerSecond, durationMs }: Trial, url: string): Scenario {
  return {
    name: 'calibration',
    description: '',
    target: {
      url,
      apiKey: '',
      allow: [],
      timeoutMs: 10_000,
      tls: { verify: true, caFile: undefined },
      dialect: 'documented',
      faults: [],
    },
    fleet: {
      agents: AGENTS,
      seed: SEED,
      profiles: { 'ubuntu-24.04': 1 },
      payload: 'lean',
      checks: {},
      connections: { kind: 'per-agent' },
      identities: { kind: 'ephemeral' },
    },
    incidents: [],
    phases: [
      phaseOf({ name: 'warm-up', startMs: 0, durationMs: WARM_UP_MS, excluded: true }, WARM_UP_PER_SECOND, AGENTS),
      phaseOf({ name: 'measured', startMs: WARM_UP_MS, durationMs, excluded: false }, ratePerSecond),
    ],
    thresholds: [],
  };
}

function phaseOf(span: Omit<Phase, 'loads'>, ratePerSecond: number, limit?: number): Phase {
  return { ...span, loads: [{ operation: OPERATION, model: { kind: 'rate', ratePerSecond, limit } }] };
}
