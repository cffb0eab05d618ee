import { resolve } from 'node:path';
import { addToReport, assertReportWritable, writeReport } from '../../ground/storage/whole-files.ts';
import type { Summary } from '../../metrics/summary/summary-schema.ts';
import { annotations } from '../../report/annotations.ts';
import { junitXml } from '../../report/junit.ts';
import { stepSummary } from '../../report/markdown.ts';
import type { ReportFlags } from '../flags/common.ts';
import type { Io } from '../io.ts';

/** Reports for CI. */
export type CiReports = { write(summaries: readonly Summary[]): void };

/** Opens the file of `--junit` and GitHub's job summary (`GITHUB_STEP_SUMMARY`); on GitHub, failures also become annotations. Throws `UserError` if a file is not writable. */
export function openCiReports(flags: ReportFlags, { env, cwd, stderr }: Pick<Io, 'env' | 'cwd' | 'stderr'>): CiReports {
  const junit = flags.junit === undefined ? undefined : resolve(cwd, flags.junit);
  const step = env.GITHUB_STEP_SUMMARY || undefined;
  for (const file of [junit, step]) if (file !== undefined) assertReportWritable(file);
  return {
    write: (summaries) => {
      if (junit !== undefined) writeReport(junit, junitXml(summaries));
      if (env.GITHUB_ACTIONS === 'true') stderr.write(summaries.map(annotations).join(''));
      if (step !== undefined) addToReport(step, summaries.map(stepSummary).join(''));
    },
  };
}
