import { formatScenario } from '../../scenario/meaning/effective-scenario.ts';
import { planOf } from '../../scenario/planning/plan.ts';
import { machineLimits } from '../../system/limits.ts';
import { loadScenarios } from '../flags/load-scenarios.ts';
import type { ScenarioFlags } from '../flags/scenario.ts';
import { scenarioContext } from '../flags/scenario-context.ts';
import type { Io } from '../io.ts';
import { planText } from '../output/plan-text.ts';

export type PlanFlags = ScenarioFlags & { scenario: string; effective: boolean };

export async function plan(flags: PlanFlags, io: Io): Promise<void> {
  const loaded = await loadScenarios([flags.scenario], await scenarioContext(flags, io), io);
  for (const { scenario } of loaded) {
    const surroundings = { limits: machineLimits(), columns: io.stdout.columns };
    const text = flags.effective ? formatScenario(scenario) : planText(scenario, planOf(scenario), surroundings);
    io.stdout.write(text);
  }
}
