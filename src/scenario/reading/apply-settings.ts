import { isMap, isScalar, isSeq, type Node, parseDocument, Scalar, visit, YAMLMap, YAMLSeq } from 'yaml';
import { parseDuration } from '../../kernel/units.ts';
import { describeValue, type Path, quoted } from '../../notation/finding.ts';
import { nearestName } from '../../notation/nearest-name.ts';
import { nodeAt, type ScenarioDocument } from './document.ts';
import { insertedValue } from './inserted-value.ts';
import { phasesText } from './legible-file.ts';
import type { Problem } from './problem.ts';
import { type Setting, splitExpression } from './setting.ts';

/** Lays settings over the tree in their order, later ones over earlier ones; returns those that could not be applied. */
export function applySettings(document: ScenarioDocument, settings: readonly Setting[]): readonly Problem[] {
  return settings.flatMap((setting) => {
    const refusal = apply(document, setting);
    return refusal === undefined ? [] : [problemOf(setting, refusal)];
  });
}

/** Why a setting could not be applied. */
type Refusal = {
  readonly path: Path;
  readonly expected: string;
  readonly found: string;
  readonly suggestion?: string | undefined;
};

function apply(document: ScenarioDocument, { source, change }: Setting): Refusal | undefined {
  if (change.kind === 'expression') return applyExpression(document, source, change.text);
  if (change.kind === 'stretch') return stretchLongest(document, source, change.text);
  const { path, text } = change;
  if (change.kind === 'assign') return put(document, path, marked(document, inserted(text, path), source));
  const list = nodeAt(document.tree, path);
  const items = isSeq(list) ? list.items : [];
  const longer = new YAMLSeq();
  longer.items = [...items, marked(document, inserted(text, [...path, items.length]), source)];
  return put(document, path, longer);
}

function applyExpression(document: ScenarioDocument, source: string, text: string): Refusal | undefined {
  const expression = splitExpression(text);
  if (expression === undefined)
    return { path: [], expected: 'path=value such as fleet.agents=50', found: quoted(text) };
  const path = withPhaseNumber(document, expression.path);
  if ('expected' in path) return path;
  const parsed = parseDocument(expression.value, { stringKeys: true });
  if (parsed.errors.length > 0) return { path, expected: 'a YAML value', found: quoted(expression.value) };
  const structure = isMap(parsed.contents) || isSeq(parsed.contents) ? parsed.contents : undefined;
  const quotedText = textInQuotes(parsed.contents);
  const value = structure ?? (quotedText === undefined ? inserted(expression.value, path) : new Scalar(quotedText));
  return put(document, path, marked(document, value, source));
}

// A quoted value says that it is a text.
function textInQuotes(node: unknown): string | undefined {
  return isScalar(node) && node.type !== 'PLAIN' && typeof node.value === 'string' ? node.value : undefined;
}

/** `phases.steady.…` and `phases.2.…` as a path through the list. */
function withPhaseNumber(document: ScenarioDocument, parts: readonly string[]): Path | Refusal {
  const [section, phase, ...rest] = parts;
  if (section !== 'phases' || phase === undefined) return parts;
  const names = phaseNames(document);
  const index = /^\d+$/.test(phase) ? Number(phase) : names.indexOf(phase);
  if (index >= 0 && index < names.length) return [section, index, ...rest];
  const expected = `the name of a phase, or its number counted from 0; ${phasesText(names)}`;
  return { path: parts, expected, found: quoted(phase), suggestion: nearestName(phase, names) };
}

function phaseNames({ tree }: ScenarioDocument): readonly string[] {
  const phases = nodeAt(tree, ['phases']);
  return isSeq(phases) ? phases.items.map((_, index) => String(scalarAt(tree, ['phases', index, 'name']))) : [];
}

/** Replaces the duration of the longest phase that states one, the first of equals. */
function stretchLongest(document: ScenarioDocument, source: string, text: string): Refusal | undefined {
  const durations = phaseNames(document).map((_, index) => {
    const value = scalarAt(document.tree, ['phases', index, 'duration']);
    return typeof value === 'string' ? (parseDuration(value) ?? -1) : -1;
  });
  const longest = Math.max(-1, ...durations);
  if (longest < 0)
    return { path: ['phases'], expected: 'a phase that states its duration', found: 'only derived durations' };
  const path = ['phases', durations.indexOf(longest), 'duration'];
  return put(document, path, marked(document, inserted(text, path), source));
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

function inserted(text: string, path: Path): Scalar {
  return new Scalar(insertedValue(text, path));
}

function marked<Part extends Node>({ sources }: ScenarioDocument, part: Part, source: string): Part {
  visit(part, { Node: (_, node) => void sources.set(node, source) });
  return part;
}

function scalarAt(tree: ScenarioDocument['tree'], path: Path): unknown {
  const node = nodeAt(tree, path);
  return isScalar(node) ? node.value : undefined;
}

function problemOf({ source }: Setting, { path, expected, found, suggestion }: Refusal): Problem {
  return { place: { kind: 'setting', source }, path: path.join('.'), expected, found, suggestion };
}
