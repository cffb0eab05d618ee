import {
  type Document,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
  Scalar,
  visit,
  YAMLMap,
  YAMLSeq,
} from 'yaml';
import { parseDuration } from '../../base/kernel/units.ts';
import { describeValue, type Finding, type Path, quoted } from '../../base/notation/finding.ts';
import { nearestName } from '../../base/notation/nearest-name.ts';
import { takesTextOnly } from '../json-schema.ts';
import { namesText } from '../phase-findings.ts';
import { nodeAt, type Problem, pathText, type ScenarioDocument, uniquePhases } from './document.ts';
import { expandVariables, type Variables } from './variables.ts';

/** An override of a scenario by a flag or an environment variable, applied before validation. */
export type Setting = {
  /** The source for messages: `--agents`, `MUSTER_TARGET`, `--set fleet.seed`. */
  readonly source: string;
  readonly change: SettingChange;
};

export type SettingChange =
  /** Parses the text as a plain YAML scalar: `5` is a number or a string, as the schema expects. */
  | { readonly kind: 'assign'; readonly path: Path; readonly text: string }
  | { readonly kind: 'append'; readonly path: Path; readonly text: string }
  /** Removes a value that another change replaces. */
  | { readonly kind: 'remove'; readonly path: Path }
  /** `path=value` as for `--set`: the value is any YAML; phases are identified by number or name. */
  | { readonly kind: 'expression'; readonly text: string }
  /** A new duration for the longest phase with an explicit duration. */
  | { readonly kind: 'stretch'; readonly text: string };

/** The setting of one `--set` flag. Its source omits the value, which may be a secret. */
export function settingOfExpression(text: string): Setting {
  return { source: `--set ${text.split('=', 1)[0]}`.trimEnd(), change: { kind: 'expression', text } };
}

// Keys of these sections may contain dots.
const NAMED_SECTIONS = ['fleet.profiles.', 'thresholds.'];

/** Splits `path=value`; `undefined` if the text has another form. */
function splitExpression(text: string): { path: readonly string[]; value: string } | undefined {
  const section = NAMED_SECTIONS.find((name) => text.startsWith(name)) ?? '';
  // The `}` of `register{phase:enroll}` ends the path; values may also contain braces.
  const pathEnd = /^[^={]*\{[^={}]*\}/.exec(text)?.[0].length ?? 0;
  const equals = text.indexOf('=', pathEnd);
  const rest = text.slice(section.length, Math.max(section.length, equals)).trim();
  const parts = section === '' ? rest.split('.') : [...section.split('.').slice(0, -1), rest];
  const isComplete = equals > 0 && parts.every((part) => part !== '');
  return isComplete ? { path: parts, value: text.slice(equals + 1).trim() } : undefined;
}

/** Applies settings to the tree in order. Returns a problem for each setting that cannot be applied. */
export function applySettings(document: ScenarioDocument, settings: readonly Setting[]): readonly Problem[] {
  return settings.flatMap((setting) => {
    const refusal = apply(document, setting);
    if (refusal === undefined) return [];
    const place = { kind: 'setting', source: setting.source } as const;
    return [{ suggestion: undefined, ...refusal, place, path: pathText(refusal.path, uniquePhases(document.tree)) }];
  });
}

type Refusal = {
  readonly path: Path;
  readonly expected: string;
  readonly found: string;
  readonly suggestion?: string | undefined;
};

function apply(document: ScenarioDocument, { source, change }: Setting): Refusal | undefined {
  if (change.kind === 'expression') return applyExpression(document, source, change.text);
  if (change.kind === 'stretch') return stretchLongest(document, source, change.text);
  if (change.kind === 'remove') {
    if (nodeAt(document.tree, change.path) !== undefined) document.tree.deleteIn(change.path);
    return undefined;
  }
  const { path, text } = change;
  if (change.kind === 'assign') return put(document, path, withSource(document, scalarOf(text, path), source));
  const list = nodeAt(document.tree, path);
  const items = isSeq(list) ? list.items : [];
  const longer = new YAMLSeq();
  longer.items = [...items, withSource(document, scalarOf(text, [...path, items.length]), source)];
  return put(document, path, longer);
}

function applyExpression(document: ScenarioDocument, source: string, text: string): Refusal | undefined {
  const expression = splitExpression(text);
  if (expression === undefined)
    return { path: [], expected: 'path=value such as fleet.agents=50', found: quoted(text) };
  const path = withPhaseNumber(document, expression.path);
  if ('expected' in path) return path;
  const parsed = parseDocument(expression.value, { stringKeys: true });
  const expected = 'a YAML value without aliases, in quotes if it has spaces';
  if (parsed.errors.length > 0 || hasAlias(parsed)) return { path, expected, found: quoted(expression.value) };
  const { contents } = parsed;
  // A quoted value is always a string.
  const isQuoted = isScalar(contents) && contents.type !== 'PLAIN' && typeof contents.value === 'string';
  const scalar = isQuoted ? new Scalar(contents.value) : scalarOf(expression.value, path);
  return put(document, path, withSource(document, isMap(contents) || isSeq(contents) ? contents : scalar, source));
}

/** An alias alone is text that starts with an asterisk. */
function hasAlias({ contents }: Document): boolean {
  let found = false;
  if (isCollection(contents))
    visit(contents, {
      Alias: () => {
        found = true;
      },
    });
  return found;
}

/** Converts `phases.steady.…` and `phases.2.…` to a path with an index. */
function withPhaseNumber(document: ScenarioDocument, parts: readonly string[]): Path | Refusal {
  const [section, phase, ...rest] = parts;
  if (section !== 'phases' || phase === undefined) return parts;
  const names = namesOfPhases(document);
  const index = /^\d+$/.test(phase) ? Number(phase) : names.indexOf(phase);
  if (index >= 0 && index < names.length) return [section, index, ...rest];
  const expected = `the name of a phase, or its number counted from 0; ${namesText(names)}`;
  return { path: parts, expected, found: quoted(phase), suggestion: nearestName(phase, names) };
}

function namesOfPhases({ tree }: ScenarioDocument): readonly string[] {
  const phases = nodeAt(tree, ['phases']);
  return isSeq(phases) ? phases.items.map((_, index) => String(scalarAt(tree, ['phases', index, 'name']))) : [];
}

/** Replaces the duration of the longest phase with an explicit duration; the first one if several are equal. */
function stretchLongest(document: ScenarioDocument, source: string, text: string): Refusal | undefined {
  const durations = namesOfPhases(document).map((_, index) => {
    const value = scalarAt(document.tree, ['phases', index, 'duration']);
    return typeof value === 'string' ? (parseDuration(value) ?? -1) : -1;
  });
  const longest = Math.max(-1, ...durations);
  if (longest < 0) return { path: ['phases'], expected: 'a phase with a duration', found: 'only derived durations' };
  const path = ['phases', durations.indexOf(longest), 'duration'];
  return put(document, path, withSource(document, scalarOf(text, path), source));
}

/** Puts a value into the tree and creates missing sections above it. */
function put({ tree, sources }: ScenarioDocument, path: Path, value: Node): Refusal | undefined {
  const source = sources.get(value) ?? '';
  if (tree.contents === null || isNothing(tree.contents)) tree.contents = new YAMLMap();
  for (const [depth, key] of path.entries()) {
    const holder = nodeAt(tree, path.slice(0, depth));
    if (!canHold(holder, key)) {
      const expected = `a section or list at ${path.slice(0, depth).join('.') || 'the top'} that can hold ${key}`;
      return { path, expected, found: describeValue(holder?.toJSON()) };
    }
    const isLast = depth === path.length - 1;
    if (!isLast && !isNothing(holder.get(key, true))) continue;
    const child = isLast ? value : new YAMLMap();
    sources.set(child, source);
    holder.set(key, child);
  }
  return undefined;
}

function canHold(holder: Node | undefined, key: string | number): holder is YAMLMap | YAMLSeq {
  return isMap(holder) || (isSeq(holder) && Number.isInteger(Number(key)) && Number(key) <= holder.items.length);
}

function isNothing(node: unknown): boolean {
  return node === undefined || (isScalar(node) && node.value === null);
}

function scalarOf(text: string, path: Path): Scalar {
  return new Scalar(scalarValue(text, path));
}

function withSource<Part extends Node>({ sources }: ScenarioDocument, part: Part, source: string): Part {
  visit(part, { Node: (_, node) => void sources.set(node, source) });
  return part;
}

function scalarAt(tree: ScenarioDocument['tree'], path: Path): unknown {
  const node = nodeAt(tree, path);
  return isScalar(node) ? node.value : undefined;
}

/** A mistake in a variable, with its scalar. */
export type VariableFinding = Finding & { readonly node: Scalar };

/** Expands variables in all values of the tree. */
export function applyVariables(document: ScenarioDocument, environment: Variables): readonly VariableFinding[] {
  const visit = (node: unknown, path: Path): readonly VariableFinding[] => {
    if (isMap(node))
      return node.items.flatMap(({ key, value }) => visit(value, [...path, String(isScalar(key) ? key.value : key)]));
    if (isSeq(node)) return node.items.flatMap((item, index) => visit(item, [...path, index]));
    if (!isScalar(node) || typeof node.value !== 'string' || !node.value.includes('${')) return [];
    const { text, problems } = expandVariables(node.value, environment);
    // Parses an unquoted value again, so that `agents: ${N:-100}` is a number; a quoted one stays text.
    node.value = node.type === 'PLAIN' ? scalarValue(text, path) : text;
    return problems.map((problem) => ({ ...problem, node, path, focus: 'value', candidates: [] }));
  };
  return visit(document.tree.contents, []);
}

/** Drops findings whose value a setting has replaced. */
export function withoutReplaced(document: ScenarioDocument, findings: readonly VariableFinding[]): readonly Finding[] {
  return findings.filter(({ node, path }) => nodeAt(document.tree, path) === node);
}

/** The value of unquoted text: a number or Boolean if YAML reads it as one, never a structure; text where the schema requires a string. */
function scalarValue(text: string, path: Path): unknown {
  const { contents, errors } = parseDocument(text);
  const isPlain = errors.length === 0 && isScalar(contents) && contents.type === 'PLAIN' && contents.source === text;
  // Asked last: making the JSON Schema takes as long as reading the scenario.
  return isPlain && typeof contents.value !== 'string' && !takesTextOnly(path) ? contents.value : text;
}
