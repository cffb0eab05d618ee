import { describe, expect, it } from 'vitest';
import { conditionsOf } from '../../src/capacity/conditions.ts';
import { findCapacity } from '../../src/capacity/find-capacity.ts';
import { sweptLoadOf } from '../../src/capacity/swept-load.ts';
import type { Operation } from '../../src/ground/protocol/operations.ts';
import { timelineEndMs } from '../../src/load/timeline.ts';
import { createRecorder } from '../../src/metrics/recording/recorder.ts';
import { summarize } from '../../src/metrics/summary/summary.ts';
import { answerOf } from '../../src/report/capacity.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { FACTS, perform, recordingOf, stateAt } from '../metrics/recordings.ts';
import { scenarioOf } from '../scenario/read-scenario.ts';

/** How a server answers a request at a given time. It keeps its state over all steps, and its clock stops between them. */
type Server = { readonly answer: (atMs: number) => { readonly ms: number; readonly ok: boolean } };

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

/** Runs scenarios against a server in virtual time, each one second after the previous one. */
function runsAgainst(server: Server) {
  let nowMs = 0;
  return async (scenario: Scenario) => {
    const recorder = createRecorder();
    // An agent that has registered pushes its check data. No server here reorders requests.
    const pushes: Due[] = [];
    for (const { phase, operation, atMs } of inOrder(scenario.phases.flatMap(arrivalsOf), pushes)) {
      const { ms, ok } = server.answer(nowMs + atMs);
      perform(recorder, { phase, operation, outcome: ok ? 'ok' : 'http_503', serviceMs: ms });
      if (operation === 'register' && ok) pushes.push({ phase, operation: 'checkdata', atMs: atMs + ms });
    }
    const { thresholds, phases } = scenario;
    nowMs += timelineEndMs(phases) + 1000;
    return summarize(recordingOf([recorder.takeFrame(stateAt(4))], phases), { ...FACTS, thresholds });
  };
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

function arrivalsOf({ name, startMs, durationMs, loads }: Scenario['phases'][number]): readonly Due[] {
  return loads.flatMap(({ operation, model }) => {
    if (model.kind !== 'rate') throw new Error('only rates are modeled');
    const { ratePerSecond, limit = Number.POSITIVE_INFINITY } = model;
    const due = Math.floor(Math.min(limit, (durationMs / 1000) * ratePerSecond));
    return Array.from({ length: due }, (_, n) => {
      return { phase: name, operation, atMs: startMs + (n * 1000) / ratePerSecond };
    });
  });
}

/** Runs a search: a fleet enrolls at a rate, and then a load is raised from 30/s. */
async function search(server: Server, enrolPerSecond: number) {
  const scenario = scenarioOf(`fleet: { agents: 600 }
phases:
  - { name: enroll, register: { rate: ${enrolPerSecond}/s } }
  - { name: steady, duration: 15s, checkdata: { rate: 30/s } }
thresholds: { checkdata: ["p(95) < 500ms", "error_rate < 1%"] }`);
  const swept = sweptLoadOf(scenario, 'rate');
  const { thresholds } = conditionsOf({ scenario, swept }, undefined);
  return findCapacity(
    {
      plan: { from: 30, to: 2000, growth: 1.5, resolution: 0.05, whole: false },
      steps: { scenario, swept, thresholds, settleMs: 5000, sampleMs: 15_000, drainMs: 0, restMs: 0 },
      facts: {
        ...{ scenarioName: 'steady', raised: 'rate' as const, operation: 'checkdata' as const },
        ...{ plan: { from: 30, to: 2000, growth: 1.5, resolution: 0.05, whole: false } },
        ...{ conditions: [], settleMs: 5000, sampleMs: 15_000 },
      },
    },
    { run: runsAgainst(server), onStep: () => {}, isStopped: () => false },
  );
}

describe('a search against a server with a known capacity', () => {
  it.each<[string, (perSecond: number) => Server]>([
    ['works at a fixed rate, and refuses the rest', fixedRate],
    ['queues all requests', queue],
    ['collapses above its capacity', collapse],
    ['answers 503 above it', refusesAbove],
  ])('finds it within a tenth, at any enrollment rate, if the server %s', async (_, model) => {
    for (const enrolPerSecond of [50, 500]) {
      const { ending, held, gaveWay } = await search(model(100), enrolPerSecond);
      expect(ending).toBe('found');
      expect(held?.load).toBeGreaterThan(90);
      expect(gaveWay?.load).toBeLessThan(110);
    }
  });

  it('finds it if the server recovers slowly, and lets the server rest after each load that broke it', async () => {
    const { ending, held, gaveWay, steps } = await search(breaksForAMinuteAbove(140), 50);
    expect(ending).toBe('found');
    expect(held).toMatchObject({ runs: 3, held: 3 });
    expect(held?.load).toBeGreaterThan(126);
    expect(gaveWay).toMatchObject({ runs: 3, held: 0 });
    expect(gaveWay?.load).toBeLessThan(154);
    const recovered = steps.findIndex(({ purpose, outcome }) => purpose === 'recover' && outcome === 'held');
    const later = steps.slice(recovered + 1);
    expect(later.filter(({ load, outcome }) => outcome === 'gave_way' && load < 140)).toEqual([]);
  });

  it('repeats a load after a pause if the enrollment had not ended, and reports that', async () => {
    const { steps } = await search(queue(100), 500);
    const undrained = steps.filter(({ outcome }) => outcome === 'undrained');
    expect(undrained.length).toBeGreaterThan(0);
    expect(undrained[0]?.reasons[0]).toMatch(
      /^the load started 0s after the preceding work, whose backlog lasted about 12\.6s /,
    );
    const again = steps.find(({ number }) => number === (undrained[0]?.number ?? 0) + 1);
    expect(again?.load).toBe(undrained[0]?.load);
    expect(again?.drainMs).toBeGreaterThan(undrained[0]?.leftoverMs ?? 0);
  });

  it('reports that the backlog does not drain if the server completes nothing', async () => {
    const result = await search(stuck, 500);
    expect(result).toMatchObject({ ending: 'undrained', held: undefined, gaveWay: undefined });
    expect(answerOf(result).headline).toBe('✗ BACKLOG DOES NOT DRAIN at 30.0/s: no load is known to hold');
  });

  it('reports failures before the load if the enrollment already broke the server', async () => {
    const { ending, steps } = await search(breaksAbove(140), 500);
    expect(ending).toBe('nothing_held');
    expect(steps[0]?.reasons[1]).toMatch(/^before the load, 531 of \d+ operations already failed: /);
  });

  it('reports that the server did not recover after a load, and the load that it held before', async () => {
    const result = await search(breaksAbove(140), 50);
    expect(result).toMatchObject({ ending: 'not_recovered', held: { load: 101.3 }, gaveWay: { load: 151.9 } });
    expect(answerOf(result).headline).toBe(
      '✗ SERVER DID NOT RECOVER: 30.0/s held before, but not after 152/s; before that, at least 101/s hold',
    );
  });
});
