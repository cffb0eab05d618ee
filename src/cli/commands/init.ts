import type { Command } from './command.ts';

export const initCommand: Command<{ file: string; force: boolean }> = (io) => ({
  command: 'init [file]',
  describe: 'Writes a first scenario, with comments',
  builder: (yargs) =>
    yargs
      .positional('file', { type: 'string', default: 'scenario.yaml', describe: 'Where to' })
      .option('force', { alias: 'f', type: 'boolean', default: false, describe: 'Replace a file that exists' })
      .example('$0 init', 'writes scenario.yaml')
      .example('$0 init load/first.yaml', 'writes into a folder that exists'),
  handler: async (flags) => {
    const { init } = await import('../actions/init.ts');
    await init(flags, io);
  },
});
