import type { CapacityFlags } from '../flags/capacity.ts';
import { MACHINES_FLAGS } from '../flags/cluster-flags.ts';
import { SCENARIO_FLAGS, type ScenarioFlags } from '../flags/common.ts';
import type { Command } from '../io.ts';

const text = { type: 'string', requiresArg: true } as const;

export const capacityCommand: Command<ScenarioFlags & CapacityFlags & { scenario: string }> = (io, end) => ({
  command: 'capacity <scenario>',
  describe: 'Finds the highest load that holds',
  builder: (yargs) =>
    yargs
      .positional('scenario', { type: 'string', demandOption: true, describe: 'Scenario file, or - for stdin' })
      .options({
        until: { ...text, describe: "What must hold, with and between; default: the scenario's thresholds" },
        raise: {
          ...text,
          choices: ['agents', 'rate'] as const,
          describe: 'What is raised; default: agents that have an interval, else the rate',
        },
        from: { ...text, describe: "The first load, such as 500 or 200/s; default: the scenario's own" },
        to: {
          ...text,
          describe: 'The highest load to try; default: what this machine, or as many like it, has room for',
        },
        growth: { ...text, default: '1.5', describe: 'Factor from load to load while they hold' },
        resolution: { ...text, default: '5%', describe: 'How close the answer has to be' },
        step: { ...text, default: '15s', describe: 'For how long a load is measured' },
        settle: { ...text, default: '5s', describe: 'For how long it is on before' },
        workers: { ...text, alias: 'w', describe: 'Worker threads; default: as fits the machine [MUSTER_WORKERS]' },
        out: { ...text, alias: 'o', describe: 'Folder for the results of the steps; default: results [MUSTER_OUT]' },
        html: { ...text, describe: 'Write the curve as a page to this file' },
        json: { type: 'boolean', alias: 'j', default: false, describe: 'The result as JSON, alone on stdout' },
      })
      .options(SCENARIO_FLAGS)
      .options(MACHINES_FLAGS)
      .example('$0 capacity steady.yaml', 'how many agents hold its thresholds')
      .example('$0 capacity steady.yaml --until "checkdata p(99) < 500ms and error_rate < 1%"', 'or other conditions')
      .example('$0 capacity storm.yaml --raise rate --from 100/s --to 5000/s', 'how many a second')
      .example('$0 capacity steady.yaml --cluster nats://127.0.0.1:4222 --machines 3', 'on machines that have joined')
      .example('$0 capacity steady.yaml --html capacity.html --json', 'the curve for people and for programs')
      .epilogue(
        'Each step is a run of its own: what the scenario does before, then the load. docs/how-to/find-capacity.md says how to read the answer.\n' +
          'Exit codes: 0 found, or all held; 99 the first load did not hold, or the server did not recover; 104 wrong scenario or flags; 105 interrupted; ' +
          '111 the generator was the limit; 112 target not allowed; 113 incomplete; 115 target not reached.',
      ),
  handler: async (flags) => {
    const { capacity } = await import('../actions/capacity.ts');
    end(await capacity(flags, io));
  },
});
