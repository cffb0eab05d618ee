import { resolve } from 'node:path';
import { UserError } from '../../kernel/errors.ts';
import { parseScenario, type ScenarioContext } from '../../scenario/reading/parse.ts';
import { formatProblems } from '../../scenario/reading/problem.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { readScenarioFile } from '../../storage/text-files.ts';
import type { Io } from '../io.ts';

/** A scenario and the file it came from, as the user wrote it. */
export type LoadedScenario = { readonly file: string; readonly scenario: Scenario };

/** What came of one file: the scenario, or why there is none, for a person. */
export type LoadResult =
  | ({ readonly kind: 'loaded' } & LoadedScenario)
  | { readonly kind: 'refused'; readonly file: string; readonly text: string };

/** Reads all files; one that cannot be read does not keep the others from being checked. */
export function tryScenarios(files: readonly string[], context: ScenarioContext, io: Io): Promise<LoadResult[]> {
  return Promise.all(files.map((file) => tryScenario(file, context, io)));
}

/** Reads all files. Throws one `UserError` with all the problems of all of them. */
export async function loadScenarios(
  files: readonly string[],
  context: ScenarioContext,
  io: Io,
): Promise<readonly LoadedScenario[]> {
  const results = await tryScenarios(files, context, io);
  const refusals = results.flatMap((result) => (result.kind === 'refused' ? [result.text] : []));
  if (refusals.length > 0) throw new UserError(refusals.join('\n'));
  return results.flatMap((result) => (result.kind === 'loaded' ? [result] : []));
}

async function tryScenario(file: string, context: ScenarioContext, io: Io): Promise<LoadResult> {
  try {
    const absolute = resolve(io.cwd, file);
    const parsed = parseScenario({ file: absolute, text: await readScenarioFile(absolute) }, context);
    if (parsed.kind === 'scenario') return { kind: 'loaded', file, scenario: parsed.scenario };
    return { kind: 'refused', file, text: formatProblems(file, parsed.problems) };
  } catch (error) {
    if (error instanceof UserError) return { kind: 'refused', file, text: error.message };
    throw error;
  }
}
