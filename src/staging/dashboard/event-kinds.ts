import type { JsonSchema } from '../../scenario/json-schema.ts';
import { eventEntrySchema } from '../../scenario/json-schema.ts';
import type { EventField, EventKind } from './page-data.ts';

/** Keys that have separate fields on the page, or are only available in scenario files. */
const COMMON_KEYS = ['do', 'name', 'at', 'for', 'over', 'cohort', 'sticky', 'repeat'];

/** Kinds of events that can be added to a fleet, from the schema of scenario files. */
export function eventKinds(): readonly EventKind[] {
  return (eventEntrySchema().oneOf ?? []).map(kindOf);
}

function kindOf({ properties = {}, required = [] }: JsonSchema): EventKind {
  const fields = Object.entries(properties).filter(([name]) => !COMMON_KEYS.includes(name));
  return {
    name: properties.do?.const ?? '',
    means: properties.do?.description ?? '',
    lasts: properties.for !== undefined,
    fields: fields.map(([name, schema]) => fieldOf(name, schema, required.includes(name))),
  };
}

function fieldOf(
  name: string,
  { description = '', enum: choices, type, anyOf = [], examples }: JsonSchema,
  isRequired: boolean,
): EventField {
  return {
    ...{ name, isRequired, means: description, choices: (choices ?? []).map(String) },
    isNumber: [type, ...anyOf.map((one) => one.type)].some((one) => one === 'integer' || one === 'number'),
    example: examples?.[0] === undefined ? '' : String(examples[0]),
  };
}
