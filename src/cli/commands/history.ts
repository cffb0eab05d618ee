import { MEASURED_OPERATIONS } from '../../protocol/operations.ts';
import type { HistoryRequest } from '../actions/history.ts';
import type { Command } from '../io.ts';

export const historyCommand: Command<HistoryRequest> = (io, end) => ({
  command: 'history [folder]',
  describe: 'Lists the runs in a folder of results, and draws how their figures develop',
  builder: (yargs) =>
    yargs
      .positional('folder', {
        type: 'string',
        default: 'results',
        describe: 'All results, or those of one scenario',
      })
      .option('scenario', { type: 'string', requiresArg: true, describe: 'Only the runs of this scenario' })
      .option('operation', {
        choices: MEASURED_OPERATIONS,
        requiresArg: true,
        describe: 'The operation whose figures are listed; left out: check data',
      })
      .option('last', {
        type: 'string',
        requiresArg: true,
        describe: 'Only this many of the newest runs of a scenario',
      })
      .option('html', {
        type: 'string',
        requiresArg: true,
        describe: 'Write all figures as a page with charts to this file',
      })
      .option('json', { type: 'boolean', default: false, describe: 'Print all figures as JSON on stdout instead' })
      .example('$0 history', 'all runs in results/')
      .example('$0 history results/nightly --last 20 --html trend.html', 'twenty nightly runs as one page')
      .epilogue(
        'The figures cover the counted phases. Below a run stands what changed since the run before it: Muster, the machine, or keys\n' +
          'of the scenario. muster compare tells a change of the server from chance.\n' +
          'Exit codes: 0 whatever the runs came to, 104 if there are none.',
      ),
  handler: async (flags) => {
    const { showHistory } = await import('../actions/history.ts');
    end(showHistory(flags, io));
  },
});
