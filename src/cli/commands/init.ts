import { resolve } from 'node:path';
import { writeScenarioFile } from '../../storage/text-files.ts';
import type { Command } from './command.ts';
import { FIRST_SCENARIO } from './first-scenario.ts';

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
    await writeScenarioFile(resolve(io.cwd, file), FIRST_SCENARIO, force ? 'replace' : 'create');
    io.stderr.write(`Wrote ${file}. Now: muster run ${file}\n`);
  },
});
