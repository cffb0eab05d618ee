import { z } from 'zod';
import type { Path } from '../../notation/finding.ts';
import { scenarioSchema } from './scenario-file.ts';

/** The JSON Schema (2020-12) of scenario files, for editors. */
export function scenarioJsonSchema(): object {
  return { title: 'Muster scenario', ...(withVariables(writtenSchema()) as object) };
}

/** Whether a scalar at this path of a scenario can only be meant as a text. */
export function takesTextOnly(path: Path): boolean {
  const places = path.reduce<readonly Schema[]>(
    (above, key) => above.flatMap((place) => below(place, key)),
    [writtenSchema()],
  );
  const types = places.flatMap(alternatives).map(({ type }) => String(type));
  return types.includes('string') && !types.some((type) => ['integer', 'number', 'boolean'].includes(type));
}

let written: Schema | undefined;

function writtenSchema(): Schema {
  written ??= z.toJSONSchema(scenarioSchema, { io: 'input' }) as Schema;
  return written;
}

/** What can stand behind a key of a section, or at any place of a list. */
function below(place: Schema, key: string | number): readonly Schema[] {
  return alternatives(place).flatMap(({ properties, additionalProperties, items }) => {
    const own = properties?.[key] ?? additionalProperties ?? items;
    return typeof own === 'object' ? [own] : [];
  });
}

function alternatives(place: Schema): readonly Schema[] {
  const among = place.anyOf ?? place.oneOf;
  return among === undefined ? [place] : among.flatMap(alternatives);
}

type Schema = Readonly<Record<string, unknown>> & {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
};

/** A value that is put together from the environment when the file is read. */
const VARIABLE = { type: 'string', pattern: '\\$\\{' };

/** Lets `${NAME}` stand for every value that is not any text anyway. */
function withVariables(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withVariables);
  if (typeof node !== 'object' || node === null) return node;
  const schema = node as Schema;
  if (!isLimitedScalar(schema)) return mapChildren(schema);
  const { description, default: preset, ...limits } = schema;
  const documentation = {
    ...(description !== undefined && { description }),
    ...(preset !== undefined && { default: preset }),
  };
  return { ...documentation, anyOf: [limits, VARIABLE] };
}

function mapChildren(schema: Schema): Schema {
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === 'propertyNames' || key === 'default' ? value : withVariables(value),
    ]),
  );
}

function isLimitedScalar({ type, pattern, enum: choices, const: only }: Schema): boolean {
  if (type === 'integer' || type === 'number' || type === 'boolean') return true;
  return type === 'string' && [pattern, choices, only].some((limit) => limit !== undefined);
}
