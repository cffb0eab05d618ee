import type { Fault } from '../faults/fault.ts';
import { USUAL_LIMITS } from '../metrics/judging/validity.ts';
import { countedPhases, measure } from '../metrics/merging/run-totals.ts';
import type { Totals } from '../metrics/merging/totals.ts';
import { ALONE, startRun } from '../run/run.ts';
import type { Scenario } from '../scenario/scenario.ts';

export const SEED = 1;
export const AGENTS = 100;
export const OPERATION = 'checkdata';

/** How many pushes an agent has made before it is measured: the one right after its registration. */
export const WARM_UP_PUSHES = 1;
const WARM_UP_MS = 500;
const WARM_UP_PER_SECOND = 400;

type Phase = Scenario['phases'][number];

/** A load at a constant rate on a server that is told what to do wrong. */
export type Trial = {
  readonly ratePerSecond: number;
  readonly durationMs: number;
  /** What the server does wrong; times count from the start of the measured phase, and 0 is the start of all. */
  readonly faults: readonly Fault[];
};

/**
 * Carries a trial out as any run: real connections, one worker thread, the server in a thread of its own. Each agent has
 * opened its connection before the measured phase.
 */
export async function measureTrial(trial: Trial): Promise<Totals> {
  const run = startRun({ ...ALONE, scenario: scenarioOf(trial), workers: 1, resultsFolder: undefined }, () => {});
  const { recording, summary } = await run.outcome;
  const failed = summary.verdict.reasons.find(({ kind }) => kind === 'incomplete' || kind === 'unreachable');
  if (failed !== undefined) throw new Error(`the calibration did not come to its end: ${failed.text}`);
  return measure(recording, OPERATION, countedPhases(recording)).totals;
}

function scenarioOf({ ratePerSecond, durationMs, faults }: Trial): Scenario {
  return {
    name: 'calibration',
    description: '',
    target: {
      url: 'embedded',
      apiKey: '',
      allow: [],
      timeoutMs: 10_000,
      tls: { verify: true, caFile: undefined, serve: undefined },
      dialect: 'documented',
      pull: undefined,
      faults: faults.map((fault) => ({ ...fault, atMs: fault.atMs === 0 ? 0 : WARM_UP_MS + fault.atMs })),
    },
    fleet: {
      agents: AGENTS,
      seed: SEED,
      profiles: { 'ubuntu-24.04': 1 },
      payload: 'lean',
      checks: {},
      connections: { kind: 'per-agent' },
      sourceAddresses: [],
      identities: { kind: 'ephemeral' },
    },
    webServer: undefined,
    incidents: [],
    phases: [
      {
        ...{ name: 'warm-up', startMs: 0, durationMs: WARM_UP_MS, excluded: true },
        loads: [{ operation: 'register', model: { kind: 'rate', ratePerSecond: WARM_UP_PER_SECOND, limit: AGENTS } }],
      },
      {
        ...{ name: 'measured', startMs: WARM_UP_MS, durationMs, excluded: false },
        loads: [{ operation: OPERATION, model: { kind: 'rate', ratePerSecond, limit: undefined } }],
      },
    ] satisfies Phase[],
    thresholds: [],
    validity: USUAL_LIMITS,
  };
}
