import { SCENARIO_FLAGS, type ScenarioFlags } from '../flags/scenario.ts';
import type { Command } from './command.ts';

export const validateCommand: Command<ScenarioFlags & { scenario: string[] }> = (io, end) => ({
  command: 'validate <scenario...>',
  describe: 'Checks scenario files and names every fault, without traffic',
  builder: (yargs) =>
    yargs
      .positional('scenario', {
        type: 'string',
        array: true,
        demandOption: true,
        describe: 'Scenario files, or - for stdin',
      })
      .options(SCENARIO_FLAGS)
      .example('$0 validate scenarios/*.yaml', 'checks all of them')
      .example('$0 validate storm.yaml --set fleet.agents=20000', 'would it still be valid with more agents'),
  handler: async (flags) => {
    const { validate } = await import('../actions/validate.ts');
    end(await validate(flags, io));
  },
});
