/**
 * Writes docs/reference/scenario.md, with every key of a scenario file, from the schema. Run by hand after a change to the schema:
 *
 *     npm run reference
 */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Document, isCollection, isMap, isSeq, stringify } from 'yaml';
import { instant } from '../src/base/notation/instant.ts';
import { anyShare, positiveDuration, rateModel } from '../src/base/notation/quantities.ts';
import { conditionSchema } from '../src/scenario/conditions.ts';
import { cohort, offset } from '../src/scenario/events.ts';
import { inputSchemaOf, type JsonSchema, scenarioInputSchema } from '../src/scenario/json-schema.ts';
import { condition } from '../src/scenario/thresholds.ts';
import { listen } from '../src/scenario/web-server.ts';
import { delay } from '../src/server/faults/delay.ts';

/** Returns one page of Markdown with all keys of a scenario file, ending with a line break. Source: the schema of the files. */
export function scenarioReference(): string {
  const scenario = scenarioInputSchema();
  const sections = sectionsOf(scenario);
  const top = keysText({ paths: [''], about: scenario, content: scenario }, sections);
  return [
    INTRODUCTION,
    contentsOf(sections),
    `## A scenario\n\n\`\`\`yaml\n${inLines(sampleScenario())}\`\`\`\n\n${top}`,
    ...sections.map((section) => sectionText(section, sections)),
    `## ${NOTATIONS_HEADING}\n\n${notationsText()}\n`,
  ].join('\n\n');
}

const INTRODUCTION = `# Scenario reference

<!-- Made from the schema. To change it, edit the schema and run npm run reference -->

A scenario is a YAML file with a target, a fleet, phases with loads, and thresholds. This page lists every key; \`muster validate\` reports any
other. Examples follow a colon.

- A value can come from the environment: \`\${NAME}\` or \`\${NAME:-default}\`. Put it in quotes between \`{ }\` or \`[ ]\`.
- \`--set phases.steady.duration=3s\` replaces a value without editing the file. \`muster plan --effective\` shows all values.
- See also [Run a fleet that listens](../how-to/listening-fleet.md), [Events](events.md) and [Wire protocol](wire.md).`;

function contentsOf(sections: readonly Section[]): string {
  const top = sections.map(headingOf).filter((heading) => !/[.[]/.test(heading));
  return ['A scenario', ...top, NOTATIONS_HEADING].map((heading) => linkTo(heading, heading)).join(' · ');
}

/** A complete scenario, built from the examples of the usual keys. */
function sampleScenario(): object {
  const { properties = {} } = scenarioInputSchema();
  const example = (key: string) => ({ [key]: properties[key]?.examples?.[0] });
  return {
    ...example('description'),
    fleet: { agents: 1000, payload: 'typical' },
    ...example('phases'),
    ...example('thresholds'),
  };
}

/** A section of a scenario file, the entries of a list of sections, or identical sections at several paths. */
type Section = {
  /** Such as `target.tls` or `phases[].checkdata`. */
  readonly paths: readonly string[];
  /** Description and examples of the section, or of the list if it is one. */
  readonly about: JsonSchema;
  /** Schema of its contents. */
  readonly content: JsonSchema;
};

/** The sections of a scenario file, in the order of the file. Sections with the same title are merged. */
function sectionsOf(scenario: JsonSchema): readonly Section[] {
  const found = sectionsIn('', scenario);
  const alike = (section: Section) => found.filter((other) => other === section || isAlike(other, section));
  return found
    .filter((section) => alike(section)[0] === section)
    .map((section) => ({ ...section, paths: [...new Set(alike(section).flatMap(({ paths }) => paths))] }));
}

function isAlike(a: Section, b: Section): boolean {
  return a.content.title !== undefined && a.content.title === b.content.title;
}

function headingOf({ paths }: Section): string {
  return paths.join(', ');
}

/** Whether a schema is a section, as opposed to a single value, a list of values, or a value with its own notation. */
function isSection({ properties, additionalProperties, oneOf }: JsonSchema): boolean {
  return properties !== undefined || typeof additionalProperties === 'object' || oneOf !== undefined;
}

function sectionsIn(path: string, about: JsonSchema): readonly Section[] {
  const content = about.items ?? about;
  const own: readonly Section[] = isSection(content) && path !== '' ? [{ paths: [path], about, content }] : [];
  return [...own, ...sectionsBelow(content, about.items === undefined ? path : `${path}[]`)];
}

function sectionsBelow(content: JsonSchema, path: string): readonly Section[] {
  if (content.anyOf !== undefined)
    return content.title === undefined ? content.anyOf.flatMap((one) => sectionsIn(path, one)) : [];
  if (content.oneOf !== undefined) return content.oneOf.flatMap((one) => sectionsBelow(one, path));
  return Object.entries(content.properties ?? {}).flatMap(([key, child]) =>
    sectionsIn(path === '' ? key : `${path}.${key}`, child),
  );
}

/** A section under its heading: an example, and its keys. The table above it says what it means. */
function sectionText(section: Section, sections: readonly Section[]): string {
  const {
    paths: [path = ''],
    about,
    content,
  } = section;
  const heading = `${'#'.repeat(path.includes('.') ? 3 : 2)} ${headingOf(section)}`;
  const keys = content.oneOf === undefined ? keysText(section, sections) : kindsText(section, sections);
  return [heading, ...(isShownAbove(path, about) ? [] : exampleText(path, about)), keys].join('\n\n');
}

/** Whether the scenario at the top, or the example of a section around this one, already has its example. */
function isShownAbove(path: string, { examples = [] }: JsonSchema): boolean {
  const [example, ...more] = examples;
  const keys = path.split('.');
  const above = keys.map((_, depth) => keys.slice(0, depth));
  return more.length === 0 && above.some((around) => isDeepStrictEqual(shownAt(around, keys), example));
}

/** The value at these keys in the first example of the section around it. */
function shownAt(around: readonly string[], keys: readonly string[]): unknown {
  const inside = (value: unknown, key: string) => (value as Record<string, unknown> | undefined)?.[key];
  const schema = around.reduce<JsonSchema | undefined>((part, key) => part?.properties?.[key], scenarioInputSchema());
  const shown = around.length === 0 ? sampleScenario() : schema?.examples?.[0];
  return keys.slice(around.length).reduce(inside, shown);
}

/** The table of a section's keys. The path is empty for the whole file. */
function keysText({ paths: [path = ''], about, content }: Section, sections: readonly Section[]): string {
  const { properties = {}, patternProperties = {}, additionalProperties: any, propertyNames, required = [] } = content;
  const above = path === '' ? '' : `${about.items === undefined ? path : `${path}[]`}.`;
  const named = Object.entries(properties).map(([key, schema]) => {
    const value = valueText(schema, above + key, sections);
    return [code(key), value, defaultOf(schema, required.includes(key)), meaningOf(schema)];
  });
  const others = [
    ...Object.values(patternProperties).map((schema) => [code(schema.title), schema] as const),
    ...(typeof any === 'object' ? [[keyNames(propertyNames), any] as const] : []),
  ].map(([key, schema]) => [key, valueText(withoutTitle(schema), path, sections), '', meaningOf(schema)]);
  return tableOf(['Key', 'Value', 'Default', 'Meaning'], [...named, ...others]);
}

/** Possible names of keys, including those with a fixed prefix. */
function keyNames({ enum: names = [], pattern, anyOf = [], examples }: JsonSchema = {}): string {
  if (examples !== undefined) return `a name such as ${examples.map(code).join(', ')}`;
  const beginning = pattern === undefined ? [] : [`\`${pattern.replace(/^\^|\.$/g, '')}\` and a folder`];
  return [...names.map(code), ...beginning, ...anyOf.map(keyNames)].join(', ');
}

function withoutTitle({ title: _, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

function exampleText(path: string, { examples = [] }: JsonSchema): readonly string[] {
  const [example, ...more] = examples;
  if (example === undefined) return [];
  const lines =
    more.length === 0
      ? inLines(inItsSections(path, example), path.split('.').length)
      : examples.map((one) => oneLine(path, one)).join('');
  return [`\`\`\`yaml\n${lines}\`\`\``];
}

/** Alternative examples are one below the other. */
function oneLine(path: string, example: unknown): string {
  return inLines({ [path.split('.').at(-1) ?? '']: example });
}

/** Nests an example in its enclosing sections. */
function inItsSections(path: string, example: unknown): unknown {
  return path.split('.').reduceRight((inner, key) => ({ [key]: inner }), example);
}

type Kind = { readonly name: string; readonly what: string; readonly keys: readonly Key[] };
type Key = { readonly key: string; readonly schema: JsonSchema; readonly isRequired: boolean };

/** The kinds of faults or events by their `do`, and the keys of each kind. */
function kindsText({ paths: [path = ''], content }: Section, sections: readonly Section[]): string {
  const kinds = (content.oneOf ?? []).map(eventOrFault);
  const first = kinds.map(({ name, what, keys }) => {
    const needed = keys.filter(({ isRequired }) => isRequired).map(({ key }) => code(key));
    return [code(name), needed.join(', '), what];
  });
  const second = distinctKeys(kinds).map(({ key, schema, isRequired }) => [
    ...[code(key), holders(key, schema, kinds), valueText(schema, `${path}[].${key}`, sections)],
    ...[defaultOf(schema, isRequired), meaningOf(schema)],
  ]);
  return [
    tableOf(['`do`', 'Needs', 'What happens'], first),
    tableOf(['Key', 'Of', 'Value', 'Default', 'Meaning'], second),
  ].join('\n\n');
}

function eventOrFault({ properties: { do: kind = {}, ...others } = {}, required = [] }: JsonSchema): Kind {
  const keys = Object.entries(others).map(([key, schema]) => ({ key, schema, isRequired: required.includes(key) }));
  return { name: kind.const ?? '', what: meaningOf(kind), keys };
}

/** Keys with the same name and different meanings are listed separately. Keys that most kinds have come first. */
function distinctKeys(kinds: readonly Kind[]): readonly Key[] {
  const all = kinds.flatMap(({ keys }) => keys);
  const distinct = all.filter((key, index) => all.findIndex((other) => isSame(other, key)) === index);
  const count = (key: Key) => all.filter((other) => isSame(other, key)).length;
  return distinct.sort((a, b) => count(b) - count(a));
}

function isSame(a: Pick<Key, 'key' | 'schema'>, b: Pick<Key, 'key' | 'schema'>): boolean {
  return a.key === b.key && JSON.stringify(a.schema) === JSON.stringify(b.schema);
}

/** The kinds that have a key: all, a few, or all but a few. */
function holders(key: string, schema: JsonSchema, kinds: readonly Kind[]): string {
  const has = ({ keys }: Kind) => keys.some((other) => isSame(other, { key, schema }));
  const names = (some: readonly Kind[]) => some.map(({ name }) => code(name)).join(', ');
  const others = kinds.filter((kind) => !has(kind));
  if (others.length === 0) return 'all';
  return others.length * 2 < kinds.length ? `all but ${names(others)}` : names(kinds.filter(has));
}

const NOTATIONS: readonly JsonSchema[] = [
  ...[positiveDuration, rateModel, anyShare, instant, delay, cohort, offset, listen, condition].map(inputSchemaOf),
  ...(['delivery', 'listeners'] as const).map(conditionSchema),
];

/** Describes the notations of values that are neither numbers nor plain text. */
function notationsText(): string {
  return tableOf(['Notation', 'Written', 'Meaning'], NOTATIONS.flatMap(rowsOf));
}

/** One row for the notation, and one for each of its forms if it has several. */
function rowsOf({ title = '', description = '', examples = [], anyOf = [] }: JsonSchema): readonly string[][] {
  const forms = anyOf.filter((form) => form.description !== undefined);
  if (forms.length === 0) return [[title, examples.map(code).join(', '), description]];
  const own = forms.map((form) => ['', (form.examples ?? []).map(code).join(', '), form.description ?? '']);
  return [[title, '', description], ...own];
}

/** The section that explains the notations. */
const NOTATIONS_HEADING = 'Values';

const MAX_EXAMPLE_CHARACTERS = 40;
const LEFT_OUT = / ?Left out: (.+)\.$/;

/** Meaning of a key, without its default. */
function meaningOf({ description = '' }: JsonSchema): string {
  return description.replace(LEFT_OUT, '');
}

/** Default of a key. */
function defaultOf({ default: preset, description = '' }: JsonSchema, isRequired: boolean): string {
  if (isRequired) return '**required**';
  const said = LEFT_OUT.exec(description)?.[1];
  if (said !== undefined) return said === 'no condition' ? '' : said;
  return preset === undefined || inLine(preset) === '{}' ? '' : code(preset);
}

/** Possible values of the key at this path, with examples if its type says too little. */
function valueText(schema: JsonSchema, path: string, sections: readonly Section[]): string {
  const value = kindOf(schema, path, sections);
  const examples = isSpoken(schema) ? [] : (schema.examples ?? []);
  const shown = examples
    .map(code)
    .filter((example) => example.length <= MAX_EXAMPLE_CHARACTERS && !value.includes(example));
  return shown.length === 0 ? value : `${value}: ${shown.join(', ')}`;
}

/** Whether the value needs no example: it is a choice or a number, or a notation or section that has its own. */
function isSpoken({ enum: choices, type, items, title, ...schema }: JsonSchema): boolean {
  if (choices !== undefined || type === 'boolean' || isSection(schema)) return true;
  if (title !== undefined || type === 'integer') return true;
  return items !== undefined && (isSection(items) || items.title !== undefined);
}

function code(value: unknown): string {
  return `\`${inLine(value)}\``;
}

function kindOf(schema: JsonSchema, path: string, sections: readonly Section[]): string {
  const { title, type, items, anyOf, enum: choices, const: only } = schema;
  if (items !== undefined) return listOf(items, path, sections);
  if (isSection(schema)) return linkTo(sectionAt(path, sections), 'section');
  if (title !== undefined) return linkTo(NOTATIONS_HEADING, title);
  if (anyOf !== undefined) return anyOf.map((one) => kindOf(one, path, sections)).join(', or ');
  if (choices !== undefined) return choicesText(choices);
  if (only !== undefined) return code(only);
  if (type === 'boolean') return '`true` or `false`';
  return type === 'string' ? 'text' : `${type === 'integer' ? 'integer' : 'number'}${limitsOf(schema)}`;
}

/** Choices; only the first of many, which `muster validate` and editors list. */
function choicesText(choices: readonly unknown[]): string {
  const some = choices.length > MAX_CHOICES ? choices.slice(0, 3) : choices;
  return some === choices ? eitherOf(choices.map(code)) : `one of ${choices.length}: ${some.map(code).join(', ')}, …`;
}

const MAX_CHOICES = 15;

function listOf(items: JsonSchema, path: string, sections: readonly Section[]): string {
  if (isSection(items)) return `list of ${linkTo(sectionAt(path, sections), 'sections')}`;
  if (items.title !== undefined) return linkTo(NOTATIONS_HEADING, `${items.title}s`);
  if (items.type === 'integer') return 'list of integers';
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

// Only a few cells are wider. They must not widen their column.
const WIDEST = 60;

/** A table of Markdown cells, padded to the width of their columns, except in the last column. */
function tableOf(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [headings, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = headings.map((_, column) =>
    column === headings.length - 1 ? 3 : Math.min(WIDEST, Math.max(3, ...cells.map((row) => row[column]?.length ?? 0))),
  );
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = '', ...body] = cells.map(line);
  return [head, line(widths.map((width) => '-'.repeat(width))), ...body].join('\n');
}

/** The anchor that GitHub generates for a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

function linkTo(heading: string, text: string): string {
  return `[${text}](#${anchorOf(heading)})`;
}

/** `a`, `b` or `c`. */
function eitherOf(texts: readonly string[]): string {
  return [texts.slice(0, -1).join(', '), texts.at(-1)].filter((text) => text !== '').join(' or ');
}

// Longer parts are split into lines. Entries of a list are on separate lines anyway.
const MAX_SECTION_COLUMNS = 80;
const MAX_ENTRY_COLUMNS = 110;

/** A value written within a line. */
function inLine(value: unknown): string {
  const isScalar = typeof value !== 'object';
  return tight(stringify(value, { lineWidth: 0, ...(!isScalar && { collectionStyle: 'flow' }) }).trim());
}

/** Part of a scenario as written in a file. Short parts are written within a line, except for the `around` enclosing levels. */
function inLines(value: unknown, around = 1): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  spread(document.contents, around);
  return tight(document.toString({ lineWidth: 0 }));
}

/** Puts the parts of a section or list on separate lines, and splits those that are too long for one line. */
function spread(node: unknown, levels: number): void {
  const parts = partsOf(node).filter(isCollection);
  const longest = isSeq(node) ? MAX_ENTRY_COLUMNS : MAX_SECTION_COLUMNS;
  const isFlow = levels <= 1 && parts.every((part) => inLine(part).length <= longest);
  for (const part of parts) {
    part.flow = isFlow;
    if (!isFlow) spread(part, levels - 1);
  }
}

function partsOf(node: unknown): readonly unknown[] {
  if (isSeq(node)) return node.items;
  return isMap(node) ? node.items.map(({ value }) => value) : [];
}

function tight(text: string): string {
  return text.replaceAll(/\[ (.*?) \]/g, '[$1]');
}

if (import.meta.main) writeFileSync(resolve(import.meta.dirname, '../docs/reference/scenario.md'), scenarioReference());
