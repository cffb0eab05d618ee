import { formatScenario } from '../../scenario/meaning/effective-scenario.ts';
import { planOf } from '../../scenario/planning/plan.ts';
import { machineLimits } from '../../system/limits.ts';
import { loadScenarios } from '../flags/load-scenarios.ts';
import { SCENARIO_FLAGS, type ScenarioFlags, scenarioContext } from '../flags/scenario.ts';
import { planText } from '../output/plan-text.ts';
import type { Command } from './command.ts';

type PlanFlags = ScenarioFlags & { scenario: string; effective: boolean };

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
    const loaded = await loadScenarios([flags.scenario], await scenarioContext(flags, io), io);
    for (const { scenario } of loaded) {
      const text = flags.effective
        ? formatScenario(scenario)
        : planText(scenario, planOf(scenario), { limits: machineLimits(), columns: io.stdout.columns });
      io.stdout.write(text);
    }
  },
});
