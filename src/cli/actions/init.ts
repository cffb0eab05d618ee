import { dirname, join, resolve } from 'node:path';
import { writeScenarioFile } from '../../ground/storage/text-files.ts';
import { scenarioJsonSchema } from '../../scenario/json-schema.ts';
import type { Variables } from '../../scenario/reading/variables.ts';
import type { InitFlags } from '../commands/runs.ts';
import { parsed, wholeNumber } from '../flags/values.ts';
import type { Io } from '../io.ts';

const MOST_AGENTS = 10_000_000;

/** Writes a starter scenario, and its schema beside it. */
export async function writeStarter({ file, force, agents }: InitFlags, { cwd, env, stderr }: Io): Promise<void> {
  const fleet = parsed(agents, wholeNumber(1, MOST_AGENTS), (found) => {
    return `--agents: expected a whole number from 1 to ${MOST_AGENTS}, found ${found}.`;
  });
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
function rhythmOf(agents: number) {
  if (agents <= TRIAL_AGENTS) return { overSeconds: 5, every: '5s', steady: '20s', packages: 'every: 1h, first: 5s' };
  const overSeconds = Math.max(10, Math.ceil(agents / ENROLLED_PER_SECOND));
  return { overSeconds, every: '30s', steady: '2m', packages: 'every: 1h' };
}

const TRIAL_AGENTS = 200;
const ENROLLED_PER_SECOND = 200;

/** Next to the scenario, so that editors complete its keys. */
const SCHEMA_FILE = 'scenario.schema.json';

/** The text of a scenario with comments, for a first run of this many agents against the embedded server or the target of a flag. */
export function starterScenario(agents: number): string {
  const { overSeconds, every, steady, packages } = rhythmOf(agents);
  return `# yaml-language-server: $schema=./${SCHEMA_FILE}
#
# Check it:  muster validate <this file>       Preview it: muster plan <this file>
# Run it:    muster run <this file>            Against your server:  --target https://host --allow host
description: Can the server handle this fleet at its everyday rate?

target:
  # "embedded" is a server inside Muster: you need no other machine to try things out.
  # Environment variables work in any value: \${NAME}, or \${NAME:-default}.
  url: \${MUSTER_TARGET:-embedded}
  apiKey: \${MUSTER_API_KEY:-}
  # Hosts beyond loopback need permission by name.
  allow: []
  timeout: 29s

fleet:
  # For a much larger fleet, create a new file: muster init --agents N.
  agents: ${agents}
  # The same seed creates the same hosts with the same data.
  seed: 1
  # Operating systems with their weights.
  profiles: { ubuntu-24.04: 1 }
  # full, typical or lean: about 200, 40 or 3 KB of check data.
  payload: typical
  # One connection per agent, like real agents; or { shared: 20 }.
  connections: per-agent

# Phases run one after another. Loads: register, checkdata, packages. Rates apply to the whole fleet.
phases:
  - name: enroll
    # Registers every agent once. "over" (or a rate such as 20/s) sets the duration of the phase.
    register: { over: ${overSeconds}s }

  - name: warm-up
    duration: ${every}
    # Excluded from thresholds and overall percentiles.
    exclude: true
    checkdata: { every: ${every}, jitter: 0.1 }

  - name: steady
    duration: ${steady}
    # Every agent pushes at fixed intervals; the cadence of the previous phase continues without a break.
    checkdata: { every: ${every}, jitter: 0.1 }
    # Once an hour per agent.
    packages: { ${packages} }
    # Other loads: { rate: 500/s }, { rate: 100/s..2000/s } (a ramp), { concurrency: 64 } (closed model).

# Pass criteria; a run that fails them exits with code 99.
thresholds:
  checkdata: ["p(99) < 250ms", "error_rate < 0.1%"]
  "register{phase:enroll}": ["p(95) < 500ms"]
`;
}
