import type { JsonSchema } from '../schema/written-schema.ts';
import { eitherOf, linkTo } from './markdown.ts';
import { headingOf, isSection, type Section } from './sections.ts';
import { inLine } from './yaml-text.ts';

/** Where the notations are explained. */
export const NOTATIONS_HEADING = 'Values';

const LONGEST_EXAMPLE = 40;
const LEFT_OUT = / ?Left out: (.+)\.$/;

/** What a key is, without what it is if it is left out. */
export function meaningOf({ description = '' }: JsonSchema): string {
  return description.replace(LEFT_OUT, '');
}

/** What holds if a key is left out. */
export function defaultOf({ default: preset, description = '' }: JsonSchema, isRequired: boolean): string {
  if (isRequired) return '**required**';
  const said = LEFT_OUT.exec(description)?.[1];
  if (said !== undefined) return said;
  return preset === undefined || inLine(preset) === '{}' ? '' : code(preset);
}

/** What may stand behind the key at this path, with examples where it says too little. */
export function valueText(schema: JsonSchema, path: string, sections: readonly Section[]): string {
  const value = kindOf(schema, path, sections);
  const examples = isSpoken(schema) ? [] : (schema.examples ?? []);
  const shown = examples.map(code).filter((example) => example.length <= LONGEST_EXAMPLE && !value.includes(example));
  return shown.length === 0 ? value : `${value}, such as ${eitherOf(shown)}`;
}

/** Whether it is a choice, or shown in the example of a section. */
function isSpoken({ enum: choices, type, items, ...schema }: JsonSchema): boolean {
  if (choices !== undefined || type === 'boolean' || isSection(schema)) return true;
  return items !== undefined && (isSection(items) || items.title !== undefined);
}

export function code(value: unknown): string {
  return `\`${inLine(value)}\``;
}

function kindOf(schema: JsonSchema, path: string, sections: readonly Section[]): string {
  const { title, type, items, anyOf, enum: choices, const: only } = schema;
  if (items !== undefined) return listOf(items, path, sections);
  if (isSection(schema)) return linkTo(sectionAt(path, sections), 'section');
  if (title !== undefined) return linkTo(NOTATIONS_HEADING, title);
  if (anyOf !== undefined) return anyOf.map((one) => kindOf(one, path, sections)).join(', or ');
  if (choices !== undefined) return eitherOf(choices.map(code));
  if (only !== undefined) return code(only);
  if (type === 'boolean') return '`true` or `false`';
  return type === 'string' ? 'text' : `${type === 'integer' ? 'whole number' : 'number'}${limitsOf(schema)}`;
}

function listOf(items: JsonSchema, path: string, sections: readonly Section[]): string {
  if (isSection(items)) return `list of ${linkTo(sectionAt(path, sections), 'sections')}`;
  if (items.title !== undefined) return `list of ${linkTo(NOTATIONS_HEADING, `${items.title}s`)}`;
  return items.enum === undefined ? 'list of texts' : `list of ${items.enum.map(code).join(', ')}`;
}

function limitsOf({ minimum, maximum = Number.MAX_SAFE_INTEGER }: JsonSchema): string {
  const end = maximum === Number.MAX_SAFE_INTEGER ? '' : ` to ${maximum.toLocaleString('en')}`;
  return minimum === undefined ? '' : ` from ${minimum.toLocaleString('en')}${end}`;
}

function sectionAt(path: string, sections: readonly Section[]): string {
  const section = sections.find(({ paths }) => paths.includes(path));
  if (section === undefined) throw new Error(`nothing is said of the section ${path}`);
  return headingOf(section);
}
