import { EXIT_CODES } from '../exit-codes.ts';
import { machineCount } from '../flags/cluster-request.ts';
import { SCENARIO_FILE, SCENARIO_FLAGS, type ScenarioFlags, TEXT_FLAG, WORKERS_FLAG } from '../flags/common.ts';
import type { Command } from '../io.ts';

export const planCommand: Command<
  ScenarioFlags & {
    scenario: string;
    effective: boolean;
    machines: string | undefined;
    workers: string | undefined;
  }
> = (io, end) => ({
  command: 'plan <scenario>',
  describe: 'Show what a scenario will do and what it needs, without traffic',
  builder: (yargs) =>
    yargs
      .positional('scenario', SCENARIO_FILE)
      .option('effective', {
        type: 'boolean',
        default: false,
        describe: 'Print the scenario as YAML with all defaults and flags applied',
      })
      .option('machines', {
        ...TEXT_FLAG,
        describe: 'Also show what NATS stores for a cluster with this number of machines',
      })
      .options({ ...SCENARIO_FLAGS, ...WORKERS_FLAG })
      .example('$0 plan steady.yaml --agents 20000', 'show what 20,000 agents need')
      .example(
        '$0 plan steady.yaml --effective > effective.yaml',
        'write the scenario with all defaults; you can run it',
      )
      .epilogue('Exits with 104 if this machine has NOT ENOUGH of a resource.'),
  handler: async (flags) => {
    const machines = machineCount(flags.machines);
    const { loadScenario, scenarioContext } = await import('../flags/load-scenarios.ts');
    const context = await scenarioContext(flags, io);
    const scenario = await loadScenario(flags.scenario, context, io);
    if (flags.effective) {
      const { formatScenario } = await import('../../scenario/file.ts');
      io.stdout.write(formatScenario(scenario));
      return;
    }
    const { planOf } = await import('../../scenario/planning/plan.ts');
    const { readHostData } = await import('../../ground/storage/host-data.ts');
    const { machineLimits } = await import('../../ground/system/limits.ts');
    const { needsOf, placeOf } = await import('../../scenario/planning/needs.ts');
    const { planText } = await import('../output/plan-text.ts');
    const { workersWanted } = await import('../flags/run.ts');
    const plan = planOf(scenario, readHostData());
    const limits = { ...machineLimits(), workers: workersWanted(flags, context.environment) };
    io.stdout.write(planText(scenario, plan, { limits, columns: io.stdout.columns }));
    if (machines !== undefined) {
      const { storeBytes } = await import('../../scenario/planning/store-size.ts');
      const { counted, formatBytes } = await import('../../ground/kernel/units.ts');
      const stored = formatBytes(storeBytes(scenario, machines));
      io.stdout.write(
        `NATS stores up to ${stored} for ${counted(machines, 'machine')}, an hour without a coordinator included\n`,
      );
    }
    const needs = needsOf(plan.size, placeOf(scenario.target), limits);
    if (needs.some(({ isEnough }) => !isEnough)) end(EXIT_CODES.userError);
  },
});
