import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EVERYONE } from '../../src/cohorts/cohort.ts';
import {
  type Action,
  drawOf,
  type FleetEvent,
  hitsOf,
  isHostAction,
  lasts,
  leftOf,
  occurrencesOf,
  type Span,
} from '../../src/events/event.ts';

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

it('the rest of an event at a given time consists of its occurrences that have not ended', () => {
  const repeat = fc.record({
    everyMs: fc.integer({ min: 1, max: 600 * SECOND }),
    times: fc.integer({ min: 1, max: 50 }),
  });
  fc.assert(
    fc.property(span, fc.option(repeat), instant, (first, again, atMs) => {
      const event: FleetEvent = {
        ...{ ...first, name: 'one', cohort: EVERYONE, overMs: 0, action: restart },
        ...(again !== null && { repeat: again }),
      };
      const left = leftOf(event, atMs);
      expect(left === undefined ? [] : occurrencesOf(left)).toEqual(
        occurrencesOf(event).filter(({ toMs }) => toMs >= atMs),
      );
      expect(leftOf({ ...event, untilMs: atMs }, atMs)).toBeUndefined();
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

describe('an event', () => {
  it('uses a random stream by its own name, or by a name that it shares with other events', () => {
    expect(drawOf({ name: 'cable' })).toBe('cable');
    expect(drawOf({ name: 'cable', sticky: 'site' })).toBe(drawOf({ name: 'power', sticky: 'site' }));
  });

  it('affects hosts or agents, and is momentary or lasts', () => {
    expect(isHostAction({ kind: 'reboot' })).toBe(true);
    expect(isHostAction({ kind: 'restart' })).toBe(false);
    expect(lasts({ kind: 'restart' })).toBe(false);
    expect(lasts({ kind: 'disconnect' })).toBe(true);
  });
});
