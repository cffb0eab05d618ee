import { z } from 'zod';
import { once } from '../base/kernel/memoize.ts';
import type { Path } from '../base/notation/finding.ts';
import { scenarioSchema } from './file.ts';
import { offeringSubjects } from './thresholds.ts';

/** The subset of JSON Schema (2020-12) that Muster's schemas use. */
export type JsonSchema = {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly default?: unknown;
  /** In the notation of scenario files. */
  readonly examples?: readonly unknown[];
  readonly const?: string;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly propertyNames?: JsonSchema;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
};

/** The JSON Schema (2020-12) of scenario files, for editors. */
export function scenarioJsonSchema(): object {
  return forEditors(scenarioInputSchema());
}

const A_VARIABLE = '\\$\\{';

/** A value with a reference to an environment variable. Editors repeat the heading of a value for alternatives with equal descriptions. */
const VARIABLE: JsonSchema = { description: 'A variable of the environment.', type: 'string', pattern: A_VARIABLE };

/** Allows `${NAME}` for every value that does not accept arbitrary strings anyway. */
function forEditors(schema: JsonSchema): JsonSchema {
  if (isLimitedScalar(schema)) return withVariable(schema);
  const whole = withEachPart(offering(schema), forEditors);
  const { anyOf } = schema;
  if (anyOf === undefined) return whole;
  const branches = anyOf.map(branchForEditors);
  const isAnyLimited = anyOf.flatMap(alternatives).some(isLimitedScalar);
  return { ...whole, anyOf: isAnyLimited ? [...branches, VARIABLE] : branches };
}

/** The whole `anyOf` already allows a variable, so its branches do not repeat it. */
function branchForEditors(branch: JsonSchema): JsonSchema {
  if (branch.anyOf !== undefined) return { ...offering(branch), anyOf: branch.anyOf.map(branchForEditors) };
  return isLimitedScalar(branch) ? branch : forEditors(branch);
}

/** Without alternatives if possible: editors repeat the heading of a value for each of them. */
function withVariable({ title: _, ...schema }: JsonSchema): JsonSchema {
  const { description, default: preset, examples, ...limits } = schema;
  const { type, pattern } = limits;
  if (pattern !== undefined) return { ...schema, pattern: `(?:${pattern})|${A_VARIABLE}` };
  if (typeof type === 'string' && type !== 'string') return { ...schema, type: [type, 'string'], pattern: A_VARIABLE };
  return {
    ...(description !== undefined && { description }),
    ...(preset !== undefined && { default: preset }),
    ...(examples !== undefined && { examples }),
    anyOf: [limits, VARIABLE],
  };
}

/** Removes examples that editors would offer as `[object Object]`, and the title, which they show as the heading of everything below. */
function offering({ examples = [], title: _, ...rest }: JsonSchema): JsonSchema {
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
    // Editors show the title of each alternative of a list entry.
    ...(oneOf !== undefined && { oneOf: oneOf.map((part) => ({ ...titleOf(part), ...change(part) })) }),
  };
}

function titleOf({ properties }: JsonSchema): Pick<JsonSchema, 'title'> {
  const title = properties?.do?.const;
  return title === undefined ? {} : { title };
}

function isLimitedScalar({ type, pattern, enum: choices, const: only }: JsonSchema): boolean {
  if (type === 'integer' || type === 'number' || type === 'boolean') return true;
  return type === 'string' && [pattern, choices, only].some((limit) => limit !== undefined);
}

/** The schema of scenario files as written, before variables are expanded, with an example of each section. */
export const scenarioInputSchema = once(() => withSubjects(inputSchemaOf(scenarioSchema)));

function withSubjects(scenario: JsonSchema): JsonSchema {
  const { thresholds = {}, ...others } = scenario.properties ?? {};
  const properties = {
    ...others,
    // A file name may replace the list.
    events: { ...others.events, type: ['array', 'string'] },
    thresholds: { ...thresholds, ...offeringSubjects(thresholds) },
  };
  return { ...scenario, properties };
}

/** Further starts of an event that is added to a running fleet. */
const STARTS: JsonSchema[] = [
  { const: 'now' },
  { type: 'string', pattern: '^in \\S+$', examples: ['in 10m'] },
  { type: 'string', pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', examples: ['02:00'] },
  { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d', examples: ['2026-01-31T02:00:00Z'] },
];

/** Schema of events that a run in progress accepts: all kinds except `end`. */
export function eventEntrySchema(): JsonSchema {
  const { items = {} } = scenarioInputSchema().properties?.events ?? {};
  const kinds = alternatives(items).filter(({ properties }) => properties?.do?.const !== 'end');
  return {
    oneOf: kinds.map(({ properties = {}, ...kind }) => {
      // The examples name phases that a fleet may not have.
      const { default: _start, examples: _phases, ...at } = properties.at ?? {};
      return { ...kind, properties: { ...properties, at: { anyOf: [at, ...STARTS], default: 'now' } } };
    }),
  };
}

export function inputSchemaOf(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, {
    io: 'input',
    override: ({ zodSchema, jsonSchema }) => {
      // Zod omits both after a transform, because it expects values of the output type there; ours are of the input type.
      const { examples, default: preset } = z.globalRegistry.get(zodSchema) ?? {};
      Object.assign(jsonSchema, examples !== undefined && { examples }, preset !== undefined && { default: preset });
    },
  }) as JsonSchema;
}

/** Whether a scalar at this path of a scenario must be a string. */
export function takesTextOnly(path: Path): boolean {
  const places = path.reduce<readonly JsonSchema[]>(
    (above, key) => above.flatMap((place) => below(place, key)),
    [scenarioInputSchema()],
  );
  const types = places.flatMap(alternatives).map(({ type }) => String(type));
  return types.includes('string') && !types.some((type) => ['integer', 'number', 'boolean'].includes(type));
}

/** The schemas for a key of a section, or for an index of a list. */
function below(place: JsonSchema, key: string | number): readonly JsonSchema[] {
  return alternatives(place).flatMap(({ properties, patternProperties, additionalProperties, items }) => {
    const patterned = Object.entries(patternProperties ?? {}).find(([pattern]) =>
      new RegExp(pattern).test(String(key)),
    );
    const own = properties?.[key] ?? patterned?.[1] ?? (additionalProperties || undefined) ?? items;
    return typeof own === 'object' ? [own] : [];
  });
}

/** The alternatives of a schema, flattened; the schema itself if it has none. */
export function alternatives(place: JsonSchema): readonly JsonSchema[] {
  const among = place.anyOf ?? place.oneOf;
  return among === undefined ? [place] : among.flatMap(alternatives);
}
