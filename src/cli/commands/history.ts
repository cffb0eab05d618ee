import { HISTORY_FLAGS, type HistoryFlags } from '../flags/results-flags.ts';
import type { Command } from '../io.ts';

export const historyCommand: Command<HistoryFlags> = (io, end) => ({
  command: 'history [folder]',
  describe: 'List the runs in a folder of results and chart their trend',
  builder: (yargs) =>
    yargs
      .positional('folder', {
        type: 'string',
        default: 'results',
        describe: 'The folder of all results, or of one scenario',
      })
      .options(HISTORY_FLAGS)
      .example('$0 history', 'list all runs in results/')
      .example('$0 history results/nightly --last 20 --html trend.html', 'draw twenty nightly runs on one page')
      .epilogue(
        'The figures cover the counted phases. If Muster, the machine, or the scenario changed since the previous run, the line below\n' +
          'the run says so. To tell a change of the server from chance, use muster compare.\n' +
          'Exits with 0 whatever the verdicts, and with 104 if there are no runs.',
      ),
  handler: async (flags) => {
    const { showHistory } = await import('../actions/history.ts');
    end(showHistory(flags, io));
  },
});
