import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { uniform } from '../../src/base/kernel/random.ts';
import { explore } from '../../src/capacity/find-capacity.ts';
import {
  type Attempt,
  mostTrials,
  rehearsals,
  rehearse,
  SAMPLES,
  type SearchPlan,
  type TrialOutcome,
} from '../../src/capacity/search.ts';

const whole: fc.Arbitrary<SearchPlan> = fc
  .record({
    from: fc.integer({ min: 1, max: 5000 }),
    factor: fc.double({ min: 1, max: 200, noNaN: true }),
    growth: fc.double({ min: 1.05, max: 4, noNaN: true }),
    resolution: fc.double({ min: 0.01, max: 0.5, noNaN: true }),
  })
  .map(({ factor, ...plan }) => ({ ...plan, to: Math.round(plan.from * factor), whole: true }));
const rates = whole.map((plan) => ({ ...plan, from: plan.from / 8, to: plan.to / 8, whole: false }));
const plans = fc.oneof(whole, rates);

const PLAN: SearchPlan = { from: 100, to: 5000, growth: 1.5, resolution: 0.05, whole: true };

/** A search against a server that answers each attempt like this. */
function search(plan: SearchPlan, answer: (attempt: Attempt) => TrialOutcome | undefined) {
  const perform = async (attempt: Attempt) => {
    const outcome = answer(attempt);
    return outcome && { ...attempt, outcome };
  };
  return explore(plan, perform, () => false);
}

const sharp = (capacity: number) => (attempt: Attempt) => (attempt.load <= capacity ? 'held' : 'gave_way');

describe('the search with a sharp capacity limit', () => {
  it('brackets it between two loads at the wanted resolution, the held one tried three times and the other until most of three fail', async () => {
    await fc.assert(
      fc.asyncProperty(plans, fc.double({ min: 0, max: 1.2, noNaN: true }), async (plan, place) => {
        const capacity = plan.from * (plan.to / plan.from) ** place;
        const { ending, held, gaveWay, steps } = await search(plan, sharp(capacity));
        expect(ending).toBe(capacity >= plan.to ? 'top_held' : 'found');
        expect(held?.runs).toBeGreaterThanOrEqual(SAMPLES);
        expect(held?.held).toBe(held?.runs);
        expect(held?.load).toBeLessThanOrEqual(capacity);
        expect(steps.every(({ load }) => plan.from <= load && load <= plan.to)).toBe(true);
        if (gaveWay === undefined) return;
        expect(gaveWay).toMatchObject({ runs: 2, held: 0 });
        expect(gaveWay.load).toBeGreaterThan(capacity);
        const gap = gaveWay.load - (held?.load ?? 0);
        expect(gap).toBeLessThanOrEqual(Math.max(plan.whole ? 1 : 0, plan.resolution * (held?.load ?? 0)));
      }),
    );
  });

  it('climbs by half, bisects the gap, checks once whether the server recovered, and repeats both sides of the gap', () => {
    expect(rehearse(PLAN, 400).map(({ load }) => load)).toEqual([
      ...[100, 150, 225, 338, 507],
      ...[423, 100, 381, 402, 392],
      ...[402, 392, 392],
    ]);
  });

  it('first tries what a server completed of the load that failed, and the middle if the server showed nothing or that was wrong', async () => {
    const tried = async (completedOf: (load: number) => number) => {
      const perform = async (attempt: Attempt) =>
        ({ ...attempt, outcome: sharp(400)(attempt), isSound: true, completed: completedOf(attempt.load) }) as const;
      const { ending, held, gaveWay, steps } = await explore(PLAN, perform, () => false);
      expect(ending).toBe('found');
      expect((gaveWay?.load ?? 0) - (held?.load ?? 0)).toBeLessThanOrEqual(0.05 * (held?.load ?? 0));
      return steps.filter(({ purpose }) => purpose === 'bisect').map(({ load }) => load);
    };
    expect(await tried((load) => Math.min(load, 400))).toEqual([390, 408]);
    expect(await tried((load) => Math.min(load, 340))).toEqual([353, 369, 438, 404, 387]);
    for (const completedOf of [(load: number) => load, (load: number) => (load > 400 ? 50 : load)])
      expect(await tried(completedOf)).toEqual([423, 381, 402, 392]);
  });

  it('announces the trials of a short search and of one to the top, and the upper bound', () => {
    expect(rehearsals(PLAN).map(({ length }) => length)).toEqual([9, 19]);
    expect(mostTrials(PLAN)).toBe(29);
  });
});

describe('the search with a random server', () => {
  it('always ends, and the load that held is below the one that gave way by majority', async () => {
    await fc.assert(
      fc.asyncProperty(plans, fc.nat(), fc.double({ min: 0.2, max: 3, noNaN: true }), async (plan, seed, width) => {
        const knee = Math.sqrt(plan.from * plan.to);
        const { ending, held, gaveWay, steps } = await search(plan, ({ load, number }) => {
          const chance = 0.5 - Math.log(load / knee) / width;
          return uniform(seed, 'knee', number) < chance ? 'held' : 'gave_way';
        });
        expect(steps.length).toBeLessThanOrEqual(mostTrials(plan));
        expect(['found', 'top_held', 'nothing_held', 'not_recovered', 'undecided']).toContain(ending);
        if (held && gaveWay) expect(held.load).toBeLessThan(gaveWay.load);
      }),
    );
  });

  it('reports in how many runs a load held', async () => {
    const { ending, held, gaveWay } = await search(PLAN, ({ load, number }) =>
      load < 110 && number !== 10 ? 'held' : 'gave_way',
    );
    expect({ ending, held, gaveWay }).toEqual({
      ending: 'found',
      held: { load: 107, runs: 3, held: 2 },
      gaveWay: { load: 110, runs: 2, held: 0 },
    });
  });

  it('continues upward if a load gave way once by chance', async () => {
    const { ending, held } = await search(PLAN, ({ load, number }) => {
      return load <= 1000 && number !== 2 ? 'held' : 'gave_way';
    });
    expect(ending).toBe('found');
    expect(held?.load).toBeGreaterThan(950);
  });

  it('gives up on a server that contradicts each first answer', async () => {
    const asked = new Set<number>();
    const { ending, steps } = await search(PLAN, ({ load }) => {
      const isKnown = asked.has(load);
      asked.add(load);
      return isKnown ? 'held' : 'gave_way';
    });
    expect({ ending, steps: steps.length }).toEqual({ ending: 'undecided', steps: mostTrials(PLAN) });
  });
});

describe('the search with a server that breaks under load', () => {
  it('ends once the lowest load that held fails three times, with its earlier results', async () => {
    let isBroken = false;
    const { ending, held, gaveWay, steps } = await search(PLAN, ({ load }) => {
      isBroken ||= load > 300;
      return isBroken ? 'gave_way' : 'held';
    });
    expect(steps.map(({ load }) => load)).toEqual([100, 150, 225, 338, 282, 100, 100, 100]);
    expect({ ending, held, gaveWay }).toEqual({
      ending: 'not_recovered',
      held: { load: 225, runs: 1, held: 1 },
      gaveWay: { load: 338, runs: 1, held: 0 },
    });
  });

  it('is not suspected if what came before the next loads went as well as ever', async () => {
    const perform = async (attempt: Attempt) => ({ ...attempt, outcome: sharp(400)(attempt), isSound: true }) as const;
    const { ending, steps } = await explore(PLAN, perform, () => false);
    expect(ending).toBe('found');
    expect(steps.filter(({ purpose }) => purpose === 'recover')).toEqual([]);
  });

  it('ignores the failure of a load before the server recovered', async () => {
    const { ending, held, gaveWay } = await search(PLAN, ({ load, number }) => {
      return load <= 300 && (number < 5 || number > 7) ? 'held' : 'gave_way';
    });
    expect({ ending, held, gaveWay }).toMatchObject({ ending: 'found', held: { runs: 3, held: 3 } });
    expect(held?.load).toBeGreaterThan(280);
  });

  it('continues if the lowest load fails once and then holds', async () => {
    const { ending, held } = await search(PLAN, ({ load, number }) => {
      return load <= 300 && number !== 6 ? 'held' : 'gave_way';
    });
    expect(ending).toBe('found');
    expect(held?.load).toBeGreaterThan(280);
  });
});

describe('the search with a server that has a backlog', () => {
  it('tries a load again after longer pauses, and ends if three are not enough', async () => {
    const never = await search(PLAN, ({ load }) => (load > 200 ? 'undrained' : 'held'));
    expect(never).toMatchObject({ ending: 'undrained', held: { load: 150 }, gaveWay: undefined });
    expect(never.steps.map(({ load }) => load)).toEqual([100, 150, 225, 225, 225]);
    const once = await search(PLAN, ({ number }) => (number === 2 ? 'undrained' : 'held'));
    expect(once).toMatchObject({ ending: 'top_held' });
  });
});

describe('the search ends without a limit', () => {
  it('if the first load gives way in two of three runs', async () => {
    const { ending, held, gaveWay } = await search(PLAN, ({ number }) => (number === 2 ? 'held' : 'gave_way'));
    expect({ ending, held, gaveWay }).toEqual({
      ending: 'nothing_held',
      held: undefined,
      gaveWay: { load: 100, runs: 3, held: 1 },
    });
  });

  it('if the generator is the limit twice at one load, but not after once', async () => {
    const always = await search(PLAN, ({ load }) => (load < 200 ? 'held' : 'generator'));
    expect(always).toMatchObject({ ending: 'generator', held: { load: 150 }, gaveWay: undefined });
    expect(always.steps.map(({ load }) => load)).toEqual([100, 150, 225, 225]);
    const once = await search(PLAN, ({ number }) => (number === 2 ? 'generator' : 'held'));
    expect(once).toMatchObject({ ending: 'top_held', held: { load: 5000, runs: 3, held: 3 } });
  });

  it('but not if the generator was the limit while a load was repeated', async () => {
    const { ending, held, gaveWay } = await search(PLAN, ({ load, purpose }) => {
      if (purpose === 'repeat' && load <= 400) return 'generator';
      return load <= 400 ? 'held' : 'gave_way';
    });
    expect({ ending, held, gaveWay }).toEqual({
      ending: 'found',
      held: { load: 392, runs: 1, held: 1 },
      gaveWay: { load: 402, runs: 2, held: 0 },
    });
  });

  it.each(['unreachable', 'incomplete'] as const)('if a run is %s', async (outcome) => {
    const { ending, steps } = await search(PLAN, ({ number }) => (number === 3 ? outcome : 'held'));
    expect([ending, steps.length]).toEqual([outcome, 3]);
  });

  it('if a person interrupts it, with the results so far', async () => {
    const cut = await search(PLAN, ({ number }) => (number === 3 ? undefined : 'held'));
    expect(cut).toMatchObject({ ending: 'interrupted', held: { load: 150 }, gaveWay: undefined });
    let asked = 0;
    const perform = async (attempt: Attempt) => ({ ...attempt, outcome: 'held' as const });
    const stopped = await explore(PLAN, perform, () => ++asked === 3);
    expect(stopped).toMatchObject({ ending: 'interrupted', held: { load: 150 } });
  });
});
