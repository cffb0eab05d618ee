import { SCHEMAS, type SchemaName } from '../flags/schemas.ts';
import type { Command } from './command.ts';

export const schemaCommand: Command<{ of: SchemaName }> = (io) => ({
  command: 'schema [of]',
  describe: 'Prints the JSON Schema of scenario files or of summary.json, or every key of a scenario as a page',
  builder: (yargs) =>
    yargs
      .positional('of', {
        choices: SCHEMAS,
        default: 'scenario' as const,
        describe: 'What the schema is for; reference: a page in Markdown',
      })
      .example('$0 schema > scenario.schema.json', 'for editors that complete YAML files')
      .example('$0 schema summary', 'what the results look like')
      .example('$0 schema reference > reference.md', 'what may stand in a scenario, to read'),
  handler: async ({ of }) => {
    const { schemaText } = await import('../actions/schema.ts');
    io.stdout.write(schemaText(of));
  },
});
