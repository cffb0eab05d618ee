import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Histogram, HistogramLogReader, listTags } from 'hdr-histogram-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UserError } from '../../src/base/kernel/errors.ts';
import { partOf } from '../../src/base/storage/whole-files.ts';
import type { Recording } from '../../src/metrics/merging/measurement.ts';
import { createRunTotals, type RunTotals } from '../../src/metrics/merging/run-totals.ts';
import type { TimelineFrame } from '../../src/metrics/merging/timeline.ts';
import type { Frame } from '../../src/metrics/recording/frame.ts';
import { createRecorder } from '../../src/metrics/recording/recorder.ts';
import { createHistory } from '../../src/metrics/summary/history.ts';
import { summarize } from '../../src/metrics/summary/summary.ts';
import { RESULT_SCHEMA_VERSION, summarySchema } from '../../src/metrics/summary/summary-schema.ts';
import { type Conclusion, writeConclusion } from '../../src/results/conclusion.ts';
import { openResultFolder, pointLatest, type ResultFolder } from '../../src/results/folder.ts';
import { digest, FACTS, PHASES, perform, stateAt } from '../metrics/recordings.ts';
import { readTimeline, readTotals } from './read-results.ts';

const START = {
  schemaVersion: RESULT_SCHEMA_VERSION,
  startedAt: FACTS.startedAt.toISOString(),
  environment: FACTS.environment,
} as const;

let outDir = '';

beforeEach(() => {
  outDir = mkdtempSync(join(tmpdir(), 'muster-results-'));
});

afterEach(() => rmSync(outDir, { recursive: true, force: true }));

function open(part: { scenarioName?: string; outDir?: string; startedAt?: Date } = {}): ResultFolder {
  return openResultFolder({
    outDir,
    scenarioName: 'steady',
    seed: 1,
    startedAt: FACTS.startedAt,
    part: undefined,
    scenarioText: 'name: steady\n',
    startOf: (runId) => ({ ...START, runId }),
    factsOf: (second) => ({
      events: second === 2 ? [{ name: 'cable', change: 'begins', atMs: 2500 }] : [],
      hostTime: undefined,
    }),
    ...part,
  });
}

/** Two shards over the whole timeline; the latencies of each second differ. */
function framesOfRun(): Frame[] {
  const recorders = [createRecorder(), createRecorder()];
  return Array.from({ length: 7 }, (_, second) =>
    recorders.map((recorder, shard) => {
      const phase = second < 2 ? 'enroll' : second < 3 ? 'warm-up' : 'steady';
      const operation = phase === 'enroll' ? ('register' as const) : ('checkdata' as const);
      for (let i = 1; i <= 5; i++) perform(recorder, { phase, operation, serviceMs: i * (second + 1), lagMs: shard });
      perform(recorder, { phase, operation, outcome: 'timeout', serviceMs: 2000 });
      recorder.series(phase, operation).pickedUp(shard + 0.5);
      return recorder.takeFrame(stateAt(second, { shard, loopUtilization: shard / 2 }));
    }),
  ).flat();
}

function totalsOf(frames: readonly Frame[]): RunTotals {
  const totals = createRunTotals(PHASES, [0, 1]);
  for (const frame of frames) totals.add(frame);
  totals.takeTimeline();
  return totals;
}

function recordRun(folder: ResultFolder): Recording {
  const totals = createRunTotals(PHASES, [0, 1]);
  for (const frame of framesOfRun()) {
    totals.add(frame);
    folder.append(totals.takeTimeline());
  }
  return { phases: PHASES, elapsedMs: 7000, run: totals.read() };
}

function conclusionOf(recording: Recording): Conclusion {
  return { summary: summarize(recording, FACTS), recording, history: createHistory().read(undefined) };
}

function watchedFrame(frame: TimelineFrame, look: () => void): TimelineFrame {
  return {
    ...frame,
    get series() {
      look();
      return frame.series;
    },
  };
}

const text = (folder: ResultFolder, file: string) => readFileSync(join(folder.path, file), 'utf8');

describe('a result folder', () => {
  it('is named after the UTC start and the seed, in the folder of the scenario', () => {
    expect(open().path).toBe(join(outDir, 'steady', '2026-11-21T10-15-30Z-seed1'));
  });

  it('contains the scenario and the header of the log before the first second', () => {
    const folder = open();
    expect(text(folder, 'scenario.yaml')).toBe('name: steady\n');
    expect(text(folder, 'histograms.hlog').split('\n')).toEqual([
      '#[Values are microseconds, Interval_Max is in milliseconds; Tag=operation;phase;clock]',
      '#[Histogram log format version 1.3]',
      '#[StartTime: 1795256130.000 (seconds since epoch), 2026-11-21T10:15:30.000Z]',
      '#[BaseTime: 1795256130.000 (seconds since epoch)]',
      `#[Run: ${JSON.stringify(folder.start)}]`,
      '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"',
      '',
    ]);
  });

  it('of a second run in the same second gets a different name', () => {
    expect([open(), open(), open()].map((folder) => folder.start.runId)).toEqual([
      '2026-11-21T10-15-30Z-seed1',
      '2026-11-21T10-15-30Z-seed1-2',
      '2026-11-21T10-15-30Z-seed1-3',
    ]);
  });

  it('is the target of `latest` once the link is updated', () => {
    pointLatest(open().path);
    expect(readlinkSync(join(outDir, 'steady', 'latest'))).toBe('2026-11-21T10-15-30Z-seed1');
    const second = open({ startedAt: new Date('2026-11-21T10:16:00Z') });
    pointLatest(second.path);
    expect(readlinkSync(join(outDir, 'steady', 'latest'))).toBe(second.start.runId);
    expect(readdirSync(join(outDir, 'steady')).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it.each([
    ['storm / 20 % herd', 'storm-20-herd'],
    ['../../etc', '-..-etc'],
    ['Überlast', 'Überlast'],
    ['हिन्दी', 'हिन्दी'],
    ['🚀', '🚀'],
    ['..', 'unnamed'],
  ])('of scenario %j stays inside the results as %j', (scenarioName, folder) => {
    expect(open({ scenarioName }).path).toBe(join(outDir, folder, '2026-11-21T10-15-30Z-seed1'));
  });

  it('that cannot be created fails with a user error before the run', () => {
    writeFileSync(join(outDir, 'file'), '');
    const attempt = () => open({ outDir: join(outDir, 'file') });
    expect(attempt).toThrow(UserError);
    expect(attempt).toThrow(/^cannot write the results to .*\/file\/steady: not a directory; .*--out$/);
  });

  it('is not created beside a folder in place of the link, which would go on showing another run', () => {
    const latest = join(outDir, 'copied', 'latest');
    mkdirSync(latest, { recursive: true });
    expect(() => open({ scenarioName: 'copied' })).toThrow(
      /copied\/latest: expected the link to the latest run, found a/,
    );
    expect(readdirSync(join(outDir, 'copied'))).toEqual(['latest']);
  });

  it('contains every file of the run and no temporary ones', async () => {
    const folder = open();
    const recording = recordRun(folder);
    await writeConclusion(folder.path, conclusionOf(recording));
    expect(readdirSync(folder.path).sort()).toEqual([
      'checkdata.hgrm',
      'histograms.hlog',
      'register.hgrm',
      'report.html',
      'scenario.yaml',
      'summary.json',
      'timeline.csv',
      'timeline.ndjson',
    ]);
    expect(text(folder, 'checkdata.hgrm')).toContain('Total count    =           48');
  });

  it('contains every file that could be written, and reports the first that could not', async () => {
    const folder = open();
    const conclusion = conclusionOf(recordRun(folder));
    for (const file of ['report.html', 'timeline.csv']) mkdirSync(partOf(join(folder.path, file)));
    const writing = writeConclusion(folder.path, conclusion);
    await expect(writing).rejects.toThrow(UserError);
    await expect(writing).rejects.toThrow(/^cannot write the results to .*report\.html\..*\.part: /);
    expect(readdirSync(folder.path)).toEqual(expect.arrayContaining(['checkdata.hgrm', 'summary.json']));
  });

  it('removes temporary files of killed runs of its scenario, and none that another process may still be writing', () => {
    const killed = open();
    const part = (file: string, machine: string, pid: number) => {
      const name = `.${file}.${machine}.${pid}.part`;
      writeFileSync(join(killed.path, name), 'half');
      return name;
    };
    // Beyond the largest PID of the kernel.
    const gone = 4_194_999;
    part('report.html', hostname(), gone);
    const kept = [part('timeline.csv', hostname(), process.pid), part('summary.json', 'elsewhere', gone)];
    const old = part('checkdata.hgrm', 'elsewhere', gone);
    utimesSync(join(killed.path, old), new Date(0), new Date(0));
    open();
    const left = readdirSync(killed.path).filter((name) => name.endsWith('.part'));
    expect(left.sort()).toEqual(kept.sort());
    expect(text(killed, 'scenario.yaml')).toBe('name: steady\n');
  });
});

describe('the record of a run', () => {
  it("has the same totals as the summary if read with HdrHistogram's own reader", () => {
    const folder = open();
    const recording = recordRun(folder);
    const summary = summarize(recording, FACTS);
    const log = text(folder, 'histograms.hlog');
    expect(listTags(log)).toContain('checkdata;steady;response');
    const sums = new Map<string, Histogram>();
    const reader = new HistogramLogReader(log);
    for (let interval = reader.nextIntervalHistogram(); interval; interval = reader.nextIntervalHistogram()) {
      const sum = sums.get(interval.tag);
      if (sum === undefined) sums.set(interval.tag, Object.assign(interval, { autoResize: true }));
      else sum.add(interval);
    }
    for (const phase of summary.phases) {
      for (const { operation, latencyMs } of phase.operations) {
        for (const [clock, latency] of Object.entries(latencyMs)) {
          const sum = sums.get(`${operation};${phase.name};${clock}`);
          expect(sum?.totalCount).toBe(latency?.count);
          expect(sum?.getValueAtPercentile(99)).toBe(Math.round((latency?.p99 ?? 0) * 1000));
        }
      }
    }
    expect(reader.startTimeSec).toBe(FACTS.startedAt.getTime() / 1000);
  });

  it('has one log line per second for each operation, phase and clock', () => {
    const folder = open();
    recordRun(folder);
    const lines = text(folder, 'histograms.hlog').split('\n');
    const steady = lines.filter((line) => line.startsWith('Tag=checkdata;steady;response,'));
    expect(steady.map((line) => line.split(',').slice(1, 3))).toEqual(
      ['3.000', '4.000', '5.000', '6.000'].map((start) => [start, '1.000']),
    );
  });

  it('has one timeline row per second', () => {
    const folder = open();
    recordRun(folder);
    const rows = readTimeline(folder.path);
    expect(rows.map((row) => row.second)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(rows[3]).toMatchObject({
      agents: { authorized: 20 },
      series: [
        {
          phase: 'steady',
          planned: 12,
          outcomes: { ok: 10, timeout: 2 },
          latencyMs: { service: { p50: 12.007 }, delay: { max: 1.5 } },
        },
      ],
      workers: [
        { shard: 0, loopUtilization: 0, cpuMs: 200 },
        { shard: 1, loopUtilization: 0.5, cpuMs: 200 },
      ],
    });
  });

  it('adds up to the same results if read back', async () => {
    const folder = open();
    const recording = recordRun(folder);
    const restored = await readTotals(folder.path, PHASES);
    expect(digest(restored)).toEqual(digest(recording.run));
    expect(summarize({ ...recording, run: restored }, FACTS)).toEqual(summarize(recording, FACTS));
  });

  it('keeps all complete seconds if the process is killed in the middle of a line', async () => {
    const folder = open();
    recordRun(folder);
    for (const file of ['histograms.hlog', 'timeline.ndjson']) {
      truncateSync(join(folder.path, file), Buffer.byteLength(text(folder, file)) - 40);
    }
    const kept = framesOfRun().filter((frame) => frame.second < 6);
    const restored = await readTotals(folder.path, PHASES);
    expect(digest(restored)).toEqual(digest(totalsOf(kept).read()));
  });

  it('counts a second once that was written in two parts', async () => {
    const parts = framesOfRun().filter((frame) => frame.second === 3);
    const folder = open();
    const totals = createRunTotals(PHASES, [0, 1]);
    totals.end(1);
    for (const part of parts) {
      totals.add(part);
      folder.append(totals.takeTimeline());
    }
    const restored = digest(await readTotals(folder.path, PHASES));
    expect(restored).toEqual(digest(totalsOf(parts).read()));
  });

  it('never has a second in the timeline whose histograms are not in the log', () => {
    const folder = open();
    const seen: [string[], number][] = [];
    const secondsOf = (text: string) => new Set([...text.matchAll(/^Tag=[^,]+,([\d.]+)/gm)].map((match) => match[1]));
    const look = (): void => {
      const timeline = text(folder, 'timeline.ndjson').split('\n').slice(0, -1);
      seen.push([timeline, secondsOf(text(folder, 'histograms.hlog')).size]);
    };
    const totals = createRunTotals(PHASES, [0, 1]);
    for (const frame of framesOfRun()) totals.add(frame);
    // A getter of the figures sees the files as a kill at that time would leave them.
    const watched = totals.takeTimeline().map((frame) => watchedFrame(frame, look));
    folder.append(watched);
    look();
    expect(seen.at(-1)?.[0]).toHaveLength(watched.length);
    expect(seen.filter(([timeline, logged]) => timeline.length > logged)).toEqual([]);
  });

  it('keeps phase names with spaces and commas', async () => {
    const phases = PHASES.map((phase) => (phase.name === 'steady' ? { ...phase, name: 'peak, 20 %; all' } : phase));
    const recorder = createRecorder();
    perform(recorder, { phase: 'peak, 20 %; all' });
    const totals = createRunTotals(phases, [0]);
    totals.add(recorder.takeFrame(stateAt(3)));
    const folder = open();
    folder.append(totals.takeTimeline());
    const { series } = await readTotals(folder.path, phases);
    expect(series.map(({ phase, totals }) => [phase, totals.histograms.response.totalCount])).toEqual([
      ['peak, 20 %; all', 1],
    ]);
  });
});

describe('a summary on disk', () => {
  it('reads back unchanged', async () => {
    const folder = open();
    const conclusion = conclusionOf(recordRun(folder));
    await writeConclusion(folder.path, conclusion);
    expect(summarySchema.parse(JSON.parse(text(folder, 'summary.json')))).toEqual(conclusion.summary);
  });
});
