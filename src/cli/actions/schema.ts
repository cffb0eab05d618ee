import { summaryJsonSchema } from '../../metrics/summary/summary-schema.ts';
import { scenarioReference } from '../../scenario/reference/page.ts';
import { scenarioJsonSchema } from '../../scenario/schema/json-schema.ts';
import type { SchemaName } from '../flags/schemas.ts';

const WRITERS: Readonly<Record<SchemaName, () => string>> = {
  scenario: () => json(scenarioJsonSchema()),
  summary: () => json(summaryJsonSchema()),
  reference: scenarioReference,
};

/** A JSON Schema, or the page of all keys, ending with a line break. */
export function schemaText(of: SchemaName): string {
  return WRITERS[of]();
}

function json(schema: object): string {
  return `${JSON.stringify(schema, null, 2)}\n`;
}
