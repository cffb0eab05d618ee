import { readFileSync } from 'node:fs';
import { joinedScript, PAGE_STYLE, readPlotLibrary } from '../../report/page/files.ts';
import { MACHINE_HEADINGS } from '../../report/page/machines.ts';
import { eventEntrySchema, type JsonSchema } from '../../scenario/json-schema.ts';
import type { EventField, EventKind } from './page-data.ts';

export type PageFile = { readonly type: string; readonly body: string };

/** The page and its files, by path. They contain no secrets, because the page requests all data with a token. */
export function dashboardFiles(): ReadonlyMap<string, PageFile> {
  const { script, style } = readPlotLibrary();
  const modules = joinedScript(new URL('browser/main', import.meta.url));
  return new Map([
    ['/', { type: 'text/html; charset=utf-8', body: dashboardPage() }],
    ['/dashboard.css', { type: 'text/css; charset=utf-8', body: `${style}${PAGE_STYLE}${read('dashboard.css')}` }],
    // In its own scope, like a module.
    ['/dashboard.js', { type: 'text/javascript; charset=utf-8', body: `'use strict';\n{\n${modules}\n}\n` }],
    ['/uplot.js', { type: 'text/javascript; charset=utf-8', body: script }],
  ]);
}

/** The page without data of a fleet, which the script adds. */
function dashboardPage(): string {
  const headings = MACHINE_HEADINGS.map((text) => `<th scope="col">${text}</th>`).join('');
  const eventKinds: readonly EventKind[] = (eventEntrySchema().oneOf ?? []).map(kindOf);
  // Escaped so that it cannot end the script element.
  const kinds = JSON.stringify(eventKinds).replaceAll('<', '\\u003c');
  const values: Readonly<Record<string, string>> = { 'machine headings': headings, kinds };
  return read('dashboard.html').replaceAll(/\{\{(.+?)\}\}/g, (_, hole) => values[hole] ?? '');
}

function read(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}

/** Keys that have separate fields on the page, or are only available in scenario files. */
const COMMON_KEYS = ['do', 'name', 'at', 'for', 'over', 'cohort', 'sticky', 'repeat'];

function kindOf({ properties = {}, required = [] }: JsonSchema): EventKind {
  const fields = Object.entries(properties).filter(([name]) => !COMMON_KEYS.includes(name));
  return {
    name: properties.do?.const ?? '',
    means: properties.do?.description ?? '',
    lasts: properties.for !== undefined,
    fields: fields.map(([name, schema]) => fieldOf(name, schema, required.includes(name))),
  };
}

function fieldOf(
  name: string,
  { description = '', enum: choices, type, anyOf = [], examples }: JsonSchema,
  isRequired: boolean,
): EventField {
  return {
    name,
    isRequired,
    means: description,
    choices: (choices ?? []).map(String),
    isNumber: [type, ...anyOf.map((one) => one.type)].some((one) => one === 'integer' || one === 'number'),
    example: examples?.[0] === undefined ? '' : String(examples[0]),
  };
}
