import { EXIT_CODES } from '../exit-codes.ts';
import { SCENARIO_FLAGS, type ScenarioFlags } from '../flags/common.ts';
import type { Command } from '../io.ts';

export const validateCommand: Command<ScenarioFlags & { scenario: string[] }> = (io, end) => ({
  command: 'validate <scenario...>',
  describe: 'Check scenario files and report every error, without traffic',
  builder: (yargs) =>
    yargs
      .positional('scenario', {
        type: 'string',
        array: true,
        demandOption: true,
        describe: 'Scenario files, or - for stdin',
      })
      .options(SCENARIO_FLAGS)
      .example('$0 validate scenarios/*.yaml', 'check all scenarios')
      .example('$0 validate storm.yaml --set fleet.agents=20000', 'check it with more agents'),
  handler: async (flags) => {
    const { scenarioContext, tryScenarios } = await import('../flags/load-scenarios.ts');
    const { counted, formatDuration } = await import('../../ground/kernel/units.ts');
    const { timelineEndMs } = await import('../../load/timeline.ts');
    const results = await tryScenarios(flags.scenario, await scenarioContext(flags, io), io);
    for (const result of results) {
      if (result.kind === 'refused') io.stdout.write(`${result.text}\n`);
      else {
        const { fleet, phases } = result.scenario;
        const outline = [
          counted(fleet.agents, 'agent'),
          counted(phases.length, 'phase'),
          formatDuration(timelineEndMs(phases)),
        ];
        io.stdout.write(`${result.file}: valid: ${outline.join(', ')}\n`);
      }
    }
    if (results.some(({ kind }) => kind === 'refused')) end(EXIT_CODES.userError);
  },
});
