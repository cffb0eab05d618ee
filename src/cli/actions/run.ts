import type { ExitCode } from '../exit-codes.ts';
import { loadScenarios } from '../flags/load-scenarios.ts';
import type { ReportFlags } from '../flags/reports.ts';
import { type RunFlags, runRequest } from '../flags/run.ts';
import type { ScenarioFlags } from '../flags/scenario.ts';
import { scenarioContext } from '../flags/scenario-context.ts';
import type { Io } from '../io.ts';
import { openMachineReports } from '../output/machine-reports.ts';
import { runScenarios } from './run-scenarios.ts';

type Flags = ScenarioFlags & RunFlags & ReportFlags & { scenario: string[] };

export async function run(flags: Flags, io: Io): Promise<ExitCode> {
  const context = await scenarioContext(flags, io);
  const scenarios = await loadScenarios(flags.scenario, context, io);
  const request = runRequest(scenarios, flags, { environment: context.environment, cwd: io.cwd });
  return await runScenarios(request, openMachineReports(flags, io), io);
}
