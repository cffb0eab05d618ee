import type { Command } from '../io.ts';

const SCHEMAS = ['scenario', 'summary'] as const;

export const schemaCommand: Command<{ of: (typeof SCHEMAS)[number] }> = (io) => ({
  command: 'schema [of]',
  describe: 'Print the JSON Schema of scenario files or of summary.json',
  builder: (yargs) =>
    yargs
      .positional('of', { choices: SCHEMAS, default: 'scenario' as const, describe: 'Files that the schema describes' })
      .example('$0 schema > scenario.schema.json', 'let editors complete scenario files')
      .example('$0 schema summary', 'describe the format of results'),
  handler: async ({ of }) => {
    const schema =
      of === 'scenario'
        ? (await import('../../scenario/json-schema.ts')).scenarioJsonSchema()
        : (await import('../../metrics/summary/summary-schema.ts')).summaryJsonSchema();
    io.stdout.write(`${JSON.stringify(schema, null, 2)}\n`);
  },
});
