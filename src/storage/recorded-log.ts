import { UserError } from '../kernel/errors.ts';
import { type LogLine, readLogLine } from '../metrics/results/histogram-log.ts';
import { wholeLines } from './lines.ts';

export type Interval = Extract<LogLine, { kind: 'interval' }>;

/** A histogram log while it is read, interval by interval. */
export type RecordedLog = {
  /** The next interval; undefined at the end of the log. Throws a UserError for a line that no run writes. */
  next(): Promise<(Interval & { readonly line: number }) | undefined>;
  /** What is known of the run's end, as JSON, as far as it was read. */
  end(): string | undefined;
};

export function openRecordedLog(path: string): RecordedLog {
  const lines = wholeLines(path);
  let end: string | undefined;
  return {
    end: () => end,
    async next() {
      for (;;) {
        const { value: line } = await lines.next();
        if (line === undefined) return undefined;
        const read = readLogLine(line.text);
        if (read === undefined) {
          throw new UserError(`${path}:${line.number}: expected an interval with its histogram, found something else.`);
        }
        if (read.kind === 'interval') return { ...read, line: line.number };
        if (read.kind === 'end') end = read.json;
      }
    },
  };
}
