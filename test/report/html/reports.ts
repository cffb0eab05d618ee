import type { MeasuredOperation } from '../../../src/base/protocol/operations.ts';
import { createRunTotals } from '../../../src/metrics/merging/run-totals.ts';
import type { Frame } from '../../../src/metrics/recording/frame.ts';
import { createRecorder } from '../../../src/metrics/recording/recorder.ts';
import {
  createHistory,
  emptyInterval,
  type History,
  type Interval,
  type IntervalActivity,
} from '../../../src/metrics/summary/history.ts';
import { spectraOf, summarize } from '../../../src/metrics/summary/summary.ts';
import type { ReportInput } from '../../../src/report/html/page.ts';
import { FACTS, PHASES, perform, recordingOf, stateAt } from '../../metrics/recordings.ts';

const SCENARIO = {
  name: 'steady',
  description: 'Does the server carry <ten> agents & one fault?',
  target: { url: 'embedded', faults: [{ do: 'outage', at: '4s', for: '1500ms' }] },
  events: [{ do: 'disk-full', at: '2s' }],
};

/** Seven seconds with an enrollment, a warm-up, failures during a fault, and drops. */
function frames(): Frame[] {
  const recorder = createRecorder();
  return Array.from({ length: 7 }, (_, second) => {
    const phase = PHASES.findLast(({ startMs }) => startMs <= second * 1000)?.name ?? '';
    const operation = phase === 'enroll' ? 'register' : 'checkdata';
    for (let i = 0; i < 40; i++) {
      const outcome = second === 4 && i % 4 === 0 ? 'http_503' : 'ok';
      perform(recorder, { phase, operation, outcome, serviceMs: 1 + ((i * 7) % 40) * (second + 1), lagMs: i % 3 });
    }
    const series = recorder.series(phase, operation);
    series.planned();
    series.dropped('agent_busy');
    series.pickedUp(0.2 + second / 10);
    const agents = { unregistered: 6 - second, waiting: 0, refused: 0, registered: 4 + second, authorized: 0 };
    return recorder.takeFrame(stateAt(second, { agents, inFlight: second, loopUtilization: 0.1 * second }));
  });
}

/** The input of the report of a short run. */
export function shortReport(part: Partial<typeof FACTS> = {}): ReportInput {
  const totals = createRunTotals(PHASES, [0]);
  const history = createHistory();
  for (const frame of frames()) {
    totals.add(frame);
    for (const second of totals.takeTimeline()) history.add(second);
  }
  totals.end(0);
  for (const second of totals.takeTimeline()) history.add(second);
  const recording = { phases: PHASES, elapsedMs: 7000, run: totals.read() };
  const summary = summarize(recording, { ...FACTS, scenario: SCENARIO, ...part });
  return { summary, history: history.read(7000), spectra: spectraOf(recording) };
}

/** The input of a report with overlapping cohorts, one with a name that HTML must escape. */
export function cohortReport(count = 3): ReportInput {
  const { summary, ...rest } = shortReport();
  const { overall, phases } = summary;
  const named = [
    { name: 'offices', cohort: 'profile=windows-* and not 0..9' },
    { name: 'role=web', cohort: 'role=web' },
    {
      name: 'host=<b>*-a-very-long-name-of-hosts-in-a-cohort-of-a-threshold*',
      cohort: 'host=<b>*-a-very-long-name-of-hosts-in-a-cohort-of-a-threshold*',
    },
  ];
  const cohorts = Array.from({ length: count }, (_, n) => {
    const { name, cohort } = named[n] ?? { name: `site-${n}`, cohort: `group=site-${n}` };
    return { name, cohort, agents: 4 + n, overall, phases };
  });
  const judged = { kind: 'operation', operation: 'checkdata', unit: 'share', passed: false, observed: 0.07 } as const;
  const thresholds = [{ ...judged, phase: 'steady', cohort: 'role=web', text: 'error_rate < 1%' }];
  return { ...rest, summary: { ...summary, cohorts, thresholds } };
}

/** Forty very short phases whose names share their beginning. */
export function manyPhases(count = 40): ReportInput {
  const { summary, ...rest } = shortReport();
  const durationMs = 7000 / count;
  const phases = Array.from({ length: count }, (_, index) => ({
    name: `step-${index + 1}-of-the-ramp-in-the-north-and-the-south`,
    excluded: false,
    operations: summary.phases[0]?.operations ?? [],
    startMs: index * durationMs,
    durationMs,
  }));
  return { ...rest, summary: { ...summary, phases } };
}

/** A run that was stopped before anything happened. */
export function emptyReport(): ReportInput {
  const recording = recordingOf([]);
  return {
    summary: summarize(recording, FACTS),
    history: createHistory().read(undefined),
    spectra: spectraOf(recording),
  };
}

const LONG_SECONDS = 36_000;
const LONG_OPERATIONS: readonly MeasuredOperation[] = ['register', 'authorize', 'checkdata', 'packages', 'poll'];

/** Ten hours of five operations that all have failures and a wide spread in every interval. */
export function longReport(): ReportInput {
  const short = shortReport();
  const intervals = Array.from({ length: LONG_SECONDS / 16 }, (_, index): Interval => {
    const activity = new Map(LONG_OPERATIONS.map((operation, n) => [operation, busyActivity(index + n)]));
    return {
      ...emptyInterval(),
      lastSecond: 16 * index + 15,
      inFlight: index % 977,
      busiestLoop: (index % 89) / 89,
      activity,
    };
  });
  const history: History = { secondsPerInterval: 16, seconds: LONG_SECONDS, intervals, operations: LONG_OPERATIONS };
  const phases = short.summary.phases
    .slice(-1)
    .map((phase) => ({ ...phase, startMs: 0, durationMs: LONG_SECONDS * 1000 }));
  return { ...short, history, summary: { ...short.summary, elapsedMs: LONG_SECONDS * 1000, phases } };
}

function busyActivity(index: number): IntervalActivity {
  const wave = 1 + Math.sin(index / 90) / 2;
  const milliseconds = (factor: number) => Math.round((wave * factor + (index % 13)) * 1000) / 1000;
  return {
    planned: 160_000 + (index % 977),
    started: 160_000 + (index % 977),
    dropped: index % 101,
    unanswered: index % 89,
    sentBytes: 160_000 * 40_000 + index,
    receivedBytes: 160_000 * 90 + index,
    outcomes: new Map([
      ['ok', 159_000 + (index % 991)],
      ['timeout', index % 89],
      ['http_503', index % 97],
    ]),
    p50Ms: milliseconds(10.123),
    p99Ms: milliseconds(200.456),
    maxMs: milliseconds(4000.789),
    serviceP99Ms: milliseconds(150.321),
    delayP99Ms: milliseconds(4.242),
    delayMaxMs: milliseconds(20.718),
    cells: new Map(Array.from({ length: 36 }, (_, cell) => [25 + cell, 1 + ((index * 31 + cell * 17) % 9999)])),
  };
}
