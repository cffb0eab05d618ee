import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { UserError } from '../../base/kernel/errors.ts';
import { writeScenarioFile } from '../../base/storage/text-files.ts';
import { MAX_AGENTS } from '../../scenario/hosts.ts';
import { scenarioJsonSchema } from '../../scenario/json-schema.ts';
import type { Variables } from '../../scenario/reading/variables.ts';
import type { InitFlags } from '../commands/runs.ts';
import { readFlag, wholeNumber } from '../flags/values.ts';
import type { Io } from '../io.ts';

const TEMPLATE = new URL('../templates/starter.yaml', import.meta.url);

export async function writeStarter({ file, force, agents }: InitFlags, { cwd, env, stderr }: Io): Promise<void> {
  const fleet = readFlag('agents', { agents }, wholeNumber(1, MAX_AGENTS));
  if (file === '-') throw new UserError('muster init expects the name of a file such as scenario.yaml, found -.');
  const path = resolve(cwd, file);
  await writeScenarioFile(path, starterScenario(fleet), force ? 'replace' : 'create');
  const schema = `${JSON.stringify(scenarioJsonSchema(), null, 2)}\n`;
  await writeScenarioFile(join(dirname(path), SCHEMA_FILE), schema, 'replace');
  stderr.write(`Wrote ${file} and ${SCHEMA_FILE}. Now: ${commandOf(env)} run ${file}\n`);
}

/** How the user called Muster, as npm tells its children. */
function commandOf(env: Variables): string {
  if (env.npm_command === 'exec') return 'npx muster';
  return env.npm_lifecycle_event === 'muster' ? 'npm run muster --' : 'muster';
}

/** Times of the phases: short for a small trial fleet, realistic for a larger one. */
function phaseTimes(agents: number) {
  if (agents <= MAX_TRIAL_AGENTS) return { over: '5s', every: '5s', steady: '20s', packages: 'every: 1h, first: 5s' };
  const over = `${Math.max(10, Math.ceil(agents / REGISTRATIONS_PER_SECOND))}s`;
  return { over, every: '30s', steady: '2m', packages: 'every: 1h' };
}

const MAX_TRIAL_AGENTS = 200;
const REGISTRATIONS_PER_SECOND = 200;

/** Next to the scenario, so that editors complete its keys. */
const SCHEMA_FILE = 'scenario.schema.json';

/** The text of a scenario with comments, for a first run of this many agents against the embedded server or the target of a flag. */
export function starterScenario(agents: number): string {
  const values: Readonly<Record<string, string>> = { agents: String(agents), ...phaseTimes(agents) };
  return readFileSync(TEMPLATE, 'utf8').replaceAll(
    /<(agents|over|every|steady|packages)>/g,
    (_, hole) => values[hole] ?? '',
  );
}
