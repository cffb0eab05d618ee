import { resolve } from 'node:path';
import { UserError } from '../../kernel/errors.ts';
import { onlyOne } from '../flags/common.ts';
import type { Command } from '../io.ts';

export const initCommand: Command<{ file: string; force: boolean; agents: string }> = (io) => ({
  command: 'init [file]',
  describe: 'Writes a first scenario, with comments',
  builder: (yargs) =>
    yargs
      .positional('file', { type: 'string', default: 'scenario.yaml', describe: 'Where to' })
      .option('force', { alias: 'f', type: 'boolean', default: false, describe: 'Replace a file that exists' })
      .option('agents', {
        alias: 'a',
        type: 'string',
        requiresArg: true,
        default: '100',
        describe: 'Agents of the fleet; a large one enrols and reports as real fleets do',
      })
      .example('$0 init', 'writes scenario.yaml')
      .example('$0 init --agents 20000', 'the everyday load of 20,000 agents')
      .example('$0 init load/first.yaml', 'writes into a folder that exists'),
  handler: async ({ file, force, agents }) => {
    const fleet = agentsOf(onlyOne('agents', agents));
    const { writeScenarioFile } = await import('../../storage/text-files.ts');
    await writeScenarioFile(resolve(io.cwd, file), firstScenario(fleet), force ? 'replace' : 'create');
    io.stderr.write(`Wrote ${file}. Now: muster run ${file}\n`);
  },
});

const MOST_AGENTS = 10_000_000;

function agentsOf(text: string): number {
  const agents = /^\d{1,8}$/.test(text) ? Number(text) : 0;
  if (agents >= 1 && agents <= MOST_AGENTS) return agents;
  throw new UserError(`--agents: expected a whole number from 1 to ${MOST_AGENTS}, found ${JSON.stringify(text)}.`);
}

/** How a fleet comes and goes on: a small one quickly, to try things out, a larger one in the rhythm of real agents. */
function rhythmOf(agents: number) {
  if (agents <= TRIAL_AGENTS)
    return { overSeconds: 5, every: '5s', steady: '20s', packages: 'every: 1h, first: 5s', authorizePerSecond: 2 };
  const overSeconds = Math.max(10, Math.ceil(agents / ENROLLED_PER_SECOND));
  return {
    overSeconds,
    every: '30s',
    steady: '2m',
    packages: 'every: 1h',
    authorizePerSecond: Math.max(2, Math.round(agents / 600)),
  };
}

const TRIAL_AGENTS = 200;
const ENROLLED_PER_SECOND = 200;

function firstScenario(agents: number): string {
  const { overSeconds, every, steady, packages, authorizePerSecond } = rhythmOf(agents);
  return `# yaml-language-server: $schema=./scenario.schema.json
# (editors complete this file once you have run: muster schema > scenario.schema.json)
#
# Check it:  muster validate <this file>       See what it will do:  muster plan <this file>
# Run it:    muster run <this file>            Against your server:  --target https://host --allow host
description: Does the server carry this fleet in its everyday rhythm?

target:
  # "embedded" is a server inside Muster, to try things out without any other machine.
  # Environment variables go anywhere: \${NAME}, or \${NAME:-default}.
  url: \${MUSTER_TARGET:-embedded}
  apiKey: \${MUSTER_API_KEY:-}
  # Hosts other than loopback must be allowed by name.
  allow: []
  timeout: 29s

fleet:
  # For a much larger fleet write this file anew: muster init --agents N.
  agents: ${agents}
  # The same seed gives the same machines with the same data.
  seed: 1
  # Operating systems and their weights.
  profiles: { ubuntu-24.04: 1 }
  # full, typical or lean: about 200, 40 or 3 KB of check data.
  payload: typical
  # A connection per agent, as real agents have; or { shared: 20 }.
  connections: per-agent

# One after another. Loads: register, authorize, checkdata, packages. Rates are for the whole fleet.
phases:
  - name: enrol
    # Every agent once. With "over" (or a rate such as 20/s) the phase lasts as long as that takes.
    register: { over: ${overSeconds}s }

  - name: warm-up
    duration: ${every}
    # Not in thresholds and overall percentiles.
    exclude: true
    checkdata: { every: ${every}, jitter: 0.1 }

  - name: steady
    duration: ${steady}
    # Every agent at its own fixed place on the grid; the same cadence as before goes on unbroken.
    checkdata: { every: ${every}, jitter: 0.1 }
    # Each agent once an hour.
    packages: { ${packages} }
    # Other loads: { rate: 500/s }, { rate: 100/s..2000/s } (a ramp), { concurrency: 64 } (as fast as answers come).
    authorize: { rate: ${authorizePerSecond}/s }

# What must hold; otherwise the run ends with exit code 99.
thresholds:
  checkdata: ["p(99) < 250ms", "error_rate < 0.1%"]
  "register{phase:enrol}": ["p(95) < 500ms"]
`;
}
