import { resolve } from 'node:path';
import { UserError } from '../../ground/kernel/errors.ts';
import type { Summary } from '../../metrics/summary/summary-schema.ts';
import { summaryText } from '../../report/summary-text.ts';
import { writeConclusion } from '../../results/conclusion.ts';
import { mergeShards } from '../../results/merge.ts';
import { rebuild } from '../../results/rebuild.ts';
import type { MergeFlags } from '../commands/machines.ts';
import type { RunReportFlags } from '../commands/results.ts';
import { type ExitCode, exitCodeOf } from '../exit-codes.ts';
import { resultsFolder } from '../flags/run.ts';
import type { Io } from '../io.ts';
import { openCiReports } from '../output/ci-reports.ts';
import { pageFor, shownPath } from '../output/page.ts';

/** Rebuilds the summary of a run, or reports a time of a kept fleet. */
export async function reportRun(flags: RunReportFlags, io: Io): Promise<ExitCode | undefined> {
  const { folder, fleet, from, to, out } = flags;
  if (fleet !== undefined && folder === undefined) {
    const { reportFleet } = await import('./report-fleet.ts');
    await reportFleet({ fleet, from, to, out }, io);
    return undefined;
  }
  if (folder === undefined || (fleet ?? from ?? to ?? out) !== undefined)
    throw new UserError('report: expected the result folder of a run, or --fleet with --from, --to and --out.');
  const reports = openCiReports(flags, io);
  const path = resolve(io.cwd, folder);
  const rebuilt = await rebuild(path);
  if (rebuilt.kind === 'rebuilt') await writeConclusion(path, rebuilt);
  else
    io.stderr.write(`The logs of ${folder} do not contain the end of the run; showing its summary.json unchanged.\n`);
  print(rebuilt.summary, { json: flags.json, folder: rebuilt.kind === 'rebuilt' ? folder : undefined }, io);
  reports.write([rebuilt.summary]);
  return exitCodeOf(rebuilt.summary.verdict.kind);
}

/** Merges the results of shards. */
export async function mergeResults(flags: MergeFlags, io: Io): Promise<ExitCode> {
  const reports = openCiReports(flags, io);
  const folders = flags.result.map((folder) => resolve(io.cwd, folder));
  const { path, summary } = await mergeShards(folders, resultsFolder(flags, { environment: io.env, cwd: io.cwd }));
  print(summary, { json: flags.json, folder: shownPath(path, io.cwd) }, io);
  reports.write([summary]);
  return exitCodeOf(summary.verdict.kind);
}

type Printing = { readonly json: boolean; readonly folder: string | undefined };

function print(summary: Summary, { json, folder }: Printing, { stdout, env }: Io): void {
  stdout.write(json ? `${JSON.stringify(summary)}\n` : summaryText(summary, folder, pageFor(stdout, env)));
}
