import type { CapacityFlags } from '../flags/capacity.ts';
import { MACHINES_FLAGS } from '../flags/cluster-flags.ts';
import { SCENARIO_FLAGS, type ScenarioFlags } from '../flags/common.ts';
import { FIGURE_FLAGS, type FigureFlags } from '../flags/figure-flags.ts';
import type { Command } from '../io.ts';

const text = { type: 'string', requiresArg: true } as const;

export const capacityCommand: Command<ScenarioFlags & CapacityFlags & FigureFlags & { scenario: string }> = (
  io,
  end,
) => ({
  command: 'capacity <scenario>',
  describe: 'Find the highest load that meets the thresholds',
  builder: (yargs) =>
    yargs
      .positional('scenario', { type: 'string', demandOption: true, describe: 'Scenario file, or - for stdin' })
      .options({
        until: {
          ...text,
          describe: "Conditions that each step must meet, joined by and; default: the scenario's thresholds",
        },
        raise: {
          ...text,
          choices: ['agents', 'rate'] as const,
          describe: 'What to raise; default: agents if they push at an interval, otherwise the rate',
        },
        from: { ...text, describe: "First load, such as 500 or 200/s; default: the scenario's load" },
        to: {
          ...text,
          describe: 'Highest load to try; default: the capacity of this machine, times --machines',
        },
        growth: { ...text, default: '1.5', describe: 'Factor between steps while they pass' },
        resolution: { ...text, default: '5%', describe: 'Precision of the result' },
        step: { ...text, default: '15s', describe: 'How long to measure each load' },
        settle: { ...text, default: '5s', describe: 'How long to apply each load before measuring' },
        workers: {
          ...text,
          alias: 'w',
          describe: 'Number of worker threads; default: chosen for this machine [MUSTER_WORKERS]',
        },
        out: { ...text, alias: 'o', describe: 'Folder for the results of all steps; default: results [MUSTER_OUT]' },
        html: { ...text, describe: 'Write the curve as an HTML page to this file' },
        json: { type: 'boolean', alias: 'j', default: false, describe: 'Print only the JSON result to stdout' },
      })
      .options(SCENARIO_FLAGS)
      .options(FIGURE_FLAGS)
      .options(MACHINES_FLAGS)
      .example('$0 capacity steady.yaml', 'how many agents meet its thresholds')
      .example('$0 capacity steady.yaml --until "checkdata p(99) < 500ms and error_rate < 1%"', 'use other conditions')
      .example('$0 capacity storm.yaml --raise rate --from 100/s --to 5000/s', 'how many operations per second')
      .example(
        '$0 capacity steady.yaml --cluster nats://127.0.0.1:4222 --machines 3',
        'run on machines that have joined',
      )
      .example('$0 capacity steady.yaml --html capacity.html --json', 'write the curve as HTML, print it as JSON')
      .epilogue(
        'Each step is a separate run: the phases before the load, then the load. docs/how-to/find-capacity.md explains the result.\n' +
          'Exit codes: 0 found, or all loads passed; 99 the first load failed, or the server did not recover. ' +
          'No result: 111 the generator was the bottleneck, 113 incomplete, 115 target unreachable, 105 interrupted. ' +
          'No run: 104 invalid scenario or flags, 112 target not allowed.',
      ),
  handler: async (flags) => {
    const { capacity } = await import('../actions/capacity.ts');
    end(await capacity(flags, io));
  },
});
