import { printable } from '../../base/kernel/printable.ts';
import { addToReport, assertReportWritable } from '../../base/storage/whole-files.ts';
import type { Summary } from '../../metrics/summary/summary-schema.ts';
import { junitXml } from '../../report/junit.ts';
import { stepSummary } from '../../report/markdown.ts';
import { PLAIN } from '../../report/palette.ts';
import { runTitle, verdictWords } from '../../report/verdict-line.ts';
import type { ReportFlags } from '../flags/common.ts';
import type { Io } from '../io.ts';
import { reportWriter } from './report-writer.ts';

export type CiReports = { write(summaries: readonly Summary[]): void };

/** Opens the file of `--junit` and GitHub's job summary (`GITHUB_STEP_SUMMARY`); on GitHub, failures also become annotations. Throws `UserError` if a file is not writable. */
export function openCiReports(flags: ReportFlags, { env, cwd, stderr }: Pick<Io, 'env' | 'cwd' | 'stderr'>): CiReports {
  const writeJunit = reportWriter(flags.junit, cwd);
  const step = env.GITHUB_STEP_SUMMARY || undefined;
  if (step !== undefined) assertReportWritable(step);
  return {
    write: (summaries) => {
      writeJunit?.(junitXml(summaries));
      if (env.GITHUB_ACTIONS === 'true') stderr.write(summaries.map(annotations).join(''));
      if (step !== undefined) addToReport(step, summaries.map(stepSummary).join(''));
    },
  };
}

/** The verdict and its reasons as workflow commands of GitHub, which shows them above the log: an error for each reason, a warning for each warning. */
export function annotations(summary: Summary): string {
  const { verdict, warnings } = summary;
  const isGood = verdict.kind === 'pass' || verdict.kind === 'done';
  const title = `${runTitle(summary)}: ${verdictWords(summary, PLAIN)}`;
  const errors = isGood ? [] : verdict.reasons.map(({ text }) => command('error', title, text));
  return [...errors, ...warnings.map((text) => command('warning', title, text))].join('');
}

function command(kind: 'error' | 'warning', title: string, text: string): string {
  return `::${kind} title=${escaped(title).replaceAll(':', '%3A').replaceAll(',', '%2C')}::${escaped(text)}\n`;
}

/** As GitHub's documentation of workflow commands says. */
function escaped(text: string): string {
  return printable(text).replaceAll('%', '%25');
}
