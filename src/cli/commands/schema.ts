import type { Command } from '../io.ts';

const SCHEMAS = ['scenario', 'summary'] as const;

export const schemaCommand: Command<{ of: (typeof SCHEMAS)[number] }> = (io) => ({
  command: 'schema [of]',
  describe: 'Prints the JSON Schema of scenario files or of summary.json',
  builder: (yargs) =>
    yargs
      .positional('of', { choices: SCHEMAS, default: 'scenario' as const, describe: 'What the schema is for' })
      .example('$0 schema > scenario.schema.json', 'for editors that complete YAML files')
      .example('$0 schema summary', 'what the results look like'),
  handler: async ({ of }) => {
    const schema =
      of === 'scenario'
        ? (await import('../../scenario/json-schema.ts')).scenarioJsonSchema()
        : (await import('../../metrics/summary/summary-schema.ts')).summaryJsonSchema();
    io.stdout.write(`${JSON.stringify(schema, null, 2)}\n`);
  },
});
