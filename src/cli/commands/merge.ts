import type { MergeFlags } from '../actions/merge.ts';
import { REPORT_FLAGS } from '../flags/reports.ts';
import type { Command } from './command.ts';

export const mergeCommand: Command<MergeFlags> = (io, end) => ({
  command: 'merge <result...>',
  describe: 'Merges the results of run --shard into the result of one run',
  builder: (yargs) =>
    yargs
      .positional('result', {
        type: 'string',
        array: true,
        demandOption: true,
        describe: 'Folders of results, one for each shard',
      })
      .option('out', {
        alias: 'o',
        type: 'string',
        requiresArg: true,
        describe: 'Folder for results; default: results [MUSTER_OUT]',
      })
      .options(REPORT_FLAGS)
      .option('json', { alias: 'j', type: 'boolean', default: false, describe: 'The summary as JSON, alone on stdout' })
      .example('$0 merge results/steady/*-shard?of3', 'three machines, one result')
      .epilogue(
        'Thresholds are judged over all shards. Ends with the exit code of the verdict; 113 if a shard was killed.',
      ),
  handler: async (flags) => {
    const { merge } = await import('../actions/merge.ts');
    end(await merge(flags, io));
  },
});
