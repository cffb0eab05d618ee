import { resolve } from 'node:path';
import { UserError } from '../../kernel/errors.ts';
import { parseScenario, type ScenarioContext } from '../../scenario/reading/parse.ts';
import { formatProblems } from '../../scenario/reading/problem.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { readScenarioFile, readScenarioStream } from '../../storage/text-files.ts';
import type { Io } from '../io.ts';

/** Stands for stdin where a file is expected. */
const STDIN = '-';
// Names the scenario, unless it has a name, and stands in messages.
const STDIN_NAME = 'stdin';

/** A scenario and the file it came from, as the user wrote it. */
export type LoadedScenario = { readonly file: string; readonly scenario: Scenario };

/** What came of one file: the scenario, or why there is none, for a person. */
export type LoadResult =
  | ({ readonly kind: 'loaded' } & LoadedScenario)
  | { readonly kind: 'refused'; readonly file: string; readonly text: string };

/**
 * Reads all files, and stdin for `-`; one that cannot be read does not keep the others from being checked.
 * Throws `UserError` if stdin is named twice.
 */
export async function tryScenarios(files: readonly string[], context: ScenarioContext, io: Io): Promise<LoadResult[]> {
  if (files.length === 0) throw new Error('a command for scenarios was given none');
  if (files.filter((file) => file === STDIN).length > 1)
    throw new UserError('- stands for stdin, which can be read once; name it once.');
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

async function tryScenario(argument: string, context: ScenarioContext, io: Io): Promise<LoadResult> {
  const isStdin = argument === STDIN;
  const file = isStdin ? STDIN_NAME : argument;
  try {
    const absolute = resolve(io.cwd, file);
    const text = await (isStdin ? readScenarioStream(io.stdin) : readScenarioFile(absolute));
    const parsed = parseScenario({ file: absolute, text }, context);
    if (parsed.kind === 'scenario') return { kind: 'loaded', file, scenario: parsed.scenario };
    return { kind: 'refused', file, text: formatProblems(file, parsed.problems) };
  } catch (error) {
    if (error instanceof UserError) return { kind: 'refused', file, text: error.message };
    throw error;
  }
}
