import { UserError } from '../kernel/errors.ts';
import { parseScenario } from '../scenario/reading/parse.ts';
import { formatProblems } from '../scenario/reading/problem.ts';
import type { Scenario } from '../scenario/scenario.ts';

/** An effective scenario asks for its secrets; nobody is asked anything by a run that is over. */
const NO_SECRETS = { MUSTER_API_KEY: '-', MUSTER_TARGET_QUERY: '-', MUSTER_BASIC_AUTH: '-:-' };

/** The scenario that a run left in its results. Throws a `UserError` if it cannot be read. */
export function recordedScenario(source: { readonly file: string; readonly text: string }): Scenario {
  const parsed = parseScenario(source, { environment: NO_SECRETS, settings: [] });
  if (parsed.kind === 'scenario') return parsed.scenario;
  throw new UserError(
    `The scenario of the result is not as a run writes it.\n${formatProblems(source.file, parsed.problems)}`,
  );
}
