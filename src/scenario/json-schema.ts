import { z } from 'zod';
import type { Path } from '../notation/finding.ts';
import { scenarioSchema } from './file.ts';
import { offeringSubjects } from './thresholds.ts';

/** The parts of JSON Schema (2020-12) that a schema of ours comes out in. */
export type JsonSchema = {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly default?: unknown;
  /** As a user writes them. */
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

let written: JsonSchema | undefined;

/** Scenario files as they are written, before variables are put in, with an example of every section. */
export function writtenScenario(): JsonSchema {
  written ??= withSubjects(writtenAs(scenarioSchema));
  return written;
}

function withSubjects(scenario: JsonSchema): JsonSchema {
  const { thresholds = {}, ...others } = scenario.properties ?? {};
  const properties = {
    ...others,
    // The name of a file stands for the list in it.
    events: { ...others.events, type: ['array', 'string'] },
    thresholds: { ...thresholds, ...offeringSubjects(thresholds) },
  };
  return { ...scenario, properties };
}

/** Events that a running run accepts: all kinds except `end`, also starting now. */
export function eventEntrySchema(): JsonSchema {
  const { items = {} } = writtenScenario().properties?.events ?? {};
  const kinds = alternatives(items).filter(({ properties }) => properties?.do?.const !== 'end');
  return {
    oneOf: kinds.map(({ properties = {}, ...kind }) => {
      const { default: _start, ...at } = properties.at ?? {};
      return { ...kind, properties: { ...properties, at: { anyOf: [at, { const: 'now' }], default: 'now' } } };
    }),
  };
}

/** How what this schema reads is written. */
export function writtenAs(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, {
    io: 'input',
    override: ({ zodSchema, jsonSchema }) => {
      // Zod takes both for what a transform makes of a text, and leaves them out; ours are texts.
      const { examples, default: preset } = z.globalRegistry.get(zodSchema) ?? {};
      Object.assign(jsonSchema, examples !== undefined && { examples }, preset !== undefined && { default: preset });
    },
  }) as JsonSchema;
}

/** Whether a scalar at this path of a scenario can only be meant as a text. */
export function takesTextOnly(path: Path): boolean {
  const places = path.reduce<readonly JsonSchema[]>(
    (above, key) => above.flatMap((place) => below(place, key)),
    [writtenScenario()],
  );
  const types = places.flatMap(alternatives).map(({ type }) => String(type));
  return types.includes('string') && !types.some((type) => ['integer', 'number', 'boolean'].includes(type));
}

/** What can stand behind a key of a section, or at any place of a list. */
function below(place: JsonSchema, key: string | number): readonly JsonSchema[] {
  return alternatives(place).flatMap(({ properties, patternProperties, additionalProperties, items }) => {
    const patterned = Object.entries(patternProperties ?? {}).find(([pattern]) =>
      new RegExp(pattern).test(String(key)),
    );
    const own = properties?.[key] ?? patterned?.[1] ?? (additionalProperties || undefined) ?? items;
    return typeof own === 'object' ? [own] : [];
  });
}

/** The schemas of which one has to hold. */
export function alternatives(place: JsonSchema): readonly JsonSchema[] {
  const among = place.anyOf ?? place.oneOf;
  return among === undefined ? [place] : among.flatMap(alternatives);
}
