import { resolve } from 'node:path';
import { summaryText } from '../../report/summary-text.ts';
import { type Rebuilt, rebuild } from '../../results/rebuild.ts';
import { writeRebuilt } from '../../results/write-rebuilt.ts';
import { exitCodeOf } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { openMachineReports, REPORT_FLAGS, type ReportFlags } from '../output/machine-reports.ts';
import { paletteFor } from '../output/palette-choice.ts';
import type { Command } from './command.ts';

export const reportCommand: Command<ReportFlags & { folder: string; json: boolean }> = (io, end) => ({
  command: 'report <folder>',
  describe: 'Rebuilds the summary of a run, also of a killed one, from what it left on disk',
  builder: (yargs) =>
    yargs
      .positional('folder', { type: 'string', demandOption: true, describe: "A run's folder of results" })
      .options(REPORT_FLAGS)
      .option('json', { type: 'boolean', default: false, describe: 'Print the summary as JSON on stdout instead' })
      .example('$0 report results/quickstart/latest', 'the newest run of a scenario')
      .epilogue('Ends with the exit code of the verdict; 113 if the run was killed.'),
  handler: async ({ folder, json, junit }) => {
    const reports = openMachineReports({ junit }, io);
    const path = resolve(io.cwd, folder);
    const rebuilt = await rebuild(path);
    if (rebuilt.kind === 'rebuilt') writeRebuilt(path, rebuilt);
    show(rebuilt, { folder, json }, io);
    reports.write([rebuilt.summary]);
    end(exitCodeOf(rebuilt.summary.verdict.kind));
  },
});

function show({ kind, summary }: Rebuilt, { folder, json }: { folder: string; json: boolean }, io: Io): void {
  if (kind === 'as_written') {
    io.stderr.write(`The logs of ${folder} do not say how the run ended: its summary.json is shown as it is.\n`);
  }
  io.stdout.write(json ? `${JSON.stringify(summary)}\n` : summaryText(summary, folder, paletteFor(io)));
}
