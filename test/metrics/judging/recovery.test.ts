import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Disturbance, RECOVERY, recoveriesOf, worstRecovery } from '../../../src/metrics/judging/recovery.ts';
import type { LoadSecond } from '../../../src/metrics/merging/load-seconds.ts';
import { answer, phase, runVirtually } from '../../engine/virtual-run.ts';

const WHOLE = [{ name: 'steady', startMs: 0, durationMs: 1_000_000 }];

/** An artificial timeline with a constant rate and p99, except for the seconds that `other` changes. */
function timeline(
  length: number,
  { rate = 100, p99Ms = 10 }: { rate?: number; p99Ms?: number } = {},
  other: (second: number) => Partial<LoadSecond> = () => ({}),
): LoadSecond[] {
  const due = Array.from({ length: 10 }, () => rate / 10);
  const usual = { due, arrivals: rate, succeeded: rate, ended: rate, inFlight: 0, leastInFlight: 0 };
  return Array.from({ length }, (_, second) => ({ second, ...usual, p99Ms, delayP99Ms: 0, ...other(second) }));
}

const outage = (fromMs: number, toMs: number, event = 'outage'): Disturbance => ({ event, fromMs, toMs });
const judged = (seconds: readonly LoadSecond[], ...events: Disturbance[]) => recoveriesOf(seconds, WHOLE, events);

const seconds = fc.integer({ min: 0, max: 30 });
const rate = fc.integer({ min: 5, max: 10_000 });

describe('the time of a recovery', () => {
  it('is how long nothing succeeded after the end of the event, at any rate', () => {
    fc.assert(
      fc.property(rate, seconds, seconds, (perSecond, lasts, deadFor) => {
        const end = 40 + lasts;
        const dead = (second: number) => (second >= 40 && second < end + deadFor ? { succeeded: 0 } : {});
        const [recovery] = judged(timeline(120, { rate: perSecond }, dead), outage(40_000, end * 1000));
        expect(recovery?.timeMs).toBe(deadFor * 1000);
      }),
    );
  });

  it('is how long answers were slow after the event, relative to their usual time', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.1, max: 10_000, noNaN: true }), seconds, (p99Ms, slowFor) => {
        const slow = (second: number) => (second >= 40 && second < 40 + slowFor ? { p99Ms: p99Ms * 1.5 + 11 } : {});
        expect(judged(timeline(120, { p99Ms }, slow), outage(40_000, 40_000))[0]?.timeMs).toBe(slowFor * 1000);
      }),
    );
  });

  it('excludes delay of the generator itself, and nothing else', () => {
    const busy = (delayP99Ms: number) => (second: number) =>
      second >= 45 && second < 50 ? { p99Ms: 25 + 60, delayP99Ms } : {};
    expect(judged(timeline(90, {}, busy(60)), outage(40_000, 45_000))[0]?.timeMs).toBe(0);
    expect(judged(timeline(90, {}, busy(59)), outage(40_000, 45_000))[0]?.timeMs).toBe(5000);
  });

  it('ignores variations within the tolerance bands', () => {
    const noise = fc.record({
      up: fc.double({ min: -0.19, max: 0.19, noNaN: true }),
      slower: fc.double({ min: 0, max: 1.4, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(noise, { minLength: 120, maxLength: 120 }), (noises) => {
        const noisy = (second: number) =>
          second < 45
            ? {}
            : { ended: 100 * (1 + Math.abs(noises[second]?.up ?? 0)), p99Ms: 10 * (noises[second]?.slower ?? 1) };
        expect(judged(timeline(120, {}, noisy), outage(40_000, 45_000))[0]?.timeMs).toBe(0);
      }),
    );
  });

  it('includes the time in which a queue drains at an increased rate', () => {
    const draining = (second: number) =>
      second < 45 || second >= 50
        ? {}
        : { succeeded: 200, ended: 200, inFlight: (49 - second) * 100, leastInFlight: (49 - second) * 100 };
    expect(judged(timeline(90, {}, draining), outage(40_000, 45_000))[0]?.timeMs).toBe(4000);
  });

  it('starts over if figures were normal for less than five seconds', () => {
    const again = (second: number) => ([45, 50].includes(second) ? { p99Ms: 500 } : {});
    expect(judged(timeline(90, {}, again), outage(40_000, 45_000))[0]?.timeMs).toBe(6000);
  });

  it('counts from the exact end of the event to the start of a second, and is 0 if nothing was wrong in its last second', () => {
    const slow = (second: number) => (second === 45 ? { p99Ms: 500 } : {});
    expect(judged(timeline(90, {}, slow), outage(40_000, 45_300))[0]?.timeMs).toBe(700);
    expect(judged(timeline(90), outage(40_000, 45_300))[0]?.timeMs).toBe(0);
  });

  it('counts from the first results of the agents that the event started again', () => {
    const silent = (second: number) =>
      second < 40 || second >= 57 ? {} : { due: [], arrivals: 0, succeeded: 0, ended: 0 };
    const reboot = { ...outage(40_000, 45_000), resumedMs: 57_000 };
    expect(judged(timeline(90, {}, silent), reboot)[0]?.timeMs).toBe(0);
  });

  it('waits for operations if none is due after the event', () => {
    const rare = (second: number) =>
      second < 45 || second >= 60 ? {} : { due: [], arrivals: 0, succeeded: 0, ended: 0 };
    const broken = (second: number) => ({ ...rare(second), ...(second >= 60 && { succeeded: 0 }) });
    expect(judged(timeline(90, {}, rare), outage(40_000, 45_000))[0]?.timeMs).toBe(0);
    expect(judged(timeline(90, {}, broken), outage(40_000, 45_000))[0]?.unobserved).toMatch(
      /^not recovered in the 45s/,
    );
    expect(judged(timeline(60, {}, rare), outage(40_000, 45_000))[0]?.unobserved).toBe(
      'no operation in the 15s until the run ended',
    );
  });

  it('is unknown if figures never return to normal, with what ended the search', () => {
    const dead = (second: number) => (second >= 40 ? { succeeded: 0 } : {});
    const [recovery] = judged(timeline(60, {}, dead), outage(40_000, 45_000));
    expect(recovery).toMatchObject({ herd: 1, unobserved: 'not recovered in the 15s until the run ended' });
    expect(recovery).not.toHaveProperty('timeMs');
    const phases = [{ name: 'steady', startMs: 0, durationMs: 50_000 }];
    expect(recoveriesOf(timeline(90, {}, dead), phases, [outage(40_000, 45_000)])[0]?.unobserved).toBe(
      'not recovered in the 5s until steady ended',
    );
    expect(
      judged(timeline(90, {}, dead), outage(40_000, 45_000), outage(52_000, 53_000, 'second'))[0]?.unobserved,
    ).toBe('not recovered in the 7s until second began');
  });
});

describe('without enough traffic before it, an event has no figures', () => {
  it.each([
    ['at the beginning', timeline(60), outage(4999, 10_000)],
    ['where nothing succeeded', timeline(60, {}, () => ({ succeeded: 0 })), outage(30_000, 40_000)],
  ])('%s', (_, of, event) => {
    expect(judged(of, event)).toEqual([{ ...event, unobserved: expect.stringContaining('nothing to compare with') }]);
  });

  it('in the first seconds of its phase, because earlier ones belong to another load', () => {
    const phases = [
      { name: 'enroll', startMs: 0, durationMs: 20_000 },
      { name: 'steady', startMs: 20_000, durationMs: 60_000 },
    ];
    expect(recoveriesOf(timeline(80), phases, [outage(24_000, 30_000)])[0]).not.toHaveProperty('herd');
    expect(recoveriesOf(timeline(80), phases, [outage(25_000, 30_000)])[0]).toHaveProperty('timeMs', 0);
  });

  it('if the target had not recovered from another event', () => {
    const dead = (second: number) => (second >= 20 && second < 40 ? { succeeded: 0 } : {});
    const [, second] = judged(timeline(90, {}, dead), outage(20_000, 25_000), outage(50_000, 51_000, 'second'));
    expect(second).toHaveProperty('timeMs', 0);
    const [, early] = judged(timeline(90, {}, dead), outage(20_000, 25_000), outage(44_000, 45_000, 'second'));
    expect(early?.unobserved).toContain('nothing to compare with');
  });
});

describe('the herd', () => {
  it('is the peak arrival rate since the start of the event, over the mean rate before', () => {
    fc.assert(
      fc.property(rate, fc.integer({ min: 1, max: 20 }), fc.integer({ min: 40, max: 45 }), (perSecond, times, at) => {
        const herd = (second: number) => (second === at ? { arrivals: times * perSecond } : {});
        const dead = (second: number) => (second < 40 || second > 44 ? {} : { succeeded: 0, p99Ms: 500 });
        const all = timeline(90, { rate: perSecond }, (second) => ({ ...herd(second), ...dead(second) }));
        expect(judged(all, outage(40_000, 45_000))[0]?.herd).toBeCloseTo(times, 9);
      }),
    );
  });

  it('excludes arrivals before the event and after the recovery', () => {
    const busy = (second: number) => ([10, 60].includes(second) ? { arrivals: 5000 } : {});
    expect(judged(timeline(90, {}, busy), outage(50_000, 51_000))[0]?.herd).toBe(1);
  });
});

describe('events that overlap', () => {
  it('share the figures of one event from the first start to the last end, in any order', () => {
    const dead = (second: number) => (second >= 40 && second < 63 ? { succeeded: 0 } : {});
    const events = [outage(40_000, 50_000), outage(45_000, 60_000, 'restart'), outage(60_000, 60_000, 'wave')];
    const forwards = judged(timeline(90, {}, dead), ...events);
    expect(forwards.map(({ event, timeMs }) => [event, timeMs])).toEqual([
      ['outage', 3000],
      ['restart', 3000],
      ['wave', 3000],
    ]);
    expect(judged(timeline(90, {}, dead), ...events.toReversed())).toEqual(forwards);
  });
});

describe('an event that occurs several times', () => {
  const repeated = (deadFor: number) =>
    judged(
      timeline(120, {}, (second) => (second >= 40 && second < 41 + deadFor ? { succeeded: 0 } : {})),
      outage(10_000, 11_000),
      outage(40_000, 41_000),
    );

  it('has the figures of its worst occurrence', () => {
    expect(worstRecovery(repeated(7), 'outage')).toEqual({ timeMs: 7000, herd: 1 });
  });

  it('has no time if the target did not recover from one occurrence', () => {
    const worst = worstRecovery(repeated(100), 'outage');
    expect(worst).toMatchObject({ herd: 1, unobserved: expect.stringContaining('not recovered') });
    expect(worst).not.toHaveProperty('timeMs');
  });

  it('has no figures if it never happened', () => {
    expect(worstRecovery([], 'outage')).toEqual({ unobserved: 'it never happened' });
  });
});

describe('a server that answers 503 for a while and then drains a queue of known length', () => {
  it.each([
    { downMs: 10_000, drainMs: 20_000 },
    { downMs: 7_300, drainMs: 11_000 },
    { downMs: 3_000, drainMs: 40_000 },
  ])('has a measured recovery within 10 % and one second of the true time: $drainMs ms', ({ downMs, drainMs }) => {
    const load = { operation: 'checkdata', model: { kind: 'rate', ratePerSecond: 20, limit: undefined } } as const;
    const enroll = { operation: 'register', model: { kind: 'rate', ratePerSecond: 500, limit: 400 } } as const;
    const [fromMs, toMs] = [40_000, 40_000 + downMs];
    const ends: { readonly atMs: number; readonly ok: boolean; readonly tookMs: number }[] = [];
    const sent: number[] = [];
    // The waiting time is as long as the queue takes to drain, and decreases linearly to zero.
    const waitMs = (atMs: number) => Math.max(0, 1000 * (1 - (atMs - toMs) / drainMs));
    runVirtually({
      agents: 400,
      phases: [phase([enroll], 5000, 'enroll'), phase([load], 120_000, 'steady', 5000)],
      timeoutMs: 29_000,
      serve: ({ atMs, endpoint, body }) => {
        if (endpoint === 'register_agent')
          return { afterMs: 1, ending: answer(201, { agentuuid: body.agentuuid, password: 'issued' }) };
        const isDown = atMs >= fromMs && atMs < toMs;
        const afterMs = 5 + (atMs < toMs ? 0 : waitMs(atMs));
        sent.push(atMs);
        ends.push({ atMs: atMs + afterMs, ok: !isDown, tookMs: afterMs });
        return { afterMs, ending: isDown ? answer(503, '') : answer(200, { received_checks: 3 }) };
      },
    });
    const rows = timeline(130, { rate: 20 }, (second) => {
      const within = ends.filter(({ atMs }) => Math.floor(atMs / 1000) === second);
      const tookMs = within.map((end) => end.tookMs).sort((a, b) => a - b);
      const endMs = (second + 1) * 1000;
      return {
        arrivals: sent.filter((atMs) => Math.floor(atMs / 1000) === second).length,
        succeeded: within.filter(({ ok }) => ok).length,
        ended: within.length,
        inFlight: ends.filter(({ atMs, tookMs }) => atMs - tookMs < endMs && atMs >= endMs).length,
        p99Ms: tookMs[Math.ceil(0.99 * tookMs.length) - 1],
      };
    });
    const [recovery] = recoveriesOf(
      rows,
      [{ name: 'steady', startMs: 5000, durationMs: 120_000 }],
      [outage(fromMs, toMs)],
    );
    // The end of the queue is within the band: 10 ms plus half of the usual 5 ms.
    const truthMs = drainMs * (1 - 0.0125);
    expect(Math.abs((recovery?.timeMs ?? 0) - truthMs)).toBeLessThan(0.1 * truthMs + 1000);
    expect(recovery?.herd).toBeCloseTo(1, 0);
    expect(RECOVERY.p99GraceMs).toBe(10);
  });
});
