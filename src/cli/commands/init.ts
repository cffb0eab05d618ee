import { dirname, join, resolve } from 'node:path';
import { UserError } from '../../ground/kernel/errors.ts';
import type { Variables } from '../../scenario/reading/variables.ts';
import { onlyOne } from '../flags/common.ts';
import type { Command } from '../io.ts';

export const initCommand: Command<{ file: string; force: boolean; agents: string }> = (io) => ({
  command: 'init [file]',
  describe: 'Write a commented starter scenario',
  builder: (yargs) =>
    yargs
      .positional('file', { type: 'string', default: 'scenario.yaml', describe: 'File to write' })
      .option('force', { alias: 'f', type: 'boolean', default: false, describe: 'Replace an existing file' })
      .option('agents', {
        alias: 'a',
        type: 'string',
        requiresArg: true,
        default: '100',
        describe: 'Number of agents; a large fleet enrolls and reports at realistic rates',
      })
      .example('$0 init', 'write scenario.yaml')
      .example('$0 init --agents 20000', 'write the everyday load of 20,000 agents')
      .example('$0 init load/first.yaml', 'write to an existing folder'),
  handler: async ({ file, force, agents }) => {
    const fleet = agentsOf(onlyOne('agents', agents));
    const { writeScenarioFile } = await import('../../ground/storage/text-files.ts');
    const { scenarioJsonSchema } = await import('../../scenario/json-schema.ts');
    const path = resolve(io.cwd, file);
    await writeScenarioFile(path, firstScenario(fleet), force ? 'replace' : 'create');
    const schema = `${JSON.stringify(scenarioJsonSchema(), null, 2)}\n`;
    await writeScenarioFile(join(dirname(path), SCHEMA_FILE), schema, 'replace');
    io.stderr.write(`Wrote ${file} and ${SCHEMA_FILE}. Now: ${commandOf(io.env)} run ${file}\n`);
  },
});

/** Next to the scenario, so that editors complete its keys. */
const SCHEMA_FILE = 'scenario.schema.json';

/** How the user called Muster, as npm tells its children. */
function commandOf(env: Variables): string {
  if (env.npm_command === 'exec') return 'npx muster';
  return env.npm_lifecycle_event === 'muster' ? 'npm run muster --' : 'muster';
}

const MOST_AGENTS = 10_000_000;

function agentsOf(text: string): number {
  const agents = /^\d{1,8}$/.test(text) ? Number(text) : 0;
  if (agents >= 1 && agents <= MOST_AGENTS) return agents;
  throw new UserError(`--agents: expected a whole number from 1 to ${MOST_AGENTS}, found ${JSON.stringify(text)}.`);
}

/** Times of the phases: short for a small trial fleet, realistic for a larger one. */
function rhythmOf(agents: number) {
  if (agents <= TRIAL_AGENTS) return { overSeconds: 5, every: '5s', steady: '20s', packages: 'every: 1h, first: 5s' };
  const overSeconds = Math.max(10, Math.ceil(agents / ENROLLED_PER_SECOND));
  return { overSeconds, every: '30s', steady: '2m', packages: 'every: 1h' };
}

const TRIAL_AGENTS = 200;
const ENROLLED_PER_SECOND = 200;

function firstScenario(agents: number): string {
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
