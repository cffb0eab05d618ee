import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forecastOf } from '../../src/capacity/find-capacity.ts';
import { type RaisedKind, raisedLoadOf } from '../../src/capacity/raised-load.ts';
import { stepOf } from '../../src/capacity/step.ts';
import { NOTHING_BEFORE, type StepPlan, stepScenario } from '../../src/capacity/step-scenario.ts';
import type { Summary } from '../../src/metrics/summary/summary-schema.ts';
import { formatScenario } from '../../src/scenario/file.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { draws } from '../draws.ts';
import { row, traceText } from '../load/traces/traces.ts';
import { runOf } from '../metrics/comparing/runs.ts';
import { scenarioOf } from '../scenario/read-scenario.ts';

const ATTEMPT = { number: 3, load: 150, purpose: 'climb' } as const;
const VIEW = {
  earlier: [],
  agents: 40,
  operation: 'checkdata' as const,
  loadAtMs: 3000,
  drainMs: 0,
  restMs: 0,
  lastsMs: 15_000,
};

describe('a step', () => {
  it('holds if its run passed, and has the figures of the searched operation', () => {
    // The conditions of a search are thresholds: runs pass, and the thresholds judge failed operations.
    const run: Summary = { ...runOf({ failed: 100 }), verdict: { kind: 'pass', reasons: [] }, warnings: [] };
    const { outcome, reasons, figures, runId, load } = stepOf(ATTEMPT, run, VIEW);
    expect({ outcome, reasons, runId, load }).toEqual({ outcome: 'held', reasons: [], runId: run.runId, load: 150 });
    expect(figures).toMatchObject({ errorRate: 0.25, droppedRate: 0 });
    expect(figures?.p99Ms).toBeGreaterThan(figures?.p50Ms ?? 0);
    expect(stepOf(ATTEMPT, run, { ...VIEW, operation: 'packages' }).figures).toBeUndefined();
  });

  it('gives way if work was never started, even if all conditions were met', () => {
    const warnings = ['checkdata: 12% of 400 planned operations were never started'];
    expect(stepOf(ATTEMPT, { ...runOf(), warnings }, VIEW)).toMatchObject({
      outcome: 'gave_way',
      reasons: warnings,
    });
  });

  it('holds despite other warnings of its run', () => {
    const warnings = ["this machine's clock was set back by 2.0 s during the run"];
    expect(stepOf(ATTEMPT, { ...runOf(), warnings }, VIEW)).toMatchObject({ outcome: 'held' });
  });

  it('gives way if agents cannot register, even if the others succeeded', () => {
    const checkdata = runOf().overall.find(({ operation }) => operation === 'checkdata');
    if (checkdata === undefined) throw new Error('nothing was measured');
    const register = { ...checkdata, operation: 'register' as const, planned: 40, started: 40, failed: 8 };
    const run = { ...runOf(), overall: [checkdata, register] };
    expect(stepOf(ATTEMPT, run, VIEW)).toMatchObject({
      outcome: 'gave_way',
      reasons: ['register: 8 failed, 2% of all planned, and their agents sent nothing else'],
    });
    const few = { ...register, failed: 4 };
    expect(stepOf(ATTEMPT, { ...run, overall: [checkdata, few] }, VIEW)).toMatchObject({ outcome: 'held' });
  });

  const CROSSED: Summary['verdict'] = { kind: 'threshold_crossed', reasons: [] };

  it('says nothing about its load if it gave way before the earlier backlog had drained', () => {
    // Registrations were due for two seconds, and the slowest took three milliseconds.
    const run = { ...runOf(), verdict: CROSSED };
    expect(stepOf(ATTEMPT, run, { ...VIEW, loadAtMs: 2000 })).toMatchObject({ outcome: 'gave_way', reasons: [] });
    const [enroll, ...phases] = run.phases;
    if (enroll?.operations[0] === undefined) throw new Error('nothing enrolled');
    const slowest = enroll.operations[0];
    const response = {
      ...slowest.latencyMs.response,
      max: 1500,
    } as Summary['overall'][number]['latencyMs']['response'];
    const slow = { ...enroll, operations: [{ ...slowest, latencyMs: { ...slowest.latencyMs, response } }] };
    const late = { ...run, phases: [slow, ...phases] };
    expect(stepOf(ATTEMPT, late, { ...VIEW, loadAtMs: 2000 })).toMatchObject({
      outcome: 'undrained',
      leftoverMs: 1500,
      reasons: [
        'the load started 0s after the preceding work, which affects the sample: its slowest operation took 1.5s',
      ],
    });
    expect(stepOf(ATTEMPT, late, { ...VIEW, loadAtMs: 3500, drainMs: 1500 }).outcome).toBe('gave_way');
    expect(stepOf(ATTEMPT, { ...late, verdict: runOf().verdict }, { ...VIEW, loadAtMs: 2000 }).outcome).toBe('held');
    const timeouts = { ...slowest, outcomes: { ok: 90, timeout: 10 } };
    const unanswered = { ...run, phases: [{ ...enroll, operations: [timeouts] }, ...phases] };
    expect(stepOf(ATTEMPT, unanswered, { ...VIEW, loadAtMs: 6000, drainMs: 4000 })).toMatchObject({
      outcome: 'undrained',
      leftoverMs: 9000,
    });
  });

  it('waits before its load if a backlog must drain', () => {
    const step = repeated(planOf(FULL), 1, 250, { ...NOTHING_BEFORE, drainMs: 2500 });
    expect(timesOf(step).slice(-3)).toEqual([
      ['drain', 9000, 2500, true],
      ['settle', 11_500, 3000, true],
      ['steady', 14_500, 8000, false],
    ]);
    expect(step.phases.find(({ name }) => name === 'drain')?.loads).toEqual([]);
    expect(timesOf(scenarioOf(formatScenario(step)))).toEqual(timesOf(step));
  });

  it('lets a server rest first, and shifts faults and incidents with their phases', () => {
    const step = repeated(planOf(FULL), 1, 100, { ...NOTHING_BEFORE, restMs: 10_000 });
    expect(timesOf(step).slice(0, 2)).toEqual([
      ['rest', 0, 10_000, true],
      ['enroll', 10_000, 2000, true],
    ]);
    const rested = repeated(planOf(FULL), 1, 100);
    expect(step.events[0]?.fromMs).toBe((rested.events[0]?.fromMs ?? 0) + 10_000);
  });

  it.each([
    ['threshold_crossed', 'gave_way'],
    ['invalid', 'generator'],
    ['unreachable', 'unreachable'],
    ['incomplete', 'incomplete'],
  ] as const)('whose run is %s counts as %s, with only that reason', (kind, outcome) => {
    const others = kind === 'threshold_crossed' ? [] : [{ kind: 'threshold_crossed' as const, text: 'slow' }];
    const verdict: Summary['verdict'] = { kind, reasons: [{ kind, text: 'why' }, ...others] };
    expect(stepOf(ATTEMPT, { ...runOf(), verdict }, VIEW)).toMatchObject({ outcome, reasons: ['why'] });
  });
});

const FULL = `
target:
  faults:
    - { do: latency, delay: 5ms }
    - { do: freeze, at: steady+2s, for: 1s }
    - { do: outage, at: after, for: 1s }
fleet: { agents: 100, seed: 7 }
events: [{ do: cpu-saturated, at: steady+1s }]
phases:
  - { name: enroll, register: { rate: 50/s } }
  - { name: warm-up, duration: 4s, checkdata: { every: 5s } }
  - { name: steady, duration: 20s, checkdata: { every: 5s }, authorize: { rate: 10/s } }
  - { name: after, duration: 5s, packages: { rate: 1/s }, exclude: true }`;

function planOf(text: string, kind?: RaisedKind, times = { settleMs: 3000, sampleMs: 8000 }): StepPlan {
  const scenario = scenarioOf(text);
  return { scenario, raised: raisedLoadOf(scenario, kind), thresholds: [], ...times };
}

const repeated = (plan: StepPlan, number: number, load: number, before = NOTHING_BEFORE) =>
  stepScenario(plan, before, { number, load, purpose: 'repeat' });

const timesOf = ({ phases }: Scenario) =>
  phases.map(({ name, startMs, durationMs, excluded }) => [name, startMs, durationMs, excluded]);

it('a search refuses a trace, whose load it cannot raise', () => {
  const files = { '/work/scenarios/a.trace': traceText(2, [row(0, 'checkdata', 1)]) };
  const scenario = scenarioOf('fleet: { agents: 9 }\nphases: [{ name: all, load: { trace: a.trace } }]', [], {}, files);
  expect(() => raisedLoadOf(scenario, undefined)).toThrow('The phase all has a trace, whose load muster run measures');
});

describe('the scenario of a step', () => {
  it('enrolls at the same rate, settles, and counts only the sample', () => {
    const step = repeated(planOf(FULL), 1, 250);
    expect(step.fleet.agents).toBe(250);
    expect(timesOf(step)).toEqual([
      ['enroll', 0, 5000, true],
      ['warm-up', 5000, 4000, true],
      ['settle', 9000, 3000, true],
      ['steady', 12_000, 8000, false],
    ]);
    expect(step.phases[0]?.loads[0]?.model).toEqual({ kind: 'rate', ratePerSecond: 50, limit: 250 });
  });

  it('enrolls the same share of the fleet', () => {
    const step = repeated(planOf(FULL.replace('rate: 50/s', 'rate: 50/s, agents: 40')), 1, 250);
    expect(step.phases[0]?.loads[0]?.model).toMatchObject({ limit: 100 });
  });

  it('keeps the position of a cadence and of faults and events in its phase, and drops later ones', () => {
    const step = repeated(planOf(FULL.replaceAll('every: 5s', 'every: 5s, spread: even')), 1, 250);
    const origins = step.phases.flatMap(({ loads }) =>
      loads.flatMap(({ model }) => (model.kind === 'cadence' ? [model.originMs] : [])),
    );
    expect(origins).toEqual([5000, 5000, 5000]);
    expect(step.target.faults.map(({ do: kind, atMs }) => [kind, atMs])).toEqual([
      ['latency', 0],
      ['freeze', 11_000],
    ]);
    expect(step.events).toMatchObject([{ fromMs: 10_000, toMs: 20_000 }]);
  });

  it('multiplies only the rates of the measured phase if a rate is raised', () => {
    const { raised } = planOf(FULL, 'rate');
    expect([raised.scenarioLoad, raised.phase.name]).toEqual([10, 'steady']);
    const step = repeated(planOf(FULL, 'rate'), 1, 25);
    expect(step.fleet.agents).toBe(100);
    expect(step.phases.at(-1)?.loads).toContainEqual({
      operation: 'authorize',
      model: { kind: 'rate', ratePerSecond: 25, limit: undefined },
    });
    expect(step.phases[0]?.loads[0]?.model).toMatchObject({ ratePerSecond: 50 });
  });

  it('says how many operations of a threshold can be due in the sample, if there is a limit', () => {
    const mostOf = (text: string, kind?: RaisedKind) => {
      const plan = planOf(
        `${text}\nthresholds: { checkdata: [max < 1s], authorize: [max < 1s], register: [max < 1s] }`,
        kind,
      );
      const step = repeated({ ...plan, thresholds: plan.scenario.thresholds }, 1, 250);
      return step.thresholds.map((threshold) => threshold.kind === 'operation' && threshold.mostOperations);
    };
    const quiet = FULL.replace(/^events.*$/m, '');
    // At each end of the eight seconds of the sample, one more may be due.
    expect(mostOf(quiet)).toEqual([250 * 3, 81, undefined]);
    const closed = quiet.replace(/(steady, duration: 20s, checkdata): { every: 5s }/, '$1: { concurrency: 5 }');
    expect(mostOf(closed, 'rate')).toEqual([undefined, 8 * 250 + 1, undefined]);
    expect(mostOf(FULL)).toEqual([undefined, undefined, undefined]);
  });

  it('has a separate seed unless identities are kept', () => {
    const seeds = (text: string) => [1, 2, 5].map((number) => repeated(planOf(text), number, 10).fleet.seed);
    expect(seeds(FULL)).toEqual([7, 8, 11]);
    expect(seeds(FULL.replace('seed: 7', 'seed: 7, identities: ./known.sqlite'))).toEqual([7, 7, 7]);
  });

  const KEPT = `
target: { url: http://127.0.0.1:9 }
fleet: { agents: 100, identities: known.sqlite }
phases:
  - { name: enroll, register: { rate: 50/s } }
  - { name: warm-up, duration: 4s, checkdata: { every: 5s } }
  - { name: steady, duration: 20s, checkdata: { every: 5s } }`;

  it('leaves the registration out once all agents are registered, unless the server is embedded, or the times of events or a threshold need it', () => {
    const names = (text: string, load: number, thresholds: StepPlan['thresholds'] = []) =>
      repeated({ ...planOf(text), thresholds }, 2, load, { ...NOTHING_BEFORE, enrolled: 150 }).phases.map(
        ({ name }) => name,
      );
    expect(names(KEPT, 150)).toEqual(['warm-up', 'settle', 'steady']);
    const all = ['enroll', 'warm-up', 'settle', 'steady'];
    expect(names(KEPT, 151)).toEqual(all);
    expect(names(KEPT.replace(/target: .*/, ''), 150)).toEqual(all);
    expect(names(KEPT.replace(', identities: known.sqlite', ''), 150)).toEqual(all);
    expect(names(`${KEPT}\nevents: [{ do: cpu-saturated, at: steady+1s }]`, 150)).toEqual(all);
    const judged = scenarioOf(`${KEPT}\nthresholds: { "register{phase:enroll}": ["p(99) < 1s"] }`).thresholds;
    expect(names(KEPT, 150, judged)).toEqual(all);
  });

  it('is expected to register agents only if they are new', () => {
    const plan = { from: 100, to: 100, growth: 1.5, resolution: 0.05, whole: true };
    const forecast = (text: string) => {
      const { counts, durationsMs } = forecastOf({ plan, steps: planOf(text) });
      return { steps: counts[1] ?? 0, durationMs: durationsMs[1] ?? 0 };
    };
    const [kept, renewed] = [KEPT, KEPT.replace(', identities: known.sqlite', '')].map(forecast);
    expect(kept?.steps).toBe(renewed?.steps);
    // 100 agents at 50/s, in all steps but the first.
    expect((renewed?.durationMs ?? 0) - (kept?.durationMs ?? 0)).toBe(2000 * ((kept?.steps ?? 0) - 1));
    expect(kept?.steps).toBeGreaterThan(1);
  });

  it('has no settle phase if it is not wanted, and renames one that has the same name', () => {
    const none = planOf(FULL, undefined, { settleMs: 0, sampleMs: 300 });
    expect(timesOf(repeated(none, 1, 100)).slice(-1)).toEqual([['steady', 6000, 300, false]]);
    const taken = repeated(planOf(FULL.replace('warm-up', 'settle')), 1, 100);
    expect(taken.phases.map(({ name }) => name)).toEqual(['enroll', 'settle', 'settle-again', 'steady']);
  });

  it('registers agents before the sample if the measured phase does both', () => {
    const step = repeated(
      planOf(`fleet: { agents: 20 }
phases: [{ name: all, duration: 9s, register: { over: 2s }, checkdata: { every: 5s } }]`),
      1,
      40,
    );
    const operations = step.phases.map(({ loads }) => loads.map(({ operation }) => operation));
    expect(operations).toEqual([['register', 'checkdata'], ['checkdata']]);
  });

  it('can be written as a scenario and run again, for any load', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), fc.constantFrom<RaisedKind>('agents', 'rate'), (load, kind) => {
        const step = repeated(planOf(FULL, kind), 3, load);
        const again = scenarioOf(formatScenario(step));
        expect(again.phases.map(({ loads }) => loads)).toEqual(step.phases.map(({ loads }) => loads));
        expect(timesOf(again)).toEqual(timesOf(step));
      }),
      { numRuns: draws(5) },
    );
  });
});

describe('the raised load', () => {
  const raisedBy = (loads: string) => {
    const { kind, scenarioLoad } = raisedLoadOf(
      scenarioOf(`fleet: { agents: 30 }\nphases:\n  - { name: p, duration: 5s, ${loads} }`),
      undefined,
    );
    return [kind, scenarioLoad];
  };

  it('is the fleet if agents have an interval, and otherwise the rate', () => {
    expect(raisedBy('checkdata: { every: 5s }, authorize: { rate: 9/s }')).toEqual(['agents', 30]);
    expect(raisedBy('checkdata: { rate: 20/s }, authorize: { rate: 9/s }')).toEqual(['rate', 29]);
    expect(raisedBy('checkdata: { rate: 10/s..80/s }')).toEqual(['rate', 10]);
  });

  it('is undefined for a closed load, and for registrations alone', () => {
    expect(() => raisedBy('checkdata: { concurrency: 3 }')).toThrow('has a closed load');
    expect(() => raisedBy('register: { rate: 3/s }')).toThrow('the scenario has none');
  });

  it('is the fleet if agents are only polled', () => {
    const { kind, phase } = raisedLoadOf(
      scenarioOf(`fleet: { agents: 30 }
target: { pull: { every: 5s } }
webServer: { listen: 127.0.0.1:20000+ }
phases: [{ name: poll, duration: 5s }]`),
      undefined,
    );
    expect([kind, phase.name]).toEqual(['agents', 'poll']);
  });
});
