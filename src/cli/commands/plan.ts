import type { PlanFlags } from '../actions/plan.ts';
import { SCENARIO_FLAGS } from '../flags/scenario.ts';
import type { Command } from './command.ts';

export const planCommand: Command<PlanFlags> = (io) => ({
  command: 'plan <scenario>',
  describe: 'Shows what a scenario will do and needs, without traffic',
  builder: (yargs) =>
    yargs
      .positional('scenario', { type: 'string', demandOption: true, describe: 'Scenario file, or - for stdin' })
      .option('effective', {
        type: 'boolean',
        default: false,
        describe: 'Print the scenario with all defaults and flags instead, as YAML',
      })
      .options(SCENARIO_FLAGS)
      .example('$0 plan steady.yaml --agents 20000', 'what would 20,000 agents need')
      .example('$0 plan steady.yaml --effective > effective.yaml', 'the scenario with all defaults, runnable'),
  handler: async (flags) => {
    const { plan } = await import('../actions/plan.ts');
    await plan(flags, io);
  },
});
