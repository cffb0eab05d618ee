import { HistogramLogWriter } from 'hdr-histogram-js';
import type { MeasuredOperation } from '../../protocol/operations.ts';
import type { TimelineFrame } from '../merging/timeline.ts';
import { CLOCKS, type ClockName } from '../recording/clocks.ts';
import { createHistogram, type Histogram } from '../recording/histogram.ts';

const NOTHING_TAG = 'nothing';

/** The comment lines and legend that open a histogram log; timestamps of the lines count from `startedAtMs` (epoch). */
export function logHeader(startedAtMs: number): string {
  const seconds = (startedAtMs / 1000).toFixed(3);
  return written((writer) => {
    writer.outputComment('[Values are microseconds, Interval_Max is in milliseconds; Tag=operation;phase;clock]');
    writer.outputLogFormatVersion();
    // The library's own start line carries the machine's time zone and an empty line.
    writer.outputComment(`[StartTime: ${seconds} (seconds since epoch), ${new Date(startedAtMs).toISOString()}]`);
    writer.outputComment(`[BaseTime: ${seconds} (seconds since epoch)]`);
    writer.outputLegend();
  });
}

/** The interval lines of one second: one for each operation, phase and clock with values, or one that says nothing. */
export function logLines({ second, series }: TimelineFrame): string {
  return written((writer) => {
    const write = (tag: string, histogram: Histogram): void => {
      histogram.tag = tag;
      writer.outputIntervalHistogram(histogram, second, second + 1, 1000);
    };
    for (const { operation, phase, histograms } of series) {
      for (const clock of CLOCKS) {
        const histogram = histograms[clock];
        if (histogram !== undefined) write(tagOf(operation, phase, clock), histogram);
      }
    }
    // A second in which nothing was recorded is in the log, too: readers see that it was not lost.
    if (series.length === 0) write(NOTHING_TAG, createHistogram());
  });
}

function written(write: (writer: HistogramLogWriter) => void): string {
  let text = '';
  write(
    new HistogramLogWriter((part) => {
      text += part;
    }),
  );
  return text;
}

// A tag ends at a comma, and readers split lines at blanks too; phase names are the only free text in it.
function tagOf(operation: MeasuredOperation, phase: string, clock: ClockName): string {
  return `${operation};${encodeURIComponent(phase)};${clock}`;
}
