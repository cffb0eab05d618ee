import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Cohort, EVERYONE, membership } from '../../../src/load/cohorts/cohort.ts';
import {
  type Action,
  type ActionKind,
  drawOf,
  type FleetEvent,
  hitsOf,
  isHostAction,
  lasts,
  originalOf,
  ranksUpOf,
  type Span,
} from '../../../src/load/events/event.ts';
import { occurrencesIn, occurrencesOf, remainderOf } from '../../../src/load/events/occurrences.ts';
import { draws } from '../../draws.ts';

const SECOND = 1000;

const instant = fc.integer({ min: 0, max: 3600 * SECOND });
const span: fc.Arbitrary<Span> = fc
  .tuple(instant, instant)
  .map(([fromMs, durationMs]) => ({ fromMs, toMs: fromMs + durationMs }));
const seed = fc.integer({ min: 0, max: 2 ** 32 });
const restart: Action = { kind: 'restart' };

function agents(count: number): readonly number[] {
  return [...Array(count).keys()];
}

describe('occurrences of an event', () => {
  it('are a single one without a repetition', () => {
    fc.assert(fc.property(span, (once) => void expect(occurrencesOf(once)).toEqual([once])));
  });

  it('last as long as the first, and start at regular intervals', () => {
    const repeat = fc.record({
      everyMs: fc.integer({ min: 1, max: 600 * SECOND }),
      times: fc.integer({ min: 1, max: 50 }),
    });
    fc.assert(
      fc.property(span, repeat, (first, again) => {
        const all = occurrencesOf({ ...first, repeat: again });
        expect(all).toHaveLength(again.times);
        for (const [n, { fromMs, toMs }] of all.entries()) {
          expect(fromMs).toBe(first.fromMs + n * again.everyMs);
          expect(toMs - fromMs).toBe(first.toMs - first.fromMs);
        }
      }),
    );
  });
});

it('the occurrences in a span start before its end, have not ended for all agents before it, and start before the event was ended', () => {
  const second = fc.integer({ min: 0, max: 20 });
  const repeat = fc.record({ everyMs: fc.integer({ min: 1, max: 5 }), times: fc.integer({ min: 1, max: 20 }) });
  const some = fc.record({ fromMs: second, forMs: second, overMs: second, untilMs: second, repeat, most: second });
  fc.assert(
    fc.property(some, second, second, ({ fromMs, forMs, most, ...rest }, startMs, durationMs) => {
      const event = { ...rest, fromMs, toMs: fromMs + forMs };
      const within = { fromMs: startMs, toMs: startMs + durationMs };
      const expected = occurrencesOf(event).filter(
        (one) => one.fromMs < within.toMs && one.toMs + event.overMs >= within.fromMs && one.fromMs < event.untilMs,
      );
      expect(occurrencesIn(event, within, most)).toEqual(expected.slice(0, most));
    }),
    { numRuns: draws(400) },
  );
});

it('the rest of an event at a given time consists of its occurrences that have not ended', () => {
  const repeat = fc.record({
    everyMs: fc.integer({ min: 1, max: 600 * SECOND }),
    times: fc.integer({ min: 1, max: 50 }),
  });
  const edge = fc.tuple(fc.constantFrom('fromMs', 'toMs'), fc.nat(10), fc.integer({ min: -1, max: 1 }));
  fc.assert(
    fc.property(span, fc.option(repeat), fc.oneof(instant, edge), (first, again, at) => {
      const atMs = typeof at === 'number' ? at : first[at[0]] + at[1] * (again?.everyMs ?? 0) + at[2];
      const event: FleetEvent = {
        ...first,
        name: 'one',
        cohort: EVERYONE,
        overMs: 0,
        action: restart,
        ...(again !== null && { repeat: again }),
      };
      const left = remainderOf(event, atMs);
      expect(left === undefined ? [] : occurrencesOf(left)).toEqual(
        occurrencesOf(event).filter(({ toMs }) => toMs >= atMs),
      );
      expect(remainderOf({ ...event, untilMs: atMs }, atMs)).toBeUndefined();
    }),
  );
});

describe('the time at which an event hits an agent', () => {
  const overMs = fc.integer({ min: 1, max: 600 * SECOND });

  it('is the start of an event that is not spread', () => {
    fc.assert(
      fc.property(span, seed, fc.nat(100_000), (occurrence, drawn, agent) => {
        expect(hitsOf({ name: 'cable', overMs: 0, action: restart }, drawn)(agent, occurrence)).toEqual(occurrence);
      }),
    );
  });

  it('is within the spread of the event, and the end is delayed equally', () => {
    fc.assert(
      fc.property(span, overMs, seed, fc.nat(100_000), (occurrence, over, drawn, agent) => {
        const hit = hitsOf({ name: 'cable', overMs: over, action: restart }, drawn)(agent, occurrence);
        const delayMs = (hit?.fromMs ?? Number.NaN) - occurrence.fromMs;
        expect(delayMs).toBeGreaterThanOrEqual(0);
        expect(delayMs).toBeLessThan(over);
        expect((hit?.toMs ?? Number.NaN) - occurrence.toMs).toBeCloseTo(delayMs, 3);
      }),
    );
  });

  it('is random per event and agent, and the same in each occurrence', () => {
    const of = (name: string) => hitsOf({ name, overMs: 60 * SECOND, action: restart }, 7);
    const first = { fromMs: 0, toMs: SECOND };
    const instants = agents(100).map((agent) => of('cable')(agent, first)?.fromMs);
    expect(new Set(instants).size).toBe(100);
    expect(agents(100).map((agent) => of('power')(agent, first)?.fromMs)).not.toEqual(instants);
    const later = agents(100).map((agent) => of('cable')(agent, { fromMs: 1024, toMs: 2048 })?.fromMs);
    expect(later.map((ms) => Math.round(ms ?? 0))).toEqual(instants.map((ms) => Math.round((ms ?? 0) + 1024)));
  });

  it('is distributed evenly: a tenth of the agents in each tenth of the spread', () => {
    const hits = hitsOf({ name: 'cable', overMs: 10 * SECOND, action: restart }, 1);
    const tenths = agents(10_000).map((agent) =>
      Math.floor((hits(agent, { fromMs: 0, toMs: 0 })?.fromMs ?? Number.NaN) / SECOND),
    );
    for (const tenth of agents(10)) {
      const count = tenths.filter((it) => it === tenth).length;
      expect(count).toBeGreaterThan(850);
      expect(count).toBeLessThan(1150);
    }
  });
});

describe('a scaled fleet', () => {
  const occurrence = { fromMs: 60 * SECOND, toMs: 120 * SECOND };
  const upAt = (share: number, overMs: number, ms: number): readonly number[] => {
    const hits = hitsOf({ name: 'any', overMs, action: { kind: 'scale', share } }, 3);
    return agents(10_000).filter((agent) => {
      const hit = hits(agent, occurrence);
      return hit === undefined || ms < hit.fromMs || ms >= hit.toMs;
    });
  };

  it('has exactly as many agents of the cohort up as asked for, and more only adds to them', () => {
    const none = () => '';
    const profile = (agent: number) => (agent % 3 === 0 ? 'arch' : 'debian-12');
    const facts = { profile, role: none, group: none, host: none, uuid: none };
    const cohorts: readonly Cohort[] = [EVERYONE, { kind: 'fact', fact: 'profile', pattern: 'arch' }];
    const total = fc.integer({ min: 1, max: 400 });
    fc.assert(
      fc.property(
        total,
        fc.constantFrom(...cohorts),
        fc.nat(400),
        fc.nat(400),
        seed,
        (fleet, cohort, one, other, drawn) => {
          const own = { ...facts, seed: drawn, agents: fleet };
          const members = agents(fleet).filter(membership(cohort, 'any', own));
          const upWith = (wanted: number) => {
            const action = { kind: 'scale', share: wanted / Math.max(1, members.length) } as const;
            const event = { name: 'any', cohort, action, overMs: 0 };
            const hits = hitsOf(event, drawn, ranksUpOf(event, own));
            return members.filter((agent) => hits(agent, occurrence) === undefined);
          };
          const [fewer = 0, more = 0] = [one, other].map((n) => Math.min(n, members.length)).sort((a, b) => a - b);
          expect(upWith(fewer)).toHaveLength(fewer);
          expect(upWith(more)).toHaveLength(more);
          expect(upWith(more)).toEqual(expect.arrayContaining(upWith(fewer)));
        },
      ),
    );
  });

  it('has the given share up during the event, and all agents before and after', () => {
    for (const share of [0, 0.2, 0.5, 1]) {
      expect(upAt(share, 0, 90 * SECOND).length / 10_000).toBeCloseTo(share, 1);
      expect(upAt(share, 0, 59 * SECOND)).toHaveLength(10_000);
      expect(upAt(share, 0, 120 * SECOND)).toHaveLength(10_000);
    }
  });

  it('goes down and comes back evenly over the given time', () => {
    for (const [second, share] of [
      [65, 0.6],
      [70, 0.2],
      [119, 0.2],
      [125, 0.6],
      [130, 1],
    ] as const) {
      expect(upAt(0.2, 10 * SECOND, second * SECOND).length / 10_000, `at ${second} s`).toBeCloseTo(share, 1);
    }
  });

  it('has a superset of the agents up with a larger share', () => {
    const few = new Set(upAt(0.3, 0, 90 * SECOND));
    const many = new Set(upAt(0.6, 0, 90 * SECOND));
    expect([...few].filter((agent) => !many.has(agent))).toEqual([]);
    expect(many.size).toBeGreaterThan(few.size);
  });
});

describe('the original of clones', () => {
  const AGENTS = 1000;
  const none = () => '';
  const facts = { seed: 7, agents: AGENTS, profile: none, role: none, group: none, host: none, uuid: none };
  const clone = (event: Partial<FleetEvent>) => {
    const cohort: FleetEvent['cohort'] = { kind: 'share', share: 0.01 };
    return { name: 'clones', cohort, action: { kind: 'clone', password: 'shared' } as const, ...event };
  };

  it('is the given agent, or else the first of the cohort; without clones there is none', () => {
    const first = agents(AGENTS).find(membership(clone({}).cohort, 'clones', facts));
    expect(originalOf(clone({}), facts)).toBe(first);
    expect(originalOf(clone({ action: { kind: 'clone', password: 'none', original: 999 } }), facts)).toBe(999);
    expect(originalOf(clone({ cohort: { kind: 'not', cohort: EVERYONE } }), facts)).toBeUndefined();
    expect(originalOf(clone({ action: restart }), facts)).toBeUndefined();
  });

  it('is the same for events that share their draw', () => {
    const originals = ['a', 'b', 'c'].map((name) => originalOf(clone({ name, sticky: 'site' }), facts));
    expect(new Set(originals).size).toBe(1);
    const own = ['a', 'b', 'c'].map((name) => originalOf(clone({ name }), facts));
    expect(new Set(own).size).toBe(3);
  });
});

describe('an event', () => {
  it('uses a random stream by its own name, or by a name that it shares with other events', () => {
    expect(drawOf({ name: 'cable' })).toBe('cable');
    expect(drawOf({ name: 'cable', sticky: 'site' })).toBe(drawOf({ name: 'power', sticky: 'site' }));
  });

  it('affects hosts or agents, and lasts unless it is a restart, a lost identity or a synchronization', () => {
    const kinds = (names: string) => names.split(' ') as ActionKind[];
    const ofHosts = kinds(
      'disk-full cpu-saturated memory-leak service-down clock-skew reboot security-updates-due check-error',
    );
    const lasting = kinds('disconnect stop clone upgrade retarget scale misbehave');
    const momentary = kinds('restart lose-password new-identity synchronize');
    const all = [...ofHosts, ...lasting, ...momentary];
    expect(all.filter((kind) => isHostAction({ kind } as Action))).toEqual(ofHosts);
    expect(all.filter((kind) => !lasts({ kind }))).toEqual(momentary);
  });
});
