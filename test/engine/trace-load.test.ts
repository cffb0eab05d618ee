import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../src/base/protocol/operations.ts';
import { ENDPOINT_OF } from '../../src/base/protocol/push.ts';
import type { Phase } from '../../src/load/timeline.ts';
import { openTrace } from '../../src/load/traces/reader.ts';
import type { TraceRow } from '../../src/load/traces/row.ts';
import { latencyOf, unpack } from '../../src/metrics/recording/histogram.ts';
import { draws } from '../draws.ts';
import { anyRows, bytesOf, row, traceText } from '../load/traces/traces.ts';
import { restore } from './restore.ts';
import {
  answer,
  friendly,
  phase,
  runVirtually,
  type SeenRequest,
  type Serve,
  type VirtualSettings,
} from './virtual-run.ts';

const AGENTS = 6;
const LETTERS = { register_agent: 'r', submit_checkdata: 'c', submit_package_info: 'p' } as const;

type Traced = {
  readonly durationMs?: number;
  readonly startMs?: number;
  readonly fromMs?: number;
  readonly speed?: number;
};

function traced({ durationMs = 60_000, startMs = 0, fromMs = 0, speed = 1 }: Traced = {}): Phase {
  const model = { kind: 'trace', file: 'a.trace', sizeBytes: undefined, fromMs, speed, counts: undefined } as const;
  const loads = OPERATIONS.map((operation) => ({ operation, model }));
  return phase(loads, durationMs, `from ${fromMs}`, startMs);
}

function replay(rows: readonly TraceRow[], settings: Partial<VirtualSettings> = {}) {
  const bytes = bytesOf(traceText(AGENTS, rows));
  return runVirtually({
    agents: AGENTS,
    phases: [traced()],
    serve: friendly(),
    prepare: (engine) => restore(engine, [...Array(AGENTS).keys()]),
    openTrace: () => openTrace(bytes),
    ...settings,
  });
}

const text = ({ atMs, endpoint, agent }: SeenRequest): string =>
  `${LETTERS[endpoint as keyof typeof LETTERS]}${agent} at ${atMs}`;

describe('a trace', () => {
  it('is sent at its times, by its agents, however many shards share it', () => {
    const known = anyRows({ agents: AGENTS, untilUs: 59_999_000 }).map((rows) =>
      // Agents that have registered before, each at times that leave room for its answer.
      rows.flatMap((one, place) => (one.operation === 'register' ? [] : [{ ...one, atUs: one.atUs + 2000 * place }])),
    );
    fc.assert(
      fc.property(known, fc.integer({ min: 1, max: 4 }), fc.constantFrom(1, 10, 0.5), (rows, count, speed) => {
        const runs = Array.from({ length: count }, (_, index) =>
          replay(rows, {
            shard: { index, count },
            phases: [traced({ durationMs: 200_000 / speed, speed })],
            serve: friendly(0.01),
            prepare: (engine) => restore(engine, [...Array(engine.agentStates().unregistered).keys()]),
          }),
        );
        const sent = runs.flatMap(({ requests }) => requests).map(text);
        const due = rows.map(
          ({ atUs, operation, agent }) =>
            `${LETTERS[ENDPOINT_OF[operation] as keyof typeof LETTERS]}${agent} at ${atUs / (1000 * speed)}`,
        );
        expect(sent.sort()).toEqual(due.sort());
      }),
      { numRuns: draws(12) },
    );
  });

  it('goes on in the next phase where the phase before ended', () => {
    const rows = [500, 999, 1000, 2500].map((ms) => row(1000 * ms, 'checkdata', 0));
    const phases = [traced({ durationMs: 1000 }), traced({ durationMs: 1000, startMs: 1000, fromMs: 1000 })];
    const { requests, series } = replay(rows, { phases });
    expect(requests.map(text)).toEqual(['c0 at 500', 'c0 at 999', 'c0 at 1000']);
    const counted = series.filter(({ planned }) => planned > 0).map(({ phase, planned }) => [phase, planned]);
    expect(counted).toEqual([
      ['from 0', 2],
      ['from 1000', 1],
    ]);
  });

  it('registers agents, whose first check data are an arrival of their own', () => {
    const rows = [row(1e6, 'register', 3), row(1e6 + 4000, 'checkdata', 3), row(9e6, 'checkdata', 3)];
    const { requests } = replay(rows, { prepare: () => {} });
    expect(requests.map(text)).toEqual(['r3 at 1000', 'c3 at 1004', 'c3 at 9000']);
  });

  it('sends the check data that come before the answer to the registration right after it', () => {
    const rows = [row(1e6, 'register', 3), row(1e6 + 4000, 'checkdata', 3)];
    const { requests } = replay(rows, { prepare: () => {}, serve: friendly(50) });
    expect(requests.map(text)).toEqual(['r3 at 1000', 'c3 at 1050']);
  });

  it('confirms passwords of agents that have one', () => {
    const rows = [row(1e6, 'authorize', 1), row(2e6, 'checkdata', 1)];
    const { requests } = replay(rows);
    expect(requests.map(({ endpoint, atMs, body }) => [endpoint, atMs, body.password])).toEqual([
      ['register_agent', 1000, 'p'],
      ['submit_checkdata', 2000, 'p'],
    ]);
  });

  it('registers an unknown agent instead of its check data, which follow at once', () => {
    const { requests } = replay([row(1e6, 'checkdata', 2), row(3e6, 'packages', 2)], { prepare: () => {} });
    expect(requests.map(text)).toEqual(['r2 at 1000', 'c2 at 1001', 'p2 at 3000']);
  });

  it('registers an agent once, and again only if the server refused it', () => {
    const rows = [1, 2, 3].map((s) => row(s * 1e6, 'register', 0));
    expect(replay(rows, { prepare: () => {} }).requests.map(text)).toEqual(['r0 at 1000']);
    const down: Serve = () => ({ afterMs: 1, ending: answer(502, '') });
    expect(replay(rows, { prepare: () => {}, serve: down }).requests).toHaveLength(3);
  });

  it('knows itself when hosts were up: they do not reboot for maintenance', () => {
    const outages = { 0: { downMs: 1500, agentStartMs: 50_000 } };
    const rows = [1, 2, 3].map((s) => row(s * 1e6, 'checkdata', 0));
    expect(replay(rows, { outages }).requests.map(text)).toEqual(['c0 at 1000', 'c0 at 2000', 'c0 at 3000']);
  });

  it('whose file is read slowly is late by as much, and never shifted', () => {
    const rows = Array.from({ length: 12_000 }, (_, n) => row(1000 * n, 'checkdata', n % AGENTS));
    const { series, requests } = replay(rows, {
      openTrace: (takes) => openTrace(bytesOf(traceText(AGENTS, rows), { onRead: () => takes(700) })),
      phases: [traced({ durationMs: 12_000 })],
      serve: friendly(0.01),
    });
    expect(requests).toHaveLength(12_000);
    const delays = series.flatMap(({ histograms: { delay } }) =>
      delay === undefined ? [] : [latencyOf(unpack(delay))],
    );
    expect(delays.map((delay) => Math.round(delay?.max ?? 0))).toEqual([699]);
  });
});
