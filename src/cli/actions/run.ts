import type { ExitCode } from '../exit-codes.ts';
import { loadScenarios } from '../flags/load-scenarios.ts';
import { type RunFlags, runRequest } from '../flags/run.ts';
import type { ScenarioFlags } from '../flags/scenario.ts';
import { scenarioContext } from '../flags/scenario-context.ts';
import type { Io } from '../io.ts';
import { runScenarios } from './run-scenarios.ts';

export async function run(flags: ScenarioFlags & RunFlags & { scenario: string[] }, io: Io): Promise<ExitCode> {
  const context = await scenarioContext(flags, io);
  const scenarios = await loadScenarios(flags.scenario, context, io);
  const request = runRequest(scenarios, flags, { environment: context.environment, cwd: io.cwd });
  return await runScenarios(request, io);
}
