import type { CompareRequest } from '../actions/compare.ts';
import type { Command } from '../io.ts';

export const compareCommand: Command<CompareRequest> = (io, end) => ({
  command: 'compare <base> <candidate>',
  describe: 'Says whether a server became better or worse between runs of one scenario',
  builder: (yargs) =>
    yargs
      .positional('base', { type: 'string', demandOption: true, describe: 'Results before the change' })
      .positional('candidate', { type: 'string', demandOption: true, describe: 'Results after it' })
      .option('tolerance', {
        type: 'string',
        requiresArg: true,
        default: '5%',
        describe: 'By how much a rate or a time may be worse',
      })
      .option('markdown', {
        type: 'string',
        requiresArg: true,
        describe: 'Write the comparison as Markdown to this file',
      })
      .option('html', { type: 'string', requiresArg: true, describe: 'Write it as a page to this file' })
      .option('junit', {
        type: 'string',
        requiresArg: true,
        describe: 'Write it as JUnit XML to this file, a case for each figure',
      })
      .option('json', { type: 'boolean', default: false, describe: 'Print the comparison as JSON on stdout instead' })
      .example('$0 compare before/steady after/steady', 'all runs in two folders, four or more in each')
      .example('$0 compare run1,run2,run3,run4,run5 run6,run7', 'several runs by name')
      .epilogue(
        'Chance can be told from a change with 4 runs on each side, or 5 and 2; more runs find smaller changes.\n' +
          'Exit codes: 0 no regression, 114 a regression, 117 too few runs to tell; 105, 111, 113 or 115 if a run cannot be trusted for its own verdict.',
      ),
  handler: async (flags) => {
    const { compareResults } = await import('../actions/compare.ts');
    end(compareResults(flags, io));
  },
});
