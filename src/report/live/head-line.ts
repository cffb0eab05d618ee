import stringWidth from 'string-width';
import { elapsedMsOf, type LiveRun, wholeSeconds } from './live-run.ts';
import { cut, marginOf, type Screen } from './screen.ts';

const GAP = '  ';
const LEAST_BAR_COLUMNS = 8;
const MOST_NAME_COLUMNS = 24;

/** What is run, which phase it is in, how far it is, and how long it still takes. */
export function headLine(run: LiveRun, screen: Screen): string {
  const name = screen.strong(cut(run.name, MOST_NAME_COLUMNS));
  const phase = phaseText(run);
  const time = timeText(run, ` of ${wholeSeconds(run.totalMs)}`);
  const ways: readonly [string[], string][] = [
    [[name, phase], time],
    [[phase], time],
    [[phase], timeText(run, '')],
  ];
  for (const [before, after] of ways) {
    const start = `${marginOf(screen)}${before.join(GAP)}${GAP}`;
    const columns = screen.columns - stringWidth(start) - stringWidth(GAP) - after.length;
    if (columns >= LEAST_BAR_COLUMNS) return `${start}${bar(shareOf(run), columns, screen)}${GAP}${after}`.trimEnd();
  }
  return `${marginOf(screen)}${phase}${GAP}${timeText(run, '').trim()}`;
}

/** `steady 3/3`; the number of an only phase says nothing. */
function phaseText({ phase, figures }: LiveRun): string {
  if (phase === undefined) return figures.elapsedSeconds === 0 ? 'starting' : 'finishing';
  const name = cut(phase.name, MOST_NAME_COLUMNS);
  return phase.of === 1 ? name : `${name} ${phase.number}/${phase.of}`;
}

/** As wide in every second, so that the bar before it stays as it is. */
function timeText(run: LiveRun, ofTotal: string): string {
  const leftMs = run.totalMs - elapsedMsOf(run);
  const widest = Math.max(wholeSeconds(run.totalMs).length, wholeSeconds(Math.max(0, run.totalMs - 1000)).length);
  const left = leftMs > 0 ? `${wholeSeconds(leftMs)}${ofTotal} left` : 'last answers';
  return `${Math.floor(shareOf(run) * 100)}%`.padStart(4) + GAP + left.padEnd(widest + `${ofTotal} left`.length);
}

function bar(share: number, columns: number, { faint }: Screen): string {
  const done = Math.floor(share * columns);
  return `${'█'.repeat(done)}${faint('░'.repeat(columns - done))}`;
}

function shareOf(run: LiveRun): number {
  return run.totalMs === 0 ? 1 : elapsedMsOf(run) / run.totalMs;
}
