import { MEASURED_OPERATIONS } from '../../base/protocol/operations.ts';
import { command, type ValuesOf } from '../command.ts';
import { exitCodesText } from '../exit-codes.ts';
import { argument, REPORT_FLAGS, switchFlag, textFlag } from '../flags/common.ts';

export const reportCommand = command({
  usage: 'report [folder]',
  describe: 'Rebuild the summary and report of a run from its logs, or report a time of a kept fleet',
  positionals: { folder: { type: 'string', describe: 'Result folder of a run' } },
  flags: {
    ...REPORT_FLAGS,
    json: switchFlag('Print the summary as JSON instead of text'),
    template: textFlag('Print the summary with this Mustache template instead; escapes in .html and .xml'),
    fleet: textFlag('Data folder of a kept fleet: write report.html and figures.csv of a time'),
    from: textFlag('fleet: start of the time, in UTC; default: an hour before its end'),
    to: textFlag('fleet: end of the time, in UTC; default: now'),
    out: textFlag('fleet: folder for the files; default: this one', { alias: 'o' }),
  },
  examples: [
    ['$0 report results/quickstart/latest', 'rebuild the latest run of a scenario'],
    ['$0 report results/quickstart/latest --template summary.md', 'print a summary of your own'],
    ['$0 report --fleet fleets/steady --from 2026-01-31T12:00Z', 'report a time of a fleet'],
  ],
  epilogue: 'The exit code is the verdict; 113 if the run was killed.',
});

export type RunReportFlags = ValuesOf<typeof reportCommand>;

export const compareCommand = command({
  usage: 'compare <base> [candidate]',
  describe: 'Compare runs of one scenario and report regressions',
  positionals: {
    base: argument('Results before the change: folders, comma-separated'),
    candidate: { type: 'string', describe: 'Results after the change; --plan needs none' },
  },
  flags: {
    tolerance: textFlag('Largest change for the worse that still passes', { default: '5%' }),
    'error-tolerance': textFlag('Largest increase of the error rate in percentage points', { default: '0.5%' }),
    'accept-noise': switchFlag('Pass if noise may hide a change beyond the tolerance'),
    plan: switchFlag('Print how many pairs of runs a comparison needs'),
    markdown: textFlag('Write the comparison as Markdown to this file'),
    html: textFlag('Write the comparison as an HTML page to this file'),
    junit: textFlag('Write the comparison as JUnit XML to this file, one test case per figure'),
    json: switchFlag('Print the comparison as JSON instead of text'),
  },
  examples: [
    ['$0 compare before/steady after/steady', 'compare all runs in two folders, four or more in each'],
    ['$0 compare before/steady --plan', 'learn from runs of the base how many pairs a comparison needs'],
    ['$0 compare run1,run3,run5,run7 run2,run4,run6,run8', 'compare several runs by name'],
  ],
  epilogue:
    'Run both sides in turns, at least 4 times each; more runs detect smaller changes.\n' +
    exitCodesText(0, 114, 117, 105, 111, 113, 115),
});

export type CompareFlags = ValuesOf<typeof compareCommand>;

export const historyCommand = command({
  usage: 'history [folder]',
  describe: 'List the runs in a folder of results and chart their trend',
  positionals: {
    folder: { type: 'string', default: 'results', describe: 'The folder of all results, or of one scenario' },
  },
  flags: {
    scenario: textFlag('Only runs of this scenario'),
    operation: {
      choices: MEASURED_OPERATIONS,
      requiresArg: true,
      describe: 'Operation whose figures to list; default: checkdata',
    },
    last: textFlag('Only this many newest runs of each scenario'),
    html: textFlag('Write a page with charts of all figures to this file'),
    json: switchFlag('Print all figures as JSON instead of text'),
  },
  examples: [
    ['$0 history', 'list all runs in results/'],
    ['$0 history results/nightly --last 20 --html trend.html', 'draw twenty nightly runs on one page'],
  ],
  epilogue:
    'The figures cover the counted phases. If Muster, the machine, or the scenario changed since the previous run, the line below\n' +
    'the run says so. To tell a change of the server from chance, use muster compare.\n' +
    'Exits with 0 whatever the verdicts, and with 104 if there are no runs.',
});

export type HistoryFlags = ValuesOf<typeof historyCommand>;
