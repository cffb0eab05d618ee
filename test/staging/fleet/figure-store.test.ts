import { cpSync, mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TimelineFrame } from '../../../src/metrics/merging/timeline.ts';
import { unpackSeries } from '../../../src/metrics/recording/frame.ts';
import { createHistogram } from '../../../src/metrics/recording/histogram.ts';
import { NO_LISTENER_COUNTS } from '../../../src/metrics/recording/listener-counts.ts';
import { createRecorder } from '../../../src/metrics/recording/recorder.ts';
import { openFigureStore } from '../../../src/staging/fleet/figure-store.ts';

const AGENTS = { unregistered: 0, waiting: 0, refused: 0, registered: 9, authorized: 0 };
const HOUR = 3600;
// At the start of an hour.
const START = 1_800_000_000 - (1_800_000_000 % HOUR);

function frame(second: number, answersMs: readonly number[] = [5]): TimelineFrame {
  const recorder = createRecorder();
  for (const responseMs of answersMs) {
    const series = recorder.series('steady', 'checkdata');
    series.planned();
    series.started(0);
    series.finished('ok', { responseMs, serviceMs: 1, sentBytes: 10, receivedBytes: 1 });
  }
  return {
    second,
    workers: [],
    listeners: NO_LISTENER_COUNTS,
    agents: AGENTS,
    inFlight: 0,
    listening: 0,
    down: 0,
    series: recorder.takeSeries().map(unpackSeries),
  };
}

const storePath = () => join(mkdtempSync(join(tmpdir(), 'muster-figures-')), 'identities.db.figures');
const unexpected = (text: string) => expect.unreachable(text);
type Resolution = 'second' | 'minute' | 'hour' | 'whole';
/** From and to this many seconds after the start. */
const read = (store: ReturnType<typeof openFigureStore>, resolution: Resolution, from = 0, to = HOUR) =>
  store.read({ resolution, fromMs: (START + from) * 1000, toMs: (START + to) * 1000 });
const successes = (rows: ReturnType<ReturnType<typeof openFigureStore>['read']>) =>
  rows.map(({ atMs, figures }) => [atMs / 1000 - START, figures.seconds, figures.operations[0]?.succeeded]);

describe('the figures of a fleet', () => {
  it('are available per second, minute and hour', () => {
    const store = openFigureStore(storePath(), unexpected);
    for (let second = 0; second < 130; second++) store.add([frame(second)], START * 1000);
    expect(read(store, 'second')).toHaveLength(130);
    expect(successes(read(store, 'minute'))).toEqual([
      [0, 60, 60],
      [60, 60, 60],
      [120, 10, 10],
    ]);
    expect(successes(read(store, 'hour'))).toEqual([[0, 130, 130]]);
    store.close();
  });

  it('add up if the clock of the machine was set back and shows a second again', () => {
    const store = openFigureStore(storePath(), unexpected);
    for (const startMs of [START * 1000, (START - 2) * 1000, START * 1000])
      for (let second = 0; second < 3; second++) store.add([frame(second)], startMs);
    store.add([frame(0)], (START + HOUR) * 1000);
    store.add([frame(5)], START * 1000);
    expect(successes(read(store, 'hour', -HOUR, 2 * HOUR))).toEqual([
      [-HOUR, 2, 2],
      [0, 4, 8],
      [HOUR, 1, 1],
    ]);
    expect(read(store, 'second', -2, 3).map(({ figures }) => figures.operations[0]?.succeeded)).toEqual([
      1, 1, 3, 2, 2,
    ]);
    store.close();
  });

  it('of a second in which a worker was late can be read again after a restart', () => {
    const path = storePath();
    const store = openFigureStore(path, unexpected);
    const { series, ...rest } = frame(0);
    const leftOut = { finished: 1, failed: 0, dropped: 0, succeededWithin: 1, response: createHistogram() };
    store.add([{ ...rest, series: series.map((one) => ({ ...one, leftOut })) }], START * 1000);
    store.close();
    const again = openFigureStore(path, unexpected);
    again.add([frame(1)], START * 1000);
    expect(successes(read(again, 'minute'))).toEqual([[0, 2, 2]]);
    again.close();
  });

  it('of a whole span are those of all its answers together, and are the same after a restart', () => {
    const path = storePath();
    const store = openFigureStore(path, unexpected);
    const seconds = Array.from({ length: 147 }, (_, n) => 50 * n);
    store.add(
      seconds.map((second) => frame(second, [second < 1.5 * HOUR ? 10 : 30])),
      START * 1000,
    );
    const whole = (from: number, to: number, of = store) =>
      read(of, 'whole', from, to).map(({ figures: { seconds, operations } }) => [
        ...[seconds, operations[0]?.succeeded],
        ...[operations[0]?.responseMs?.p50, operations[0]?.responseMs?.p99].map((ms) => Math.round(ms ?? 0)),
      ]);
    expect(whole(0, 2 * HOUR + 130)).toEqual([[147, 147, 10, 30]]);
    expect(whole(1.5 * HOUR, 2 * HOUR + 70)).toEqual([[38, 38, 30, 30]]);
    expect(whole(5 * HOUR, 6 * HOUR)).toEqual([]);
    store.close();
    const again = openFigureStore(path, unexpected);
    expect(whole(0, 2 * HOUR + 130, again)).toEqual([[147, 147, 10, 30]]);
    again.close();
  });

  it('per minute and hour continue after a kill as without it', () => {
    const path = storePath();
    const killed = openFigureStore(path, unexpected);
    for (let second = 0; second < 25; second++) killed.add([frame(second, [second + 1])], START * 1000);
    // A kill leaves what is on disk while the store is open.
    const left = storePath();
    for (const file of ['', '-wal']) cpSync(`${path}${file}`, `${left}${file}`);
    killed.close();
    const store = openFigureStore(left, unexpected);
    for (let second = 5; second < 40; second++) store.add([frame(second - 5, [second + 1])], (START + 30) * 1000);
    expect(successes(read(store, 'minute'))).toEqual([
      [0, 55, 55],
      [60, 5, 5],
    ]);
    expect(read(store, 'minute', 0, 60)[0]?.figures.operations[0]?.responseMs?.max).toBeGreaterThan(34);
    store.close();
  });

  it('count a repeated second once', () => {
    const store = openFigureStore(storePath(), unexpected);
    for (const second of [0, 1, 2, 61, 1]) store.add([frame(second)], START * 1000);
    expect(successes(read(store, 'second', 1, 2))).toEqual([[1, 1, 2]]);
    expect(successes(read(store, 'minute', 0, 60))).toEqual([[0, 3, 4]]);
    store.close();
  });

  it('belong to one fleet at a time, and another fleet is refused', () => {
    const path = storePath();
    const store = openFigureStore(path, unexpected);
    store.add([frame(0)], START * 1000);
    expect(() => openFigureStore(path, unexpected)).toThrow(/^Another fleet uses the files next to/);
    store.close();
    openFigureStore(path, unexpected).close();
  });

  it('are kept for an hour, a week and a year, in limited space', () => {
    const path = storePath();
    const store = openFigureStore(path, unexpected);
    // As wide as those of a minute.
    const answersMs = Array.from({ length: 600 }, (_, n) => 2 ** (n / 60));
    const one = frame(0, answersMs);
    for (let second = 0; second < 8 * 86_400; second += HOUR) store.add([{ ...one, second }], START * 1000);
    const rows = (resolution: Resolution) => read(store, resolution, -START, START).length;
    // One second per hour was added.
    expect([rows('second'), rows('minute'), rows('hour')]).toEqual([2, 169, 192]);
    store.close();
    expect(statSync(path).size).toBeLessThan(700_000);
  });
});
