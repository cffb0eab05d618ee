import { resolve } from 'node:path';
import { NotWrittenError, UserError } from '../../base/kernel/errors.ts';
import { printable } from '../../base/kernel/printable.ts';
import { readTextFile } from '../../base/storage/text-files.ts';
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
import { displayPath, pageFor } from '../output/page.ts';

/** Rebuilds the summary of a run, or reports a time of a kept fleet. */
export async function reportRun(flags: RunReportFlags, io: Io): Promise<ExitCode | undefined> {
  const { folder, fleet, from, to, out, json, junit } = flags;
  if (fleet !== undefined && folder === undefined && !json && (junit ?? flags.template) === undefined) {
    await (await import('./report-fleet.ts')).reportFleet({ ...flags, fleet }, io);
    return undefined;
  }
  if (folder === undefined || (fleet ?? from ?? to ?? out) !== undefined)
    throw new UserError('report: expected the result folder of a run, or --fleet with --from, --to and --out.');
  const template = await templateOf(flags, io);
  const reports = openCiReports(flags, io);
  const path = resolve(io.cwd, folder);
  const rebuilt = await rebuild(path);
  const { summary, kind } = rebuilt;
  const problem = kind === 'rebuilt' ? await problemOf(writeConclusion(path, rebuilt)) : undefined;
  if (kind !== 'rebuilt')
    io.stderr.write(`The logs of ${folder} do not contain the end of the run; showing its summary.json unchanged.\n`);
  const written = kind === 'rebuilt' && problem === undefined ? folder : undefined;
  if (template === undefined) print(summary, { json, folder: written }, io);
  else template(summary);
  reports.write([summary]);
  if (problem !== undefined) throw new NotWrittenError(problem);
  return exitCodeOf(summary.verdict.kind);
}

/** Prints a summary with the template of the flags; `undefined` without one. */
async function templateOf({ template: file, json }: RunReportFlags, io: Io) {
  if (file === undefined) return undefined;
  if (json) throw new UserError('report: expected --json or --template, found both.');
  const template = await readTextFile('template', resolve(io.cwd, file));
  const { filledTemplate } = await import('../../report/template.ts');
  return (summary: Summary): void => {
    const { text, unknown } = filledTemplate(template, summary, /\.(x?html?|xml)$/i.test(file));
    io.stdout.write(text);
    for (const name of unknown)
      io.stderr.write(`! the template names ${printable(name)}, which the summary does not have\n`);
  };
}

/** Why files could not be written; `undefined` if they were. */
async function problemOf(writing: Promise<void>): Promise<string | undefined> {
  try {
    await writing;
    return undefined;
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}

export async function mergeResults(flags: MergeFlags, io: Io): Promise<ExitCode> {
  const reports = openCiReports(flags, io);
  const folders = flags.result.map((folder) => resolve(io.cwd, folder));
  const { path, summary } = await mergeShards(folders, resultsFolder(flags, { environment: io.env, cwd: io.cwd }));
  print(summary, { json: flags.json, folder: displayPath(path, io.cwd) }, io);
  reports.write([summary]);
  return exitCodeOf(summary.verdict.kind);
}

type Printing = { readonly json: boolean; readonly folder: string | undefined };

function print(summary: Summary, { json, folder }: Printing, { stdout, env }: Io): void {
  stdout.write(json ? `${JSON.stringify(summary)}\n` : summaryText(summary, folder, pageFor(stdout, env)));
}
