import { summaryJsonSchema } from '../../metrics/results/summary-schema.ts';
import { scenarioJsonSchema } from '../../scenario/schema/json-schema.ts';
import type { SchemaName } from '../flags/schemas.ts';

const WRITERS: Readonly<Record<SchemaName, () => object>> = {
  scenario: scenarioJsonSchema,
  summary: summaryJsonSchema,
};

/** A JSON Schema, ending with a line break. */
export function schemaText(of: SchemaName): string {
  return `${JSON.stringify(WRITERS[of](), null, 2)}\n`;
}
