import type { Fault } from '../../src/scenario/fault.ts';
import { parseScenario, type ScenarioContext } from '../../src/scenario/parse-scenario.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { settingOfExpression } from '../../src/scenario/setting.ts';

export const FILE = '/work/scenarios/sample.yaml';

/** The smallest scenario there is, with other text in place of its phases. */
export function withPhases(phases: string): string {
  return `fleet: { agents: 100 }\nphases:\n${phases}`;
}

export const SMALLEST = withPhases('  - { name: steady, duration: 10s, checkdata: { every: 5s } }\n');

/** Reads a text that must be a scenario; `sets` are values of `--set`. */
export function scenarioOf(text: string, sets: readonly string[] = [], environment = {}): Scenario {
  const parsed = parseScenario({ file: FILE, text }, contextOf(sets, environment));
  if (parsed.kind === 'faults') throw new Error(JSON.stringify(parsed.faults, null, 1));
  return parsed.scenario;
}

/** Reads a text that must be faulty. */
export function faultsOf(text: string, sets: readonly string[] = [], environment = {}): readonly Fault[] {
  const parsed = parseScenario({ file: FILE, text }, contextOf(sets, environment));
  return parsed.kind === 'faults' ? parsed.faults : [];
}

function contextOf(sets: readonly string[], environment: ScenarioContext['environment']): ScenarioContext {
  return { environment, settings: sets.map(settingOfExpression) };
}
