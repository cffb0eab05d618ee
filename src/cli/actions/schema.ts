import type { SchemaFlags } from '../commands/others.ts';
import type { Io } from '../io.ts';

export async function printSchema({ of }: SchemaFlags, { stdout }: Io): Promise<void> {
  const schema =
    of === 'scenario'
      ? (await import('../../scenario/json-schema.ts')).scenarioJsonSchema()
      : (await import('../../metrics/summary/summary-schema.ts')).summaryJsonSchema();
  stdout.write(`${JSON.stringify(schema, null, 2)}\n`);
}
