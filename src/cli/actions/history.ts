import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { UserError } from '../../base/kernel/errors.ts';
import { printable } from '../../base/kernel/printable.ts';
import type { MeasuredOperation } from '../../base/protocol/operations.ts';
import { assertReportWritable, writeReport } from '../../base/storage/whole-files.ts';
import { type Trend, type TrendRun, trendsOf } from '../../metrics/comparing/trend.ts';
import { trendPage } from '../../report/html/comparison-page.ts';
import { trendText } from '../../report/trend.ts';
import { findRuns } from '../../results/find-runs.ts';
import { RESULT_FILES } from '../../results/folder.ts';
import type { HistoryFlags } from '../commands/results.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { numberFrom, readFlag } from '../flags/values.ts';
import type { Io } from '../io.ts';
import { displayPath, pageFor } from '../output/page.ts';

export function showHistory({ folder, json, ...flags }: HistoryFlags, io: Io): ExitCode {
  const last = readFlag('last', flags, numberFrom(1));
  const page = flags.html && resolve(io.cwd, flags.html);
  if (page !== undefined) assertReportWritable(page);
  const { found, unreadable } = findRuns(resolve(io.cwd, folder));
  const trends = chosen(trendsOf(found), flags.scenario).map((trend) => {
    return last === undefined ? trend : { ...trend, runs: trend.runs.slice(-last) };
  });
  for (const { folder: run, reason } of unreadable)
    io.stderr.write(`${printable(`skipped ${displayPath(run, io.cwd)}: ${reason}`)}\n`);
  const text = (trend: Trend): string =>
    trendText(trend, flags.operation ?? firstListed(trend), pageFor(io.stdout, io.env));
  io.stdout.write(`${json ? JSON.stringify(trends) : trends.map(text).join('\n')}\n`);
  if (page !== undefined) writeReport(page, trendPage(trends, linkFrom(dirname(page))));
  return EXIT_CODES.pass;
}

/** Default operations in order of preference: pushes first, or answers if agents only listen. */
const FIRST_LISTED: readonly MeasuredOperation[] = ['checkdata', 'poll', 'serve-checkdata'];

function firstListed({ operations }: Trend): MeasuredOperation {
  return FIRST_LISTED.find((operation) => operations.includes(operation)) ?? operations[0] ?? 'checkdata';
}

function chosen(trends: readonly Trend[], scenario: string | undefined): readonly Trend[] {
  if (scenario === undefined) return trends;
  const found = trends.filter(({ scenarioName }) => scenarioName === scenario);
  if (found.length > 0) return found;
  const names = trends.map(({ scenarioName }) => scenarioName).join(', ');
  throw new UserError(
    `--scenario: expected a scenario with results in this folder (${names}), found ${JSON.stringify(scenario)}.`,
  );
}

/** Relative links, so that the folder and the page can be moved together. */
function linkFrom(folder: string): (run: TrendRun) => string | undefined {
  return (run) => {
    const report = join(run.folder, RESULT_FILES.report);
    if (!existsSync(report)) return undefined;
    return relative(realpathSync(folder), report).split(sep).map(encodeURIComponent).join('/');
  };
}
