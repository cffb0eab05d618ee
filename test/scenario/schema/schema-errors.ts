import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { scenarioJsonSchema } from '../../../src/scenario/json-schema.ts';

const validate = new Ajv2020({ strict: false }).compile(scenarioJsonSchema());

/** What an editor would mark in a scenario file: violations of the published schema. */
export function schemaErrorsOf(text: string): readonly string[] {
  validate(parse(text));
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
