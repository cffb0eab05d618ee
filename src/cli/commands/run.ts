import { loadScenarios } from '../flags/load-scenarios.ts';
import { type RunFlags, runRequest } from '../flags/run.ts';
import { SCENARIO_FLAGS, type ScenarioFlags, scenarioContext } from '../flags/scenario.ts';
import { openMachineReports, REPORT_FLAGS, type ReportFlags } from '../output/machine-reports.ts';
import type { Command } from './command.ts';
import { runScenarios } from './run-scenarios.ts';

export const runCommand: Command<ScenarioFlags & RunFlags & ReportFlags & { scenario: string[] }> = (io, end) => ({
  command: 'run <scenario...>',
  describe: 'Runs scenario files one after another and ends with the exit code of the verdict',
  builder: (yargs) =>
    yargs
      .positional('scenario', { type: 'string', array: true, demandOption: true, describe: 'Scenario files' })
      .options(SCENARIO_FLAGS)
      .option('workers', {
        type: 'string',
        requiresArg: true,
        describe: 'Worker threads; default: as fits the machine [MUSTER_WORKERS]',
      })
      .option('out', {
        type: 'string',
        requiresArg: true,
        describe: 'Folder for results; default: results [MUSTER_OUT]',
      })
      .options(REPORT_FLAGS)
      .option('json', { type: 'boolean', default: false, describe: 'Print the summary as JSON on stdout' })
      .option('quiet', { type: 'boolean', default: false, describe: 'No progress, only the verdict' })
      .example('$0 run scenarios/quickstart.yaml', 'against the embedded server')
      .example('$0 run steady.yaml --target https://mon.example --allow mon.example', 'against a server of yours')
      .example('$0 run steady.yaml --agents 5000 --duration 10m', 'more agents, for longer')
      .example('$0 run steady.yaml --set phases.steady.checkdata.every=30s', 'with any value replaced')
      .epilogue(
        'Precedence: flag, environment variable in [brackets], file, default.\n' +
          'Exit codes: 0 pass, 99 threshold crossed, 104 wrong scenario or flags, 105 interrupted, 107 internal error, ' +
          '111 invalid (the generator was the bottleneck), 112 target not allowed, 113 incomplete, 115 target never reachable.',
      ),
  handler: async (flags) => {
    const context = await scenarioContext(flags, io);
    const scenarios = await loadScenarios(flags.scenario, context, io);
    const request = runRequest(scenarios, flags, { environment: context.environment, cwd: io.cwd });
    end(await runScenarios(request, openMachineReports(flags, io), io));
  },
});
