import { formatScenario } from '../../scenario/meaning/effective-scenario.ts';
import { planOf } from '../../scenario/planning/plan.ts';
import { machineLimits } from '../../system/limits.ts';
import { loadScenarios } from '../flags/load-scenarios.ts';
import { SCENARIO_FLAGS, type ScenarioFlags, scenarioContext } from '../flags/scenario.ts';
import { planText } from '../output/plan-text.ts';
import type { Command } from './command.ts';

export const planCommand: Command<ScenarioFlags & { scenario: string }> = (io) => ({
  command: 'plan <scenario>',
  describe: 'Shows what a scenario will do and needs; prints the effective scenario on stdout',
  builder: (yargs) =>
    yargs
      .positional('scenario', { type: 'string', demandOption: true, describe: 'Scenario file' })
      .options(SCENARIO_FLAGS)
      .example('$0 plan steady.yaml --agents 20000', 'what would 20,000 agents need')
      .example('$0 plan steady.yaml > effective.yaml', 'the scenario with all defaults, runnable'),
  handler: async (flags) => {
    const loaded = await loadScenarios([flags.scenario], await scenarioContext(flags, io), io);
    for (const { scenario } of loaded) {
      io.stderr.write(planText(scenario, planOf(scenario), machineLimits()));
      io.stdout.write(formatScenario(scenario));
    }
  },
});
