import { createRunWatch, type LiveFigures } from '../../metrics/merging/run-watch.ts';
import type { LiveRun } from '../../report/live/live-run.ts';
import { progressLine } from '../../report/progress-line.ts';
import type { TextSink } from '../io.ts';
import type { ProgressDisplay } from './progress-display.ts';

// A log wants to see that a run is alive, not its every second; each line tells what happened since the one before.
const EVERY_SECONDS = 10;
const WIDEST_LINE = 160;

export function createProgressLog(runOf: (figures: LiveFigures) => LiveRun, sink: TextSink): ProgressDisplay {
  const watch = createRunWatch(EVERY_SECONDS);
  const write = () => {
    const run = runOf(watch.read());
    sink.write(`${run.name}: ${progressLine(run, WIDEST_LINE)}\n`);
  };
  const note = (text: string) => sink.write(`${text}\n`);
  write();
  return {
    advance: (seconds) => {
      for (const frame of seconds) {
        watch.add([frame]);
        if ((frame.second + 1) % EVERY_SECONDS === 0) write();
      }
    },
    preparing: note,
    note,
    end: () => {},
  };
}
