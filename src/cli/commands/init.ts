import { dirname, join, resolve } from 'node:path';
import type { Variables } from '../../scenario/reading/variables.ts';
import { parsed, wholeNumber } from '../flags/values.ts';
import type { Command } from '../io.ts';

const MOST_AGENTS = 10_000_000;

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
    const fleet = parsed(agents, wholeNumber(1, MOST_AGENTS), (found) => {
      return `--agents: expected a whole number from 1 to ${MOST_AGENTS}, found ${found}.`;
    });
    const { SCHEMA_FILE, starterScenario } = await import('../actions/starter-scenario.ts');
    const { writeScenarioFile } = await import('../../ground/storage/text-files.ts');
    const { scenarioJsonSchema } = await import('../../scenario/json-schema.ts');
    const path = resolve(io.cwd, file);
    await writeScenarioFile(path, starterScenario(fleet), force ? 'replace' : 'create');
    const schema = `${JSON.stringify(scenarioJsonSchema(), null, 2)}\n`;
    await writeScenarioFile(join(dirname(path), SCHEMA_FILE), schema, 'replace');
    io.stderr.write(`Wrote ${file} and ${SCHEMA_FILE}. Now: ${commandOf(io.env)} run ${file}\n`);
  },
});

/** How the user called Muster, as npm tells its children. */
function commandOf(env: Variables): string {
  if (env.npm_command === 'exec') return 'npx muster';
  return env.npm_lifecycle_event === 'muster' ? 'npm run muster --' : 'muster';
}
