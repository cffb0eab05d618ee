import { MEASURED_OPERATIONS } from '../../ground/protocol/operations.ts';
import type { HistoryRequest } from '../actions/history.ts';
import type { Command } from '../io.ts';

export const historyCommand: Command<HistoryRequest> = (io, end) => ({
  command: 'history [folder]',
  describe: 'List the runs in a folder of results and chart their trend',
  builder: (yargs) =>
    yargs
      .positional('folder', {
        type: 'string',
        default: 'results',
        describe: 'The folder of all results, or of one scenario',
      })
      .option('scenario', { type: 'string', requiresArg: true, describe: 'Only runs of this scenario' })
      .option('operation', {
        choices: MEASURED_OPERATIONS,
        requiresArg: true,
        describe: 'Operation whose figures to list; default: checkdata',
      })
      .option('last', {
        type: 'string',
        requiresArg: true,
        describe: 'Only this many newest runs of each scenario',
      })
      .option('html', {
        type: 'string',
        requiresArg: true,
        describe: 'Write a page with charts of all figures to this file',
      })
      .option('json', { type: 'boolean', default: false, describe: 'Print all figures as JSON instead of text' })
      .example('$0 history', 'list all runs in results/')
      .example('$0 history results/nightly --last 20 --html trend.html', 'draw twenty nightly runs on one page')
      .epilogue(
        'The figures cover the counted phases. If Muster, the machine, or the scenario changed since the previous run, the line below\n' +
          'the run says so. To tell a change of the server from chance, use muster compare.\n' +
          'Exit codes: 0 whatever the verdicts, 104 if there are no runs.',
      ),
  handler: async (flags) => {
    const { showHistory } = await import('../actions/history.ts');
    end(showHistory(flags, io));
  },
});
