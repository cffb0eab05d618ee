import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isInShard } from '../../../src/load/shard.ts';
import { openTrace } from '../../../src/load/traces/reader.ts';
import type { TraceRow } from '../../../src/load/traces/row.ts';
import { countTrace, createTraceFeed, traceStretch } from '../../../src/load/traces/stretch.ts';
import { draws } from '../../draws.ts';
import { anyRows, bytesOf, row, traceText } from './traces.ts';

type Due = TraceRow & { readonly dueMs: number };

/** Everything that a feed gives. */
function fed(feed: ReturnType<typeof createTraceFeed>): readonly Due[] {
  const due: Due[] = [];
  for (let dueMs = feed.nextDueMs(); dueMs !== Number.POSITIVE_INFINITY; dueMs = feed.nextDueMs()) {
    const one = feed.take();
    if (one !== undefined) due.push({ ...one, dueMs });
  }
  return due;
}

const AGENTS = 12;
const phases = fc.array(fc.integer({ min: 1, max: 4_000_000 }), { minLength: 1, maxLength: 5 });
const speeds = fc.constantFrom(1, 10, 0.5, 3, 0.07);

describe('stretches of a trace', () => {
  it('of phases one after another have each row once, in each shard those of its agents', () => {
    const shards = fc.integer({ min: 1, max: 5 });
    fc.assert(
      fc.property(
        anyRows({ agents: AGENTS, untilUs: 9e6 }),
        phases,
        speeds,
        shards,
        (rows, durationsUs, speed, count) => {
          const trace = openTrace(bytesOf(traceText(AGENTS, rows)));
          let [fromMs, startMs] = [0, 500];
          const found: Due[] = [];
          for (const durationUs of [...durationsUs, 20e6 / speed]) {
            const phase = { startMs, durationMs: Math.ceil(durationUs / 1000) };
            const stretch = traceStretch({ fromMs, speed }, phase);
            for (let index = 0; index < count; index++) {
              const own = fed(createTraceFeed(trace, stretch, (agent) => isInShard({ index, count }, agent)));
              expect(own.every(({ agent, dueMs }) => agent % count === index && dueMs >= startMs)).toBe(true);
              expect(own.every(({ dueMs }) => dueMs < startMs + phase.durationMs)).toBe(true);
              found.push(...own);
            }
            startMs += phase.durationMs;
            fromMs += phase.durationMs * speed;
          }
          const text = ({ atUs, operation, agent, status, responseMs }: TraceRow) =>
            [atUs, operation, agent, status, responseMs].join();
          expect(found.map(text).sort()).toEqual(rows.map(text).sort());
          for (const { atUs, dueMs } of found) expect(dueMs).toBeCloseTo(500 + atUs / 1000 / speed, 6);
        },
      ),
      { numRuns: draws(30) },
    );
  });

  it('are counted by operation, and by whole seconds of the run', () => {
    const rows = [0, 400_000, 999_999, 1_000_000].map((atUs) => row(atUs, 'checkdata', 0));
    const trace = openTrace(bytesOf(traceText(1, [...rows, row(1_500_000, 'register', 0)])));
    const at = (startMs: number, speed = 1) => traceStretch({ fromMs: 0, speed }, { startMs, durationMs: 1500 });
    expect(countTrace(trace, [at(0), at(500), at(0, 2)])).toEqual([
      expect.objectContaining({ checkdata: expect.objectContaining({ arrivals: 4, mostInSecond: 3 }) }),
      expect.objectContaining({ checkdata: expect.objectContaining({ arrivals: 4, mostInSecond: 2 }) }),
      expect.objectContaining({
        checkdata: expect.objectContaining({ arrivals: 4, mostInSecond: 4 }),
        register: expect.objectContaining({ arrivals: 1, mostInSecond: 1 }),
      }),
    ]);
  });

  it('are read no sooner than they are due, one piece of the file more at most', () => {
    const rows = Array.from({ length: 60_000 }, (_, n) => row(1000 * n, 'checkdata', n % AGENTS));
    let readTo = 0;
    const bytes = bytesOf(traceText(AGENTS, rows), {
      onRead: (position) => {
        readTo = position;
      },
    });
    const trace = openTrace(bytes);
    readTo = 0;
    // None of the rows is the shard's, and yet the file is not searched through for one.
    const feed = createTraceFeed(
      trace,
      traceStretch({ fromMs: 0, speed: 1 }, { startMs: 0, durationMs: 1e6 }),
      () => false,
    );
    for (const nowMs of [0, 5000, 20_000, 59_000]) {
      while (feed.nextDueMs() <= nowMs) expect(feed.take()).toBeUndefined();
      const dueBytes = (bytes.sizeBytes * nowMs) / 60_000;
      expect(readTo).toBeLessThan(dueBytes + 3 * 65_536);
    }
  });

  it('of a file that grows go on with rows that were added before they are due', () => {
    const rows = Array.from({ length: 50 }, (_, n) => row(100_000 * n + 50_000, 'checkdata', n % AGENTS));
    const text = traceText(AGENTS, rows);
    let written = 0;
    const bytes = {
      ...bytesOf(text),
      read: (into: Uint8Array, position: number) =>
        Buffer.from(text).copy(into, 0, position, Math.max(position, written)),
    };
    const lineOf = (nowMs: number): number =>
      traceText(
        AGENTS,
        rows.filter(({ atUs }) => atUs < 1000 * nowMs),
      ).length;
    written = lineOf(1000);
    const stretch = traceStretch({ fromMs: 0, speed: 1, grows: true }, { startMs: 0, durationMs: 5000 });
    const feed = createTraceFeed(openTrace(bytes), stretch, () => true);
    const found: number[] = [];
    for (let nowMs = 0; nowMs < 5000; nowMs += 10) {
      // Half a row, too.
      written = lineOf(nowMs + 1000) + 5;
      while (feed.nextDueMs() <= nowMs) {
        const dueMs = feed.nextDueMs();
        if (feed.take() === undefined) continue;
        expect(nowMs - dueMs).toBeLessThan(10);
        found.push(dueMs);
      }
    }
    expect(found).toEqual(rows.map(({ atUs }) => atUs / 1000));
  });
});
