import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Histogram, HistogramLogReader } from 'hdr-histogram-js';
import { CLOCKS, type ClockName } from '../../src/metrics/recording/clocks.ts';
import type { Frame, SeriesFrame } from '../../src/metrics/recording/frame.ts';
import { encode } from '../../src/metrics/recording/histogram.ts';
import { type TimelineRow, timelineRowSchema } from '../../src/metrics/results/timeline-row.ts';
import { LIFECYCLE_STATES, type LifecycleState } from '../../src/protocol/lifecycle-states.ts';

/** The seconds recorded so far; of a run that was killed, without the line it was killed in. */
export function readTimeline(folder: string): TimelineRow[] {
  const lines = readFileSync(join(folder, 'timeline.ndjson'), 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => timelineRowSchema.parse(JSON.parse(line)));
}

/** Every interval of a folder's histogram log by second and tag; a torn last line is left out. */
function readHistograms(folder: string): Map<string, Histogram> {
  const text = readFileSync(join(folder, 'histograms.hlog'), 'utf8');
  const reader = new HistogramLogReader(text.slice(0, text.lastIndexOf('\n') + 1));
  const histograms = new Map<string, Histogram>();
  for (let histogram = reader.nextIntervalHistogram(); histogram; histogram = reader.nextIntervalHistogram()) {
    const second = Math.round(histogram.startTimeStampMsec / 1000 - reader.baseTimeSec);
    const key = `${second} ${histogram.tag}`;
    const known = histograms.get(key);
    if (known === undefined) histograms.set(key, Object.assign(histogram, { autoResize: true }));
    else known.add(histogram);
  }
  return histograms;
}

/** Frames that add up to everything a run has recorded: the first worker of a second is given all its activity. */
export function readFrames(folder: string): Frame[] {
  const histograms = readHistograms(folder);
  return readTimeline(folder).flatMap(({ second, series, workers, ...fleet }) => {
    // Taken, not read: a second may have several rows, and its values must count once.
    const encoded = (tag: string): string | undefined => {
      const histogram = histograms.get(`${second} ${tag}`);
      histograms.delete(`${second} ${tag}`);
      return histogram === undefined ? undefined : encode(histogram);
    };
    const restored = series.map((row) => restoredSeries(row, encoded));
    const whole = { ...fleet, series: restored };
    return workers.map((worker, index) => ({ second, ...worker, stalls: [], ...(index === 0 ? whole : NOTHING) }));
  });
}

const NOTHING = {
  series: [],
  agents: Object.fromEntries(LIFECYCLE_STATES.map((state) => [state, 0])) as Record<LifecycleState, number>,
  inFlight: 0,
  listening: 0,
  down: 0,
};

function restoredSeries(
  { latencyMs: _, ...counts }: TimelineRow['series'][number],
  encoded: (tag: string) => string | undefined,
): SeriesFrame {
  const histograms: Partial<Record<ClockName, string>> = {};
  for (const clock of CLOCKS) {
    const text = encoded(`${counts.operation};${encodeURIComponent(counts.phase)};${clock}`);
    if (text !== undefined) histograms[clock] = text;
  }
  return { ...counts, histograms };
}
