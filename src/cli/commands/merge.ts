import { resolve } from 'node:path';
import { exitCodeOf } from '../exit-codes.ts';
import { MERGE_FLAGS, type MergeFlags } from '../flags/run-flags.ts';
import type { Command } from '../io.ts';

export const mergeCommand: Command<MergeFlags> = (io, end) => ({
  command: 'merge <result...>',
  describe: 'Merge the results of several shards (run --shard) into one',
  builder: (yargs) =>
    yargs
      .positional('result', {
        type: 'string',
        array: true,
        demandOption: true,
        describe: 'Result folders, one per shard',
      })
      .options(MERGE_FLAGS)
      .example('$0 merge results/steady/*-shard?of3', 'merge the results of three machines')
      .epilogue('Thresholds apply to all shards together. The exit code is the verdict; 113 if a shard was killed.'),
  handler: async (flags) => {
    const { summaryText } = await import('../../report/summary-text.ts');
    const { mergeShards } = await import('../../results/merge.ts');
    const { resultsFolder } = await import('../flags/run.ts');
    const { openCiReports } = await import('../output/ci-reports.ts');
    const { pageFor, shownPath } = await import('../output/page.ts');
    const reports = openCiReports(flags, io);
    const folders = flags.result.map((folder) => resolve(io.cwd, folder));
    const { path, summary } = await mergeShards(folders, resultsFolder(flags, { environment: io.env, cwd: io.cwd }));
    io.stdout.write(
      flags.json
        ? `${JSON.stringify(summary)}\n`
        : summaryText(summary, shownPath(path, io.cwd), pageFor(io.stdout, io.env)),
    );
    reports.write([summary]);
    end(exitCodeOf(summary.verdict.kind));
  },
});
