import { HistogramLogReader, HistogramLogWriter } from 'hdr-histogram-js';
import { isOperation, type Operation } from '../../protocol/operations.ts';
import type { TimelineFrame } from '../merging/timeline.ts';
import { CLOCKS, type ClockName } from '../recording/clocks.ts';
import { decode, type Histogram } from '../recording/histogram.ts';

/** What one interval line of the log is about. */
export type LogSubject =
  | { readonly kind: 'scheduling_delay' }
  | { readonly kind: 'clock'; readonly operation: Operation; readonly phase: string; readonly clock: ClockName };

export type LogEntry = { readonly second: number; readonly subject: LogSubject; readonly histogram: Histogram };

const SCHEDULING_DELAY_TAG = 'scheduling_delay';

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

/** The interval lines of one second: one for each operation, phase and clock with values. */
export function logLines(frame: TimelineFrame): string {
  const subjects: [LogSubject, string | undefined][] = frame.series.flatMap(({ operation, phase, histograms }) =>
    CLOCKS.map((clock): [LogSubject, string | undefined] => [
      { kind: 'clock', operation, phase, clock },
      histograms[clock],
    ]),
  );
  subjects.push([{ kind: 'scheduling_delay' }, frame.schedulingDelay]);
  return written((writer) => {
    for (const [subject, encoded] of subjects) {
      if (encoded === undefined) continue;
      const histogram = decode(encoded);
      histogram.tag = tagOf(subject);
      writer.outputIntervalHistogram(histogram, frame.second, frame.second + 1, 1000);
    }
  });
}

/** Every interval of a log. Lines with foreign tags and a torn last line are passed over. */
export function* readLog(text: string): Generator<LogEntry> {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const reader = new HistogramLogReader(whole);
  for (let histogram = reader.nextIntervalHistogram(); histogram; histogram = reader.nextIntervalHistogram()) {
    const subject = subjectOf(histogram.tag);
    const second = Math.round(histogram.startTimeStampMsec / 1000 - reader.baseTimeSec);
    if (subject !== undefined) yield { second, subject, histogram };
  }
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
function tagOf(subject: LogSubject): string {
  if (subject.kind === 'scheduling_delay') return SCHEDULING_DELAY_TAG;
  return `${subject.operation};${encodeURIComponent(subject.phase)};${subject.clock}`;
}

function subjectOf(tag: string): LogSubject | undefined {
  if (tag === SCHEDULING_DELAY_TAG) return { kind: 'scheduling_delay' };
  const [operation = '', phase = '', name = ''] = tag.split(';');
  const clock = CLOCKS.find((candidate) => candidate === name);
  if (!isOperation(operation) || clock === undefined) return undefined;
  return { kind: 'clock', operation, phase: decodeURIComponent(phase), clock };
}
