import { describe, expect, it } from 'vitest';
import type { Threshold } from '../../../src/metrics/judging/thresholds.ts';
import { createProfileRecorder, createRecorder } from '../../../src/metrics/recording/recorder.ts';
import { profileSummaries, responseDistributions, spectraOf, summarize } from '../../../src/metrics/summary/summary.ts';
import { summaryJsonSchema, summarySchema } from '../../../src/metrics/summary/summary-schema.ts';
import { FACTS, frameOf, perform, recordingOf, servedFrameOf, stateAt } from '../recordings.ts';

const frames = [
  frameOf(0, [
    { phase: 'enroll', operation: 'register' },
    { phase: 'enroll', operation: 'register', outcome: 'waiting' },
  ]),
  frameOf(2, [{ phase: 'warm-up', serviceMs: 900 }]),
  frameOf(4, [{}, {}, { outcome: 'http_503', serviceMs: 50 }, { outcome: 'timeout', lagMs: 20 }]),
];
const recording = recordingOf(frames);

const slow: Threshold = {
  kind: 'operation',
  operation: 'checkdata',
  phase: undefined,
  statistic: { kind: 'percentile', percentile: 99 },
  comparator: '<',
  bound: 10,
  text: 'p(99) < 10ms',
};

describe('answers that agents take and a person would not', () => {
  const recorder = createRecorder();
  const series = recorder.series('steady', 'checkdata');
  for (const doubt of ['error', 'error', 'empty', undefined] as const) {
    perform(recorder, {});
    if (doubt !== undefined) series.doubted(doubt);
  }
  const doubtful = recordingOf([recorder.takeFrame(stateAt(4))]);
  const limit: Threshold = {
    ...slow,
    statistic: { kind: 'unexpected_rate' },
    bound: 0.8,
    text: 'unexpected_rate < 80%',
  };

  it('are successes, and a warning gives their share', () => {
    const { verdict, overall, warnings } = summarize(doubtful, { ...FACTS, thresholds: [{ ...slow, bound: 100 }] });
    expect(verdict.kind).toBe('pass');
    expect(overall).toMatchObject([{ succeeded: 4, failed: 0, doubts: { empty: 1, error: 2 } }]);
    expect(warnings).toEqual([
      'checkdata: 75% of the answers with outcome ok are doubtful: 2 reported an error, 1 had no body; agents take them, and unexpected_rate can limit them',
    ]);
  });

  it('are judged by unexpected_rate instead of a warning', () => {
    const judge = (bound: number) => summarize(doubtful, { ...FACTS, thresholds: [{ ...limit, bound }] });
    expect(judge(0.8)).toMatchObject({ verdict: { kind: 'pass' }, warnings: [], thresholds: [{ observed: 0.75 }] });
    expect(judge(0.7).verdict.kind).toBe('threshold_crossed');
  });
});

describe('a summary', () => {
  const summary = summarize(recording, { ...FACTS, thresholds: [slow] });

  it('conforms to its schema, in memory and after a round trip through JSON', () => {
    expect(summarySchema.parse(summary)).toEqual(summary);
    expect(summarySchema.parse(JSON.parse(JSON.stringify(summary)))).toEqual(summary);
  });

  it('adds up the counted phases per operation', () => {
    expect(summary.overall).toMatchObject([
      { operation: 'register', planned: 2, succeeded: 2, failed: 0, durationMs: 2000, succeededPerSecond: 1 },
      {
        operation: 'checkdata',
        durationMs: 4000,
        planned: 4,
        started: 4,
        dropped: 0,
        succeeded: 2,
        failed: 2,
        unaccounted: 0,
        outcomes: { ok: 2, http_503: 1, timeout: 1 },
        sentBytes: 400,
        receivedBytes: 40,
        succeededPerSecond: 0.5,
      },
    ]);
  });

  it('lists served requests and polls after the operations of agents', () => {
    const served = servedFrameOf(4, 'serve-packages', ['ok', 'http_403']);
    const polled = frameOf(4, [{ operation: 'poll' }, {}]);
    const both = summarize(recordingOf([polled, served]), FACTS);
    expect(both.overall.map(({ operation }) => operation)).toEqual(['checkdata', 'serve-packages', 'poll']);
    expect(both.overall[1]).toMatchObject({ planned: 2, started: 2, succeeded: 1, failed: 1, unaccounted: 0 });
    expect(Object.keys(both.overall[1]?.latencyMs ?? {})).toEqual(['response', 'service']);
    expect(both.validity.problems).toEqual([]);
    expect(summarySchema.parse(both)).toEqual(both);
  });

  it('has separate figures for each phase, including excluded ones', () => {
    expect(summary.phases.map(({ name, operations }) => [name, operations.map((entry) => entry.planned)])).toEqual([
      ['enroll', [2]],
      ['warm-up', [1]],
      ['steady', [4]],
    ]);
  });

  it('has milliseconds of all three clocks, including failures', () => {
    const { response, service, lag } = summary.overall[1]?.latencyMs ?? {};
    expect(response).toMatchObject({ count: 4, p50: 5.003, max: 50.015 });
    expect(service).toMatchObject({ count: 4, min: 5 });
    expect(lag).toMatchObject({ count: 4, p50: 0.001, max: 20.015 });
  });

  it('contains verdict, reasons and the agents at the end', () => {
    expect(summary.verdict).toEqual({
      kind: 'threshold_crossed',
      reasons: [{ kind: 'threshold_crossed', text: 'checkdata p(99) < 10ms: observed 50ms' }],
    });
    expect(summary.agents.authorized).toBe(10);
  });

  it('of a run without thresholds is done instead of a pass, with warnings about failures', () => {
    const { verdict, warnings } = summarize(recording, FACTS);
    expect(verdict).toEqual({ kind: 'done', reasons: [] });
    expect(warnings).toEqual([
      'checkdata: 2 of 4 started operations failed (1 http_503, 1 timeout), and no threshold covers that',
    ]);
    expect(summarize(recording, { ...FACTS, thresholds: [slow] }).warnings).toEqual([]);
    const refused = recordingOf([frameOf(4, [{ outcome: 'http_403' }, { outcome: 'http_403' }])]);
    expect(summarize(refused, FACTS).warnings).toEqual([
      'checkdata: all 2 started operations failed (2 http_403), and no threshold covers that',
    ]);
  });

  it('of a passed run warns of failures of operations without a threshold', () => {
    const failing = [{ outcome: 'http_500' as const, operation: 'register' as const }, {}];
    const { verdict, warnings } = summarize(recordingOf([frameOf(4, failing)]), {
      ...FACTS,
      thresholds: [{ ...slow, bound: 1000 }],
    });
    expect(verdict.kind).toBe('pass');
    expect(warnings).toEqual(['register: 1 of 1 started operations failed (1 http_500), and no threshold covers that']);
    const many = [...failing, ...Array.from({ length: 99 }, () => ({ operation: 'register' as const }))];
    const passing = summarize(recordingOf([frameOf(4, many)]), { ...FACTS, thresholds: [{ ...slow, bound: 1000 }] });
    expect(passing.warnings).toEqual([]);
  });

  it('of a shard is done instead of a pass, because thresholds are judged over all shards', () => {
    const { verdict, warnings } = summarize(recording, { ...FACTS, thresholds: [slow], shard: { number: 1, of: 2 } });
    expect({ verdict, warnings }).toEqual({ verdict: { kind: 'done', reasons: [] }, warnings: [] });
  });

  it('lists the agents that are down, if agents listen', () => {
    expect(summary).not.toHaveProperty('webServers');
    const down = Array.from({ length: 120 }, (_, n) => ({ host: `host-${n}`, reason: 'a bad document' }));
    const frame = createRecorder().takeFrame(stateAt(4, { listening: 9, down: 121 }));
    const { webServers } = summarize(recordingOf([frame]), { ...FACTS, down });
    const listeners = { accepted: 0, late: 0, handshakes: 0, refused: {}, unanswered: 0 };
    expect(webServers).toEqual({
      listening: 9,
      most: 9,
      downCount: 121,
      mostDown: 121,
      down: down.slice(0, 100),
      listeners,
    });
  });

  it('warns of clients that agents refused or left without an answer, in any phase', () => {
    const listeners = {
      accepted: 60,
      late: 0,
      handshakes: 0,
      refused: { plain_http: 1, unknown_ca: 59 },
      unanswered: 2,
    };
    const frame = createRecorder().takeFrame(stateAt(2, { listening: 9, listeners }));
    const { webServers, warnings, verdict } = summarize(recordingOf([frame]), { ...FACTS, down: [], thresholds: [] });
    expect(webServers).toMatchObject({ listeners });
    expect(warnings).toEqual([
      'agents refused 60 of 60 connections before a request (59 unknown_ca, 1 plain_http)',
      'agents left requests or handshakes without an answer: 2',
    ]);
    expect(verdict.reasons.filter(({ kind }) => kind === 'invalid')).toEqual([]);
  });

  it('counts only the elapsed part of a phase that was cut short', () => {
    const stopped = summarize({ ...recording, elapsedMs: 5000 }, FACTS);
    expect(stopped.phases.map((phase) => phase.durationMs)).toEqual([2000, 1000, 2000]);
    expect(stopped.overall[1]).toMatchObject({ durationMs: 2000, succeededPerSecond: 1 });
  });

  it('has a distribution for each operation that was measured', () => {
    const distributions = responseDistributions(recording);
    expect([...distributions.keys()]).toEqual(['register', 'checkdata']);
    expect(distributions.get('checkdata')).toContain('Total count    =            4');
  });
});

describe('an operation without an outcome', () => {
  const recorder = createRecorder();
  const series = recorder.series('steady', 'checkdata');
  series.planned();
  series.planned();
  series.started(0);
  const lossy = recordingOf([recorder.takeFrame(stateAt(4))]);

  it('is a programming error in a complete run', () => {
    expect(() => summarize(lossy, FACTS)).toThrow(
      'checkdata in phase steady lost operations: planned 2, started 1, dropped 0, finished 0',
    );
  });

  it('is reported as unaccounted if a worker was lost', () => {
    const summary = summarize(lossy, { ...FACTS, reasons: [{ kind: 'incomplete', text: 'worker 1 died' }] });
    expect(summary.overall).toMatchObject([{ planned: 2, started: 1, succeeded: 0, failed: 0, unaccounted: 2 }]);
    expect(summary.verdict.kind).toBe('incomplete');
  });
});

describe('the JSON Schema of the summary', () => {
  it('is the one in docs/schema (renew it with `npx vitest run test/metrics/summary -u`)', async () => {
    const text = `${JSON.stringify(summaryJsonSchema(), undefined, 2)}\n`;
    await expect(text).toMatchFileSnapshot('../../../docs/schema/summary.schema.json');
  });
});

describe('the profiles of a summary', () => {
  it('have the response times of their own agents, over all shards', () => {
    const responses = [0, 1].flatMap(() => {
      const recorder = createProfileRecorder([{ profile: 'windows-11' }, { profile: 'debian-12' }], (agent) => agent);
      recorder.finished(0, 'checkdata', 100);
      recorder.finished(1, 'checkdata', 1);
      recorder.finished(1, 'packages', 10);
      return recorder.take();
    });
    const kinds = [
      { profile: 'debian-12', agents: 3 },
      { profile: 'macos-15', agents: 0 },
      { profile: 'windows-11', agents: 2 },
    ];
    expect(profileSummaries(kinds, responses)).toMatchObject([
      {
        profile: 'debian-12',
        agents: 3,
        responseMs: { checkdata: { count: 2, max: 1 }, packages: { count: 2, min: 10 } },
      },
      { profile: 'macos-15', agents: 0, responseMs: {} },
      { profile: 'windows-11', agents: 2, responseMs: { checkdata: { count: 2, p50: expect.closeTo(100, 0) } } },
    ]);
  });
});

describe('the groups of a summary', () => {
  it('are separate even if they have the same profile', () => {
    const shop = { group: 'shop', profile: 'debian-12' };
    const ledger = { group: 'ledger', profile: 'debian-12' };
    const recorder = createProfileRecorder([shop, ledger], (agent) => agent);
    recorder.finished(1, 'checkdata', 7);
    const summaries = profileSummaries(
      [shop, ledger].map((kind) => ({ ...kind, agents: 4 })),
      recorder.take(),
    );
    expect(summaries).toMatchObject([
      { ...shop, responseMs: {} },
      { ...ledger, responseMs: { checkdata: { count: 1 } } },
    ]);
  });
});

const thousand = recordingOf([
  frameOf(
    4,
    Array.from({ length: 1000 }, (_, i) => ({ serviceMs: 1 + i / 10 })),
  ),
]);

describe('a percentile spectrum', () => {
  it('exists for each operation and clock with values', () => {
    expect(spectraOf(thousand).map(({ operation, clock }) => `${operation} ${clock}`)).toEqual([
      'checkdata response',
      'checkdata service',
      'checkdata lag',
    ]);
    expect(spectraOf(recordingOf([]))).toEqual([]);
  });

  it('rises from the lowest value to the maximum, at the inverse of one value among all', () => {
    const points = spectraOf(thousand)[0]?.points ?? [];
    const latency = summarize(thousand, FACTS).overall[0]?.latencyMs.response;
    expect(points[0]).toEqual([1, latency?.min]);
    expect(points.at(-1)).toEqual([1000, latency?.max]);
    expect(points.find(([inverse]) => inverse === 2)?.[1]).toBe(latency?.p50);
    expect(points).toEqual(points.toSorted(([a, x], [b, y]) => a - b || x - y));
  });

  it('contains no percentiles beyond the number of values', () => {
    const [few] = spectraOf(recordingOf([frameOf(4, [{ serviceMs: 1 }])]));
    expect(few?.points).toEqual([[1, 1]]);
  });
});
