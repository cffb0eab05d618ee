import { describe, expect, it } from 'vitest';
import { uniform } from '../../src/base/kernel/random.ts';
import type { Operation } from '../../src/base/protocol/operations.ts';
import { conditionsOf } from '../../src/capacity/conditions.ts';
import { findCapacity } from '../../src/capacity/find-capacity.ts';
import { raisedLoadOf } from '../../src/capacity/raised-load.ts';
import type { SearchPlan } from '../../src/capacity/search.ts';
import { timelineEndMs } from '../../src/load/timeline.ts';
import { abortingThresholds } from '../../src/metrics/judging/threshold-results.ts';
import type { ThresholdResult } from '../../src/metrics/judging/thresholds.ts';
import { abortReason } from '../../src/metrics/judging/verdict.ts';
import { phaseAt } from '../../src/metrics/merging/phases.ts';
import { createRunTotals } from '../../src/metrics/merging/run-totals.ts';
import type { Outcome } from '../../src/metrics/recording/outcomes.ts';
import { createRecorder } from '../../src/metrics/recording/recorder.ts';
import { summarize } from '../../src/metrics/summary/summary.ts';
import { answerOf } from '../../src/report/capacity.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { type Call, FACTS, perform, stateAt } from '../metrics/recordings.ts';
import { scenarioOf } from '../scenario/read-scenario.ts';

/** How a server answers a request at a given time. It keeps its state over all steps, and its clock stops between them. */
type Server = {
  readonly answer: (atMs: number) => { readonly ms: number; readonly ok: boolean; readonly failure?: Outcome };
};

/** Processes requests one after another, each in the same time, with an unlimited queue. */
function queue(perSecond: number): Server {
  let freeMs = 0;
  return {
    answer: (atMs) => {
      freeMs = Math.max(freeMs, atMs) + 1000 / perSecond;
      return { ms: freeMs - atMs, ok: true };
    },
  };
}

/** The same, but refuses requests that it cannot start within 200 ms. */
function fixedRate(perSecond: number): Server {
  let freeMs = 0;
  return {
    answer: (atMs) => {
      if (freeMs - atMs > 200) return { ms: 1, ok: false };
      freeMs = Math.max(freeMs, atMs) + 1000 / perSecond;
      return { ms: freeMs - atMs, ok: true };
    },
  };
}

/** Takes ten times as long per request while half a second of work is queued: it collapses, and recovers without load. */
function collapse(perSecond: number): Server {
  let freeMs = 0;
  return {
    answer: (atMs) => {
      const factor = freeMs - atMs > 500 ? 10 : 1;
      freeMs = Math.min(Math.max(freeMs, atMs) + (factor * 1000) / perSecond, atMs + 8000);
      return { ms: freeMs - atMs, ok: true };
    },
  };
}

/** Answers 503 above this many requests per second. */
function refusesAbove(perSecond: number): Server {
  let [second, count] = [0, 0];
  return {
    answer: (atMs) => {
      if (Math.floor(atMs / 1000) !== second) [second, count] = [Math.floor(atMs / 1000), 0];
      return { ms: 5, ok: ++count <= perSecond };
    },
  };
}

/** Fails permanently after more than this many requests in a second. */
function breaksAbove(perSecond: number): Server {
  let [second, count, isBroken] = [0, 0, false];
  return {
    answer: (atMs) => {
      if (Math.floor(atMs / 1000) !== second) [second, count] = [Math.floor(atMs / 1000), 0];
      isBroken ||= ++count > perSecond;
      return { ms: 5, ok: !isBroken };
    },
  };
}

/** The same, but never answers then. */
function hangsAbove(perSecond: number): Server {
  const { answer } = breaksAbove(perSecond);
  return {
    answer: (atMs) => (answer(atMs).ok ? { ms: 5, ok: true } : { ms: TIMEOUT_MS, ok: false, failure: 'timeout' }),
  };
}

/** Fails for a minute after each second with more than this many requests, and then recovers. */
function breaksForAMinuteAbove(perSecond: number): Server {
  let [second, count, brokenToMs] = [0, 0, 0];
  return {
    answer: (atMs) => {
      if (Math.floor(atMs / 1000) !== second) [second, count] = [Math.floor(atMs / 1000), 0];
      if (++count > perSecond) brokenToMs = atMs + 60_000;
      return { ms: 5, ok: atMs >= brokenToMs };
    },
  };
}

/** Completes no request for half an hour. */
const stuck: Server = { answer: (atMs) => ({ ms: Math.max(5, 1_800_000 - atMs), ok: true }) };

const TIMEOUT_MS = 29_000;

/** Runs scenarios against a server in virtual time, each one second after the last answer of the previous one. */
function runsAgainst(server: Server, placeOf: () => number) {
  let nowMs = 0;
  return {
    tookMs: () => nowMs,
    run: async (scenario: Scenario) => {
      const { thresholds, phases } = scenario;
      const { recording, crossed, answeredMs } = recordedRun(scenario, placeOf, (atMs) => server.answer(nowMs + atMs));
      nowMs += Math.max(recording.elapsedMs, Math.min(answeredMs, recording.elapsedMs + TIMEOUT_MS)) + 1000;
      const reasons = crossed.map((result) => abortReason(result, recording.elapsedMs, timelineEndMs(phases)));
      return summarize(recording, { ...FACTS, thresholds, reasons });
    },
  };
}

/** Takes a frame every second, and ends with the first one that crosses a threshold which may end the run. */
function recordedRun({ phases, thresholds }: Scenario, placeOf: () => number, answer: Server['answer']) {
  let endedMs = 0;
  const recorder = createRecorder({
    clock: () => endedMs,
    phaseAt: (atMs) => phaseAt(phases, atMs)?.name,
    lateMs: 100,
  });
  const totals = createRunTotals(phases, [0]);
  // An agent that has registered pushes its check data. No server here reorders requests.
  const pushes: Due[] = [];
  const open: (Call & { readonly endMs: number })[] = [];
  const recordingAt = (elapsedMs: number) => ({ phases, elapsedMs, run: totals.read() });
  const close = (second: number, endMs: number): ThresholdResult[] => {
    const ended = open.filter((call) => call.endMs <= endMs);
    open.splice(0, open.length, ...open.filter((call) => call.endMs > endMs));
    for (const call of ended.toSorted((a, b) => a.endMs - b.endMs)) {
      endedMs = call.endMs;
      perform(recorder, call);
    }
    totals.add(recorder.takeFrame(stateAt(second)));
    totals.takeTimeline();
    const elapsedMs = (second + 1) * 1000;
    return elapsedMs < timelineEndMs(phases) ? abortingThresholds(recordingAt(elapsedMs), thresholds, 0.2) : [];
  };
  let [second, crossed]: [number, ThresholdResult[]] = [0, []];
  for (const { phase, operation, atMs } of inOrder(
    phases.flatMap((phase) => arrivalsOf(phase, placeOf)),
    pushes,
  )) {
    for (; crossed.length === 0 && atMs >= (second + 1) * 1000; second++) crossed = close(second, (second + 1) * 1000);
    if (crossed.length > 0) break;
    const { ms, ok, failure = 'http_503' } = answer(atMs);
    open.push({ phase, operation, outcome: ok ? 'ok' : failure, serviceMs: ms, endMs: atMs + ms });
    if (operation === 'register' && ok) pushes.push({ phase, operation: 'checkdata', atMs: atMs + ms });
  }
  const elapsedMs = crossed.length > 0 ? second * 1000 : timelineEndMs(phases);
  if (crossed.length > 0) recorder.stop();
  close(second, Number.POSITIVE_INFINITY);
  return { recording: recordingAt(elapsedMs), crossed, answeredMs: endedMs };
}

type Due = { readonly phase: string; readonly operation: Operation; readonly atMs: number };

/** Merges two ordered lists; the second may grow during the iteration. */
function* inOrder(arrivals: readonly Due[], pushes: readonly Due[]) {
  for (let [taken, pushed] = [0, 0]; ; ) {
    const [arrival, push] = [arrivals[taken], pushes[pushed]];
    const isPush = push !== undefined && push.atMs < (arrival?.atMs ?? Number.POSITIVE_INFINITY);
    const next = isPush ? push : arrival;
    if (next === undefined) return;
    if (isPush) pushed++;
    else taken++;
    yield next;
  }
}

/** @param placeOf where in its interval the next operation arrives, from 0 to 1. */
function arrivalsOf(
  { name, startMs, durationMs, loads }: Scenario['phases'][number],
  placeOf: () => number,
): readonly Due[] {
  return loads.flatMap(({ operation, model }) => {
    if (model.kind !== 'rate') throw new Error('only rates are modeled');
    const { ratePerSecond, limit = Number.POSITIVE_INFINITY } = model;
    const due = Math.floor(Math.min(limit, (durationMs / 1000) * ratePerSecond));
    return Array.from({ length: due }, (_, n) => {
      return { phase: name, operation, atMs: startMs + ((n + placeOf()) * 1000) / ratePerSecond };
    });
  });
}

const PLAN: SearchPlan = { from: 30, to: 2000, growth: 1.5, resolution: 0.05, whole: false };

/** Runs a search: a fleet enrolls at a rate, and then a load is raised from 30/s. Arrivals are evenly spaced unless a seed scatters them. */
async function search(
  server: Server,
  enrolPerSecond: number,
  { seed = 0, plan = PLAN, identities = 'kept.sqlite' } = {},
) {
  const scenario = scenarioOf(`target: { url: http://127.0.0.1:9 }
fleet: { agents: 600, identities: ${identities} }
phases:
  - { name: enroll, register: { rate: ${enrolPerSecond}/s } }
  - { name: steady, duration: 15s, checkdata: { rate: 30/s } }
thresholds: { checkdata: ["p(95) < 500ms", "error_rate < 1%"] }`);
  const raised = raisedLoadOf(scenario, 'rate');
  const { thresholds } = conditionsOf({ scenario, raised }, undefined);
  let drawn = 0;
  const { run, tookMs } = runsAgainst(server, () => (seed === 0 ? 0 : uniform(seed, 'arrival', drawn++)));
  const times = { settleMs: 5000, sampleMs: 15_000 };
  const result = await findCapacity(
    {
      plan,
      steps: { scenario, raised, thresholds, ...times },
      facts: { scenarioName: 'steady', raised: 'rate', operation: 'checkdata', plan, conditions: [], ...times },
    },
    { run, onStep: () => {}, isStopped: () => false },
  );
  return { ...result, tookMs: tookMs() };
}

const SEEDS = Array.from({ length: 20 }, (_, index) => index + 1);

describe('a search against a server with a known capacity', () => {
  it.each<[string, number, (perSecond: number) => Server]>([
    ['works at a fixed rate, and refuses the rest', 500, fixedRate],
    ['queues all requests', 50, queue],
    ['queues all requests', 500, queue],
    ['collapses above its capacity', 500, collapse],
    ['answers 503 above it', 50, refusesAbove],
  ])(
    'finds it within a tenth, nothing that it does not sustain, and within 260 s, if it %s (enrollment at %i/s)',
    async (_, enrolPerSecond, model) => {
      for (const seed of SEEDS) {
        const perSecond = Math.round(80 + 45 * uniform(seed, 'capacity', 0));
        const { ending, held, gaveWay, tookMs } = await search(model(perSecond), enrolPerSecond, { seed });
        expect(ending).toBe('found');
        expect([seed, perSecond, tookMs / 1000 < 260, tookMs]).toEqual([seed, perSecond, true, tookMs]);
        expect((held?.load ?? 0) / perSecond).toBeGreaterThan(0.9);
        // The conditions allow for 1% of errors.
        expect((held?.load ?? 0) / perSecond).toBeLessThan(1.011);
        expect((gaveWay?.load ?? 0) / perSecond).toBeLessThan(1.1);
      }
    },
  );

  it('lets no run hold whose load exceeds the capacity of a queue by 1%, although all conditions are met, and fails none at 95%', async () => {
    const outcomes = async (load: number) => {
      const plan = { ...PLAN, from: load, to: load };
      const searches = await Promise.all(SEEDS.map((seed) => search(queue(100), 50, { seed, plan })));
      return [...new Set(searches.flatMap(({ steps }) => steps.map(({ outcome }) => outcome)))];
    };
    expect(await outcomes(101)).toEqual(['gave_way']);
    expect(await outcomes(95)).toEqual(['held']);
  });

  it('finds it if the server recovers slowly, and lets the server rest after each load that broke it', async () => {
    const { ending, held, gaveWay, steps } = await search(breaksForAMinuteAbove(140), 50);
    expect(ending).toBe('found');
    expect(held).toMatchObject({ runs: 3, held: 3 });
    expect(held?.load).toBeGreaterThan(126);
    expect(gaveWay).toMatchObject({ runs: 2, held: 0 });
    expect(gaveWay?.load).toBeLessThan(154);
    const recovered = steps.findIndex(({ purpose, outcome }) => purpose === 'recover' && outcome === 'held');
    const later = steps.slice(recovered + 1);
    expect(later.filter(({ load, outcome }) => outcome === 'gave_way' && load < 140)).toEqual([]);
  });

  it('repeats a load after a pause if the enrollment had not ended, and reports that', async () => {
    const { steps } = await search(queue(100), 500, { identities: 'ephemeral' });
    const undrained = steps.filter(({ outcome }) => outcome === 'undrained');
    expect(undrained.length).toBeGreaterThan(0);
    expect(undrained[0]?.reasons[0]).toMatch(
      /^the load started 0s after the preceding work, which affects the sample: its slowest operation took \d/,
    );
    const again = steps.find(({ number }) => number === (undrained[0]?.number ?? 0) + 1);
    expect(again?.load).toBe(undrained[0]?.load);
    expect(again?.drainMs).toBeGreaterThan(undrained[0]?.leftoverMs ?? 0);
  });

  it('reports that the backlog does not drain if the server completes nothing', async () => {
    const result = await search(stuck, 500, { identities: 'ephemeral' });
    expect(result).toMatchObject({ ending: 'undrained', held: undefined, gaveWay: undefined });
    expect(answerOf(result).headline).toBe('✗ BACKLOG DOES NOT DRAIN at 30.0/s: no load is known to hold');
  });

  it('reports failures before the load if the enrollment already broke the server', async () => {
    const { ending, steps } = await search(breaksAbove(140), 500);
    expect(ending).toBe('nothing_held');
    expect(steps[0]?.reasons[1]).toMatch(/^before the load, 531 of \d+ operations already failed: /);
  });

  it.each([
    ['fails', breaksAbove],
    ['hangs', hangsAbove],
  ])(
    'reports within eight minutes that a server %s for good after a load, and the load that it held before',
    async (_, model) => {
      const result = await search(model(140), 50);
      expect(result).toMatchObject({ ending: 'not_recovered', held: { load: 101.3 }, gaveWay: { load: 151.9 } });
      expect(answerOf(result).headline).toBe(
        '✗ SERVER DID NOT RECOVER: 30.0/s held before, but not after 152/s; before that, at least 101/s hold',
      );
      expect(result.tookMs).toBeLessThan(480_000);
      expect(result.steps.filter(({ outcome }) => outcome === 'undrained')).toEqual([]);
    },
  );
});
