import { formatDuration } from '../../kernel/units.ts';
import { timelineEndMs } from '../../load/timeline.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { tryScenarios } from '../flags/load-scenarios.ts';
import { SCENARIO_FLAGS, type ScenarioFlags, scenarioContext } from '../flags/scenario.ts';
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
    for (const result of await tryScenarios(flags.scenario, await scenarioContext(flags, io), io)) {
      if (result.kind === 'refused') end(EXIT_CODES.userError);
      const text = result.kind === 'refused' ? result.text : `${result.file}: valid: ${outline(result.scenario)}`;
      io.stdout.write(`${text}\n`);
    }
  },
});

/** `1000 agents, 3 phases, 30s` */
function outline({ fleet, phases }: Scenario): string {
  return `${counted(fleet.agents, 'agent')}, ${counted(phases.length, 'phase')}, ${formatDuration(timelineEndMs(phases))}`;
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}
