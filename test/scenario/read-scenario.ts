import { UserError } from '../../src/base/kernel/errors.ts';
import type { Problem } from '../../src/scenario/reading/document.ts';
import { parseScenario, type ScenarioContext } from '../../src/scenario/reading/parse.ts';
import { settingOfExpression } from '../../src/scenario/reading/settings.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { HOST_DATA } from '../hosts/host-data.ts';
import { bytesOf } from '../load/traces/traces.ts';

export const FILE = '/work/scenarios/sample.yaml';

/** The smallest scenario, with the given phases. */
export function withPhases(phases: string): string {
  return `fleet: { agents: 100 }\nphases:\n${phases}`;
}

export const SMALLEST = withPhases('  - { name: steady, duration: 10s, checkdata: { every: 5s } }\n');

/** Reads a text that must be a valid scenario; `sets` are values of `--set`, `files` maps absolute paths to other texts. */
export function scenarioOf(
  text: string,
  sets: readonly string[] = [],
  environment = {},
  files: Readonly<Record<string, string>> = {},
): Scenario {
  const parsed = parseScenario({ file: FILE, text }, contextOf(sets, environment, files));
  if (parsed.kind === 'problems') throw new Error(JSON.stringify(parsed.problems, null, 1));
  return parsed.scenario;
}

/** Reads a text that must be an invalid scenario. */
export function problemsOf(
  text: string,
  sets: readonly string[] = [],
  environment = {},
  files: Readonly<Record<string, string>> = {},
): readonly Problem[] {
  const parsed = parseScenario({ file: FILE, text }, contextOf(sets, environment, files));
  return parsed.kind === 'problems' ? parsed.problems : [];
}

function contextOf(
  sets: readonly string[],
  environment: ScenarioContext['environment'],
  files: Readonly<Record<string, string>>,
): ScenarioContext {
  const readText = (path: string) => {
    const text = files[path];
    if (text === undefined) throw new UserError(`there is no ${path}`);
    return text;
  };
  const openTrace = (path: string) => ({ ...bytesOf(readText(path), { name: path }), close: () => {} });
  const isTraced = Object.keys(files).some((path) => path.endsWith('.trace'));
  const settings = sets.map(settingOfExpression);
  return { environment, settings, hostData: HOST_DATA, readText, ...(isTraced && { openTrace, countsTraces: true }) };
}
