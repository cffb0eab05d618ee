import { describe, expect, it } from 'vitest';
import type { Frame } from '../../../src/metrics/recording/frame.ts';
import { latencyOf, percentileMs, unpack } from '../../../src/metrics/recording/histogram.ts';
import { createRecorder } from '../../../src/metrics/recording/recorder.ts';
import { frameOf, perform, recorderIn, stateAt } from '../recordings.ts';

const ANSWER = { responseMs: 30, serviceMs: 20, sentBytes: 100, receivedBytes: 10 };

function clocks(frame: Frame) {
  const histograms = frame.series[0]?.histograms ?? {};
  return Object.fromEntries(Object.entries(histograms).map(([name, text]) => [name, latencyOf(unpack(text))]));
}

describe('a recorder', () => {
  it('counts plans, starts, drops, outcomes and bytes per phase and operation', () => {
    const recorder = createRecorder();
    const series = recorder.series('steady', 'checkdata');
    for (let i = 0; i < 4; i++) series.planned();
    series.started(1);
    series.started(2);
    series.dropped('agent_busy');
    series.finished('http_503', ANSWER);
    recorder.series('enroll', 'register').planned();
    expect(recorder.takeFrame(stateAt(3)).series).toMatchObject([
      {
        phase: 'steady',
        operation: 'checkdata',
        planned: 4,
        started: 2,
        dropped: { agent_busy: 1 },
        outcomes: { http_503: 1 },
        sentBytes: 100,
        receivedBytes: 10,
      },
      { phase: 'enroll', operation: 'register', planned: 1, started: 0, dropped: {}, outcomes: {}, histograms: {} },
    ]);
  });

  it('records failures and cancellations on all clocks', () => {
    const recorder = createRecorder();
    for (const outcome of ['ok', 'timeout', 'canceled'] as const) perform(recorder, { outcome, lagMs: 10 });
    expect(clocks(recorder.takeFrame(stateAt(0)))).toMatchObject({
      response: { count: 3 },
      service: { count: 3 },
      lag: { count: 3 },
    });
  });

  it('keeps the three clocks apart', () => {
    const recorder = createRecorder();
    perform(recorder, { lagMs: 10, serviceMs: 20 });
    const frame = clocks(recorder.takeFrame(stateAt(0)));
    expect([frame.response?.p50, frame.service?.p50, frame.lag?.p50].map((ms) => Math.round(ms ?? 0))).toEqual([
      30, 20, 10,
    ]);
  });

  it('counts a served request as planned and started on arrival, without lag or scheduling delay', () => {
    const recorder = createRecorder();
    const series = recorder.series('steady', 'serve-checkdata');
    series.served('ok', { serviceMs: 3, sentBytes: 5000, receivedBytes: 90 });
    series.served('client_gone', { serviceMs: 7, sentBytes: 10, receivedBytes: 90 });
    const frame = recorder.takeFrame(stateAt(0));
    expect(frame.series).toMatchObject([
      {
        operation: 'serve-checkdata',
        planned: 2,
        started: 2,
        dropped: {},
        outcomes: { ok: 1, client_gone: 1 },
        sentBytes: 5010,
        receivedBytes: 180,
      },
    ]);
    expect(clocks(frame)).toEqual({
      response: expect.objectContaining({ count: 2, min: 3, max: 7.003 }),
      unanswered: expect.objectContaining({ count: 1, min: 7 }),
      service: expect.objectContaining({ count: 2, min: 3, max: 7.003 }),
    });
  });

  it.each([
    ['ok', 0],
    ['waiting', 0],
    ['http_503', 0],
    ['malformed_answer', 0],
    ['unexpected_body', 0],
    ['connection_refused', 1],
    ['connection_failed', 1],
    ['tls_failed', 1],
    ['timeout', 1],
    ['canceled', 1],
  ] as const)('records the time of %s as response time, and %i of it as unanswered', (outcome, unanswered) => {
    const read = clocks(frameOf(0, [{ outcome, serviceMs: 7 }]));
    expect([read.response?.count, read.unanswered?.count ?? 0]).toEqual([1, unanswered]);
  });

  it('counts a success in the phase in which it occurs, whenever it was due, and in none after the end', () => {
    let now: string | undefined = 'enroll';
    const recorder = recorderIn(() => now);
    const within = () =>
      recorder.takeFrame(stateAt(0)).series.map(({ phase, outcomes, succeededWithin }) => ({
        phase,
        outcomes,
        succeededWithin,
      }));
    for (const outcome of ['ok', 'waiting', 'timeout'] as const) perform(recorder, { phase: 'enroll', outcome });
    expect(within()).toEqual([{ phase: 'enroll', outcomes: { ok: 1, waiting: 1, timeout: 1 }, succeededWithin: 2 }]);
    now = 'steady';
    perform(recorder, { phase: 'enroll' });
    expect(within()).toEqual([
      { phase: 'enroll', outcomes: { ok: 1 }, succeededWithin: 0 },
      { phase: 'steady', outcomes: {}, succeededWithin: 1 },
    ]);
    now = undefined;
    perform(recorder, { phase: 'steady' });
    expect(within()).toEqual([{ phase: 'steady', outcomes: { ok: 1 }, succeededWithin: 0 }]);
  });

  it('counts a success in no phase once the timeline was stopped', () => {
    const recorder = recorderIn(() => 'steady');
    recorder.stop();
    perform(recorder, {});
    expect(recorder.takeFrame(stateAt(0)).series).toMatchObject([{ outcomes: { ok: 1 }, succeededWithin: 0 }]);
  });

  it('starts over after each frame and omits idle series', () => {
    const recorder = createRecorder();
    perform(recorder, {});
    recorder.takeFrame(stateAt(0));
    expect(recorder.takeFrame(stateAt(1))).toEqual({ ...stateAt(1), series: [] });
    perform(recorder, {});
    expect(recorder.takeFrame(stateAt(2)).series).toMatchObject([{ planned: 1, started: 1, outcomes: { ok: 1 } }]);
  });

  it('records the scheduling delay of an arrival even if it was never started', () => {
    const recorder = createRecorder();
    recorder.series('steady', 'checkdata').pickedUp(4);
    const [series] = recorder.takeFrame(stateAt(0)).series;
    expect(percentileMs(unpack(series?.histograms.delay ?? new Uint8Array()), 100)).toBeCloseTo(4, 2);
  });

  it('makes frames of plain data that can be sent to other threads', () => {
    const recorder = createRecorder();
    perform(recorder, {});
    const frame = recorder.takeFrame(stateAt(0));
    expect(structuredClone(frame)).toEqual(frame);
  });
});
