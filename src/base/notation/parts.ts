import { z } from 'zod';
import { oncePerObject } from '../kernel/memoize.ts';
import type { Finding } from './finding.ts';
import { schemaFindings } from './schema-findings.ts';

/** Without findings, `value` is the schema's full output; with findings, it contains the readable parts. */
export type PartRead = { readonly value: unknown; readonly findings: readonly Finding[] };

/** The readable parts of a list of sections; faulty and missing keys and entries are absent. */
export type PartialList<Entry> = readonly (Partial<Entry> | undefined)[];

/** Parses a value part by part, each part once. It omits only the faulty parts of sections and lists. */
export function readPart(schema: z.core.$ZodType, raw: unknown): PartRead {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodExactOptional)
    return raw === undefined ? { value: undefined, findings: [] } : readPart(schema.unwrap(), raw);
  if (schema instanceof z.ZodDefault)
    return raw === undefined ? { value: schema.def.defaultValue, findings: [] } : readPart(schema.unwrap(), raw);
  if (schema instanceof z.ZodPrefault)
    return readPart(schema.unwrap(), raw === undefined ? schema.def.defaultValue : raw);
  if (schema instanceof z.ZodObject) return readSection(schema, raw);
  if (schema instanceof z.ZodArray) return readList(schema, raw);
  const option = schema instanceof z.ZodDiscriminatedUnion ? chosen(schema, raw) : undefined;
  return option === undefined ? readWhole(schema, raw) : readPart(option, raw);
}

function readWhole(schema: z.core.$ZodType, raw: unknown): PartRead {
  const { data, error } = z.safeParse(schema, raw);
  return { value: data, findings: error === undefined ? [] : schemaFindings(error.issues, raw) };
}

const UNREAD = z.unknown().optional();

function othersOf({ def: { catchall } }: z.ZodObject): z.core.$ZodType | undefined {
  return catchall === undefined || catchall instanceof z.ZodNever ? undefined : catchall;
}

/** The rules of a section about its keys, and those of a list about its length. Zod compiles each new schema, so they are kept. */
const sectionFrame = oncePerObject((schema: z.ZodObject) =>
  schema.clone({
    ...schema.def,
    shape: Object.fromEntries(Object.keys(schema.def.shape).map((key) => [key, UNREAD])),
    ...(othersOf(schema) !== undefined && { catchall: UNREAD }),
  }),
);
const listFrame = oncePerObject((schema: z.ZodArray) => schema.clone({ ...schema.def, element: z.unknown() }));

function readSection(schema: z.ZodObject, raw: unknown): PartRead {
  const { shape } = schema.def;
  const others = othersOf(schema);
  const { findings } = readWhole(sectionFrame(schema), raw);
  if (!isSection(raw)) return { value: undefined, findings };
  const further = others === undefined ? [] : Object.keys(raw).filter((key) => !Object.hasOwn(shape, key));
  const known = Object.entries(shape).map(([key, part]) => [key, readPart(part, raw[key])] as const);
  // Not looked up in the shape: a key may be named like a property of every object.
  const parts = [...known, ...further.map((key) => [key, readPart(others ?? UNREAD, raw[key])] as const)];
  return {
    value: Object.fromEntries(parts.flatMap(([key, { value }]) => (value === undefined ? [] : [[key, value]]))),
    findings: [...findings, ...parts.flatMap(below)],
  };
}

function readList(schema: z.ZodArray, raw: unknown): PartRead {
  const { findings } = readWhole(listFrame(schema), raw);
  if (!Array.isArray(raw)) return { value: undefined, findings };
  const parts = raw.map((item, index) => [index, readPart(schema.element, item)] as const);
  return { value: parts.map(([, { value }]) => value), findings: [...findings, ...parts.flatMap(below)] };
}

/**
 * The inverse of `readPart`: encodes what codecs read, and keeps everything else, its order, and missing keys. Texts and instances of
 * classes in the place of a value are already encoded. It checks nothing: a run derives values that no file may have, such as a negative time.
 */
export function writePart(schema: z.core.$ZodType, value: unknown): unknown {
  if (typeof value !== 'number' && !Array.isArray(value) && !isPlain(value)) return value;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodExactOptional) return writePart(schema.unwrap(), value);
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) return writePart(schema.unwrap(), value);
  if (schema instanceof z.ZodArray && Array.isArray(value)) return value.map((item) => writePart(schema.element, item));
  const option = schema instanceof z.ZodDiscriminatedUnion ? chosen(schema, value) : schema;
  if (option instanceof z.ZodObject && isPlain(value)) return writeSection(option, value);
  if (schema instanceof z.ZodCodec)
    return writePart(schema.def.in, schema.def.reverseTransform(value, { value, issues: [] }));
  if (schema instanceof z.ZodPipe) return writePart(schema.def.in, value);
  return schema instanceof z.ZodUnion ? z.encode(schema, value) : value;
}

function writeSection(schema: z.ZodObject, value: Readonly<Record<string, unknown>>): unknown {
  const { shape } = schema.def;
  const partOf = (key: string) => (Object.hasOwn(shape, key) ? shape[key] : othersOf(schema)) ?? UNREAD;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, writePart(partOf(key), part)]));
}

function below([key, { findings }]: readonly [string | number, PartRead]): readonly Finding[] {
  return findings.map((finding) => ({ ...finding, path: [key, ...finding.path] }));
}

/** The alternative that the value selects; `undefined` if it selects none. */
function chosen({ options, def }: z.ZodDiscriminatedUnion, raw: unknown): z.ZodObject | undefined {
  if (!isSection(raw)) return undefined;
  const selector = raw[def.discriminator];
  const sections = options.filter((option) => option instanceof z.ZodObject);
  return sections.find(({ shape }) => {
    const literal = shape[def.discriminator];
    return literal instanceof z.ZodLiteral && literal.values.has(selector as string);
  });
}

function isSection(raw: unknown): raw is Readonly<Record<string, unknown>> {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw);
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return isSection(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value));
}
