import { resolve } from 'node:path';
import { UserError } from '../../ground/kernel/errors.ts';
import { EXIT_CODES, exitCodeOf } from '../exit-codes.ts';
import { REPORT_FLAGS, type ReportFlags, TEXT_FLAG } from '../flags/common.ts';
import type { Command } from '../io.ts';

type Flags = ReportFlags & {
  readonly folder: string | undefined;
  readonly json: boolean;
  readonly fleet: string | undefined;
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly out: string | undefined;
};

export const reportCommand: Command<Flags> = (io, end) => ({
  command: 'report [folder]',
  describe: 'Rebuild the summary and report of a run from its logs, or report a time of a kept fleet',
  builder: (yargs) =>
    yargs
      .positional('folder', { type: 'string', describe: 'Result folder of a run' })
      .options(REPORT_FLAGS)
      .option('json', { type: 'boolean', default: false, describe: 'Print the summary as JSON instead of text' })
      .options({
        fleet: { ...TEXT_FLAG, describe: 'Data folder of a kept fleet: write report.html and figures.csv of a time' },
        from: { ...TEXT_FLAG, describe: 'fleet: start of the time, in UTC; default: an hour before its end' },
        to: { ...TEXT_FLAG, describe: 'fleet: end of the time, in UTC; default: now' },
        out: { ...TEXT_FLAG, alias: 'o', describe: 'fleet: folder for the files; default: this one' },
      })
      .example('$0 report results/quickstart/latest', 'rebuild the latest run of a scenario')
      .example('$0 report --fleet fleets/steady --from 2026-01-31T12:00Z', 'report a time of a fleet')
      .epilogue('The exit code is the verdict; 113 if the run was killed.'),
  handler: async ({ folder, json, junit, fleet, from, to, out }) => {
    if (fleet !== undefined && folder === undefined) {
      const { reportFleet } = await import('../actions/report-fleet.ts');
      await reportFleet({ fleet, from, to, out }, io);
      return end(EXIT_CODES.pass);
    }
    if (folder === undefined || (fleet ?? from ?? to ?? out) !== undefined)
      throw new UserError('report: expected the result folder of a run, or --fleet with --from, --to and --out.');
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
    return end(exitCodeOf(summary.verdict.kind));
  },
});
