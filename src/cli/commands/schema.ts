import { summaryJsonSchema } from '../../metrics/results/summary-schema.ts';
import { scenarioJsonSchema } from '../../scenario/schema/json-schema.ts';
import type { Command } from './command.ts';

const SCHEMAS = { scenario: scenarioJsonSchema, summary: summaryJsonSchema } as const;

type SchemaName = keyof typeof SCHEMAS;

export const schemaCommand: Command<{ of: SchemaName }> = (io) => ({
  command: 'schema [of]',
  describe: 'Prints the JSON Schema of scenario files or of summary.json',
  builder: (yargs) =>
    yargs
      .positional('of', {
        choices: ['scenario', 'summary'] as const,
        default: 'scenario' as const,
        describe: 'What the schema is for',
      })
      .example('$0 schema > scenario.schema.json', 'for editors that complete YAML files')
      .example('$0 schema summary', 'what the results look like'),
  handler: ({ of }) => {
    io.stdout.write(`${JSON.stringify(SCHEMAS[of](), null, 2)}\n`);
  },
});
