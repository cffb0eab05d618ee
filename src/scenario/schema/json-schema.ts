import { alternatives, type JsonSchema, writtenScenario } from './written-schema.ts';

/** The JSON Schema (2020-12) of scenario files, for editors. */
export function scenarioJsonSchema(): object {
  return { title: 'Muster scenario', ...forEditors(writtenScenario()) };
}

/** A value that is put together from the environment when the file is read. */
const VARIABLE: JsonSchema = { type: 'string', pattern: '\\$\\{' };

/** Lets `${NAME}` stand for every value that is not any text anyway. */
function forEditors(schema: JsonSchema): JsonSchema {
  if (isLimitedScalar(schema)) return withVariable(schema);
  const whole = withEachPart(offering(schema), forEditors);
  const { anyOf } = schema;
  if (anyOf === undefined) return whole;
  const branches = anyOf.map(branchForEditors);
  const isAnyLimited = anyOf.flatMap(alternatives).some(isLimitedScalar);
  return { ...whole, anyOf: isAnyLimited ? [...branches, VARIABLE] : branches };
}

/** One variable beside all the alternatives is enough. */
function branchForEditors(branch: JsonSchema): JsonSchema {
  if (branch.anyOf !== undefined) return { ...offering(branch), anyOf: branch.anyOf.map(branchForEditors) };
  return isLimitedScalar(branch) ? branch : forEditors(branch);
}

function withVariable({ title, description, default: preset, examples, ...limits }: JsonSchema): JsonSchema {
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(preset !== undefined && { default: preset }),
    ...(examples !== undefined && { examples }),
    anyOf: [limits, VARIABLE],
  };
}

/** Without the examples that editors would offer as `[object Object]`. */
function offering({ examples = [], ...rest }: JsonSchema): JsonSchema {
  const legible = examples.filter((example) => [example].flat().every((part) => typeof part !== 'object'));
  return legible.length === 0 ? rest : { ...rest, examples: legible };
}

function withEachPart(schema: JsonSchema, change: (part: JsonSchema) => JsonSchema): JsonSchema {
  const { properties, patternProperties, additionalProperties, items, oneOf } = schema;
  const eachOf = (parts: Readonly<Record<string, JsonSchema>>) =>
    Object.fromEntries(Object.entries(parts).map(([key, part]) => [key, change(part)]));
  return {
    ...schema,
    ...(properties !== undefined && { properties: eachOf(properties) }),
    ...(patternProperties !== undefined && { patternProperties: eachOf(patternProperties) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: change(additionalProperties) }),
    ...(items !== undefined && { items: change(items) }),
    ...(oneOf !== undefined && { oneOf: oneOf.map((part) => named(change(part), part.properties?.do)) }),
  };
}

/** Editors call a section of a list by its title. */
function named(part: JsonSchema, kind: JsonSchema | undefined): JsonSchema {
  return kind?.const === undefined ? part : { title: kind.const, ...part };
}

function isLimitedScalar({ type, pattern, enum: choices, const: only }: JsonSchema): boolean {
  if (type === 'integer' || type === 'number' || type === 'boolean') return true;
  return type === 'string' && [pattern, choices, only].some((limit) => limit !== undefined);
}
