import { createRunWatch, type LiveFigures } from '../../metrics/merging/run-watch.ts';
import type { LiveRun } from '../../report/live/live-run.ts';
import { liveView } from '../../report/live/live-view.ts';
import type { Environment } from '../../scenario/reading/variables.ts';
import type { TextSink } from '../io.ts';
import { paletteFor } from './palette-choice.ts';
import { createPane } from './pane.ts';
import type { ProgressDisplay } from './progress-display.ts';

// Few enough to show what happens now, enough for percentiles to hold still.
const WINDOW_SECONDS = 3;

/** A view at the foot of the terminal that is drawn again with every second and at every size. */
export function createLiveDisplay(
  runOf: (figures: LiveFigures) => LiveRun,
  terminal: TextSink,
  env: Environment,
): ProgressDisplay {
  const watch = createRunWatch(WINDOW_SECONDS);
  const palette = paletteFor(terminal, env);
  const pane = createPane(terminal, (room) => liveView(runOf(watch.read()), { ...palette, ...room }));
  return {
    advance: (seconds) => {
      watch.add(seconds);
      pane.redraw();
    },
    preparing: pane.print,
    note: pane.print,
    end: pane.close,
  };
}
