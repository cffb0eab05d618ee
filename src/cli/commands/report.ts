import type { ReportRequest } from '../actions/report.ts';
import { REPORT_FLAGS } from '../flags/reports.ts';
import type { Command } from './command.ts';

export const reportCommand: Command<ReportRequest> = (io, end) => ({
  command: 'report <folder>',
  describe: 'Rebuilds summary and report of a run, also of a killed one, from what it left on disk',
  builder: (yargs) =>
    yargs
      .positional('folder', { type: 'string', demandOption: true, describe: "A run's folder of results" })
      .options(REPORT_FLAGS)
      .option('json', { type: 'boolean', default: false, describe: 'Print the summary as JSON on stdout instead' })
      .example('$0 report results/quickstart/latest', 'the newest run of a scenario')
      .epilogue('Ends with the exit code of the verdict; 113 if the run was killed.'),
  handler: async (flags) => {
    const { report } = await import('../actions/report.ts');
    end(await report(flags, io));
  },
});
