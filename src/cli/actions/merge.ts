import { resolve } from 'node:path';
import { summaryText } from '../../report/summary-text.ts';
import { mergeShards } from '../../results/merge.ts';
import { type ExitCode, exitCodeOf } from '../exit-codes.ts';
import type { ReportFlags } from '../flags/reports.ts';
import { resultsFolder } from '../flags/run.ts';
import type { Io } from '../io.ts';
import { openMachineReports } from '../output/machine-reports.ts';
import { pageFor } from '../output/palette-choice.ts';
import { shownPath } from '../output/shown-path.ts';

export type MergeFlags = ReportFlags & {
  readonly result: string[];
  readonly out: string | undefined;
  readonly json: boolean;
};

export async function merge(flags: MergeFlags, io: Io): Promise<ExitCode> {
  const reports = openMachineReports(flags, io);
  const folders = flags.result.map((folder) => resolve(io.cwd, folder));
  const { path, summary } = await mergeShards(folders, resultsFolder(flags, { environment: io.env, cwd: io.cwd }));
  io.stdout.write(
    flags.json
      ? `${JSON.stringify(summary)}\n`
      : summaryText(summary, shownPath(path, io.cwd), pageFor(io.stdout, io.env)),
  );
  reports.write([summary]);
  return exitCodeOf(summary.verdict.kind);
}
