import { resolve } from 'node:path';
import type { Command } from '../io.ts';

export const initCommand: Command<{ file: string; force: boolean }> = (io) => ({
  command: 'init [file]',
  describe: 'Writes a first scenario, with comments',
  builder: (yargs) =>
    yargs
      .positional('file', { type: 'string', default: 'scenario.yaml', describe: 'Where to' })
      .option('force', { alias: 'f', type: 'boolean', default: false, describe: 'Replace a file that exists' })
      .example('$0 init', 'writes scenario.yaml')
      .example('$0 init load/first.yaml', 'writes into a folder that exists'),
  handler: async ({ file, force }) => {
    const { writeScenarioFile } = await import('../../storage/text-files.ts');
    await writeScenarioFile(resolve(io.cwd, file), FIRST_SCENARIO, force ? 'replace' : 'create');
    io.stderr.write(`Wrote ${file}. Now: muster run ${file}\n`);
  },
});

const FIRST_SCENARIO = `# yaml-language-server: $schema=./scenario.schema.json
# (editors complete this file once you have run: muster schema > scenario.schema.json)
#
# Check it:  muster validate <this file>       See what it will do:  muster plan <this file>
# Run it:    muster run <this file>            Against your server:  --target https://host --allow host
description: Does the server carry a hundred agents that report every five seconds?

target:
  # "embedded" is a server inside Muster, to try things out without any other machine.
  # Environment variables go anywhere: \${NAME}, or \${NAME:-default}.
  url: \${MUSTER_TARGET:-embedded}
  apiKey: \${MUSTER_API_KEY:-}
  # Hosts other than loopback must be allowed by name.
  allow: []
  timeout: 29s

fleet:
  agents: 100
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
    # Every agent once. With a rate (or "over: 5s") the phase lasts as long as that takes.
    register: { rate: 20/s }

  - name: warm-up
    duration: 5s
    # Not in thresholds and overall percentiles.
    exclude: true
    checkdata: { every: 5s, jitter: 0.1 }

  - name: steady
    duration: 20s
    # Every agent on its own fixed grid; the same cadence as before goes on unbroken.
    checkdata: { every: 5s, jitter: 0.1 }
    packages: { every: 1h, first: 5s }
    # Other loads: { rate: 500/s }, { rate: 100/s..2000/s } (a ramp), { concurrency: 64 } (as fast as answers come).
    authorize: { rate: 2/s }

# What must hold; otherwise the run ends with exit code 99.
thresholds:
  checkdata: ["p(99) < 250ms", "error_rate < 0.1%"]
  "register{phase:enrol}": ["p(95) < 500ms"]
`;
