import { z } from 'zod';
import type { Path } from '../../notation/finding.ts';
import { scenarioSchema } from './scenario-file.ts';
import { offeringSubjects } from './thresholds-section.ts';

/** The parts of JSON Schema (2020-12) that a schema of ours comes out in. */
export type JsonSchema = {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string;
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

let written: JsonSchema | undefined;

/** Scenario files as they are written, before variables are put in, with an example of every section. */
export function writtenScenario(): JsonSchema {
  written ??= withSubjects(writtenAs(scenarioSchema));
  return written;
}

function withSubjects(scenario: JsonSchema): JsonSchema {
  const { thresholds = {}, ...others } = scenario.properties ?? {};
  return { ...scenario, properties: { ...others, thresholds: { ...thresholds, ...offeringSubjects(thresholds) } } };
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
