import { resolve } from 'node:path';
import { exitCodeOf } from '../exit-codes.ts';
import { REPORT_FLAGS, type ReportFlags } from '../flags/common.ts';
import type { Command } from '../io.ts';

export const reportCommand: Command<ReportFlags & { readonly folder: string; readonly json: boolean }> = (io, end) => ({
  command: 'report <folder>',
  describe: 'Rebuild the summary and report of a run from its logs, even if it was killed',
  builder: (yargs) =>
    yargs
      .positional('folder', { type: 'string', demandOption: true, describe: 'Result folder of a run' })
      .options(REPORT_FLAGS)
      .option('json', { type: 'boolean', default: false, describe: 'Print the summary as JSON instead of text' })
      .example('$0 report results/quickstart/latest', 'rebuild the latest run of a scenario')
      .epilogue('The exit code is the verdict; 113 if the run was killed.'),
  handler: async ({ folder, json, junit }) => {
    const { summaryText } = await import('../../report/summary-text.ts');
    const { rebuild } = await import('../../results/rebuild.ts');
    const { writeConclusion } = await import('../../results/conclusion.ts');
    const { openCiReports } = await import('../output/ci-reports.ts');
    const { pageFor } = await import('../output/page.ts');
    const reports = openCiReports({ junit }, io);
    const path = resolve(io.cwd, folder);
    const rebuilt = await rebuild(path);
    const { kind, summary } = rebuilt;
    if (kind === 'rebuilt') await writeConclusion(path, rebuilt);
    else
      io.stderr.write(`The logs of ${folder} do not contain the end of the run; showing its summary.json unchanged.\n`);
    const rebuiltFolder = kind === 'rebuilt' ? folder : undefined;
    io.stdout.write(
      json ? `${JSON.stringify(summary)}\n` : summaryText(summary, rebuiltFolder, pageFor(io.stdout, io.env)),
    );
    reports.write([summary]);
    end(exitCodeOf(summary.verdict.kind));
  },
});
