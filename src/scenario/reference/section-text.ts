import type { JsonSchema } from '../schema/written-schema.ts';
import { code, defaultOf, meaningOf, valueText } from './cells.ts';
import { kindsText } from './kinds-text.ts';
import { tableOf } from './markdown.ts';
import { headingOf, type Section } from './sections.ts';
import { inLines } from './yaml-text.ts';

/** A section under its heading: what it is, what it looks like, and its keys. */
export function sectionText(section: Section, sections: readonly Section[]): string {
  const { paths, about, content } = section;
  const [path = ''] = paths;
  const heading = `${'#'.repeat(path.includes('.') ? 3 : 2)} ${headingOf(section)}`;
  // What stands at several places is told at each of them.
  const what = paths.length === 1 ? [meaningOf(about)] : [];
  const keys = content.oneOf === undefined ? keysText(section, sections) : kindsText(content.oneOf, sections);
  return [heading, ...what, ...exampleText(path, about), keys].join('\n\n');
}

/** The table of the keys of a section at a path, which is empty for the whole file. */
export function keysText({ paths: [path = ''], about, content }: Section, sections: readonly Section[]): string {
  const { properties = {}, patternProperties = {}, additionalProperties: any, propertyNames, required = [] } = content;
  const above = path === '' ? '' : `${about.items === undefined ? path : `${path}[]`}.`;
  const named = Object.entries(properties).map(([key, schema]) => {
    const value = valueText(schema, above + key, sections);
    return [code(key), value, defaultOf(schema, required.includes(key)), meaningOf(schema)];
  });
  const others = [
    ...Object.values(patternProperties).map((schema) => [code(schema.title), schema] as const),
    ...(typeof any === 'object' ? [[(propertyNames?.enum ?? []).map(code).join(', '), any] as const] : []),
  ].map(([key, schema]) => [key, valueText(withoutTitle(schema), path, sections), '', meaningOf(schema)]);
  return tableOf(['Key', 'Value', 'Default', 'Meaning'], [...named, ...others]);
}

function withoutTitle({ title: _, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

function exampleText(path: string, { examples = [] }: JsonSchema): readonly string[] {
  const [example, ...more] = examples;
  if (example === undefined) return [];
  const lines =
    more.length === 0
      ? inLines(at(path, example), path.split('.').length)
      : examples.map((one) => oneLine(path, one)).join('');
  return [`\`\`\`yaml\n${lines}\`\`\``];
}

/** Alternatives stand below each other. */
function oneLine(path: string, example: unknown): string {
  return inLines({ [path.split('.').at(-1) ?? '']: example });
}

/** The example in the sections around it. */
function at(path: string, example: unknown): unknown {
  return path.split('.').reduceRight((inner, key) => ({ [key]: inner }), example);
}
