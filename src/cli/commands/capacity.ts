import { exitCodesText } from '../exit-codes.ts';
import { CAPACITY_FLAGS, type CapacityCommandFlags } from '../flags/capacity-flags.ts';
import { SCENARIO_FILE } from '../flags/common.ts';
import type { Command } from '../io.ts';

export const capacityCommand: Command<CapacityCommandFlags> = (io, end) => ({
  command: 'capacity <scenario>',
  describe: 'Find the highest load that meets the thresholds',
  builder: (yargs) =>
    yargs
      .positional('scenario', SCENARIO_FILE)
      .options(CAPACITY_FLAGS)
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
          exitCodesText(0, 99, 111, 113, 115, 105, 104, 112),
      ),
  handler: async (flags) => {
    const { capacity } = await import('../actions/capacity.ts');
    end(await capacity(flags, io));
  },
});
