import { z } from 'zod';
import { scenarioSchema } from './scenario-file.ts';

/** The JSON Schema (2020-12) of scenario files, for editors. */
export function scenarioJsonSchema(): object {
  const schema = z.toJSONSchema(scenarioSchema, { io: 'input' });
  return { title: 'Muster scenario', ...(withVariables(schema) as object) };
}

type Schema = Readonly<Record<string, unknown>>;

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
