import { formatDuration } from '../../kernel/units.ts';
import type { LiveFigures, RecentActivity } from '../../metrics/merging/run-watch.ts';
import { droppedCount, failedCount, failuresOf, finishedCount, plainTally } from '../../metrics/merging/totals.ts';
import { countText, shareText, tallyText } from '../figures.ts';
import { firstFitting, labelledParts, type Screen } from './screen.ts';

type Counts = { readonly tally: Readonly<Record<string, number>>; readonly span: string };

/** What went wrong in the last seconds, and why. */
export function errorsLine({ totals, seconds }: RecentActivity, { failures }: LiveFigures, screen: Screen): string {
  const tally = failuresOf(totals.outcomes);
  const failed = failedCount(totals);
  const hadAny = Object.keys(failures).length > 0;
  if (failed === 0) return labelledParts('errors', [hadAny ? `none in ${seconds} s` : 'none'], screen);
  const span = ` in ${seconds} s (${shareText(failed / finishedCount(totals))})`;
  return labelledParts('errors', [screen.bad(reasonsText({ tally, span }, screen))], screen);
}

/** What went wrong since the start; undefined if nothing did. */
export function allErrorsLine({ failures, finished }: LiveFigures, screen: Screen): string | undefined {
  const failed = sumOf(failures);
  if (failed === 0) return undefined;
  const span = ` (${shareText(failed / finished)})`;
  return labelledParts('so far', [reasonsText({ tally: failures, span }, screen)], screen);
}

/** The last error that was new, and when it came up; undefined if there was none. */
export function newestErrorLine({ newestFailure }: LiveFigures, screen: Screen): string | undefined {
  if (newestFailure === undefined) return undefined;
  const { operation, outcome, second } = newestFailure;
  return labelledParts('newest', [`first at ${formatDuration(second * 1000)}: ${outcome} of ${operation}`], screen);
}

/** What was never started in the last seconds, and why; undefined if nothing was dropped. */
export function droppedLine({ totals, seconds }: RecentActivity, screen: Screen): string | undefined {
  if (droppedCount(totals) === 0) return undefined;
  const counts = { tally: plainTally(totals.dropped), span: ` in ${seconds} s` };
  return labelledParts('dropped', [screen.caution(reasonsText(counts, screen))], screen);
}

/** `12 in 3 s (2.0%): timeout 12`; where that is too long, the reasons count for more than the rest. */
function reasonsText({ tally, span }: Counts, screen: Screen): string {
  const count = countText(sumOf(tally));
  return firstFitting([`${count}${span}: ${tallyText(tally)}`, `${count}: ${tallyText(tally)}`], screen);
}

function sumOf(tally: Counts['tally']): number {
  return Object.values(tally).reduce((sum, count) => sum + count, 0);
}
