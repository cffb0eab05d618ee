import { exitCodesText } from '../exit-codes.ts';
import { COMPARE_FLAGS, type CompareFlags } from '../flags/results-flags.ts';
import type { Command } from '../io.ts';

export const compareCommand: Command<CompareFlags> = (io, end) => ({
  command: 'compare <base> <candidate>',
  describe: 'Compare runs of one scenario and report regressions',
  builder: (yargs) =>
    yargs
      .positional('base', {
        type: 'string',
        demandOption: true,
        describe: 'Results before the change: folders, comma-separated',
      })
      .positional('candidate', { type: 'string', demandOption: true, describe: 'Results after the change' })
      .options(COMPARE_FLAGS)
      .example('$0 compare before/steady after/steady', 'compare all runs in two folders, four or more in each')
      .example('$0 compare run1,run2,run3,run4,run5 run6,run7', 'compare several runs by name')
      .epilogue(
        'To tell a change from noise, use 4 runs on each side, or 5 and 2; more runs detect smaller changes.\n' +
          exitCodesText(0, 114, 117, 105, 111, 113, 115),
      ),
  handler: async (flags) => {
    const { compareResults } = await import('../actions/compare.ts');
    end(compareResults(flags, io));
  },
});
