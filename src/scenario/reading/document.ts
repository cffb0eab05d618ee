import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  visit,
  type YAMLError,
  type YAMLMap,
  YAMLParseError,
} from 'yaml';
import { messageOf } from '../../base/kernel/errors.ts';
import { oncePerObject } from '../../base/kernel/memoize.ts';
import { printable } from '../../base/kernel/printable.ts';
import {
  complaintText,
  type Finding,
  KEY_FORM,
  type Path,
  slipIn,
  suggestionFor,
  valueFinding,
} from '../../base/notation/finding.ts';
import { NAME_PATTERN } from '../../base/notation/section.ts';

/** The source of a value: the scenario's text, or a flag or environment variable that overrides it. */
export type SourceLocation =
  /** Both count from 1. */
  | { readonly kind: 'text'; readonly line: number; readonly column: number }
  | { readonly kind: 'setting'; readonly source: string };

export type Problem = {
  readonly place: SourceLocation;
  /** Dotted path as in `--set`, such as `phases.steady.checkdata.every`; empty for the whole file. */
  readonly path: string;
  readonly expected: string;
  readonly found: string;
  readonly suggestion: string | undefined;
};

/** A scenario's YAML tree and the sources of its parts. Settings and variables change the tree in place. */
export type ScenarioDocument = {
  readonly tree: Document;
  readonly lines: LineCounter;
  /** Nodes from settings, with the source of the setting. */
  readonly sources: Map<Node, string>;
};

const YAML = 'valid YAML';

/** Parses the text. If there are problems, the tree may be incomplete. */
export function openDocument(text: string): { document: ScenarioDocument; problems: readonly Problem[] } {
  const lines = new LineCounter();
  const tree = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true, uniqueKeys: false });
  const document = { tree, lines, sources: new Map() };
  const problems = [
    ...ownErrors(errorsIn(tree)).map((error) => textProblem(lines, error.pos[0], mistakeOf(error, text))),
    ...mergeKeys(document),
    ...strayAliases(document),
  ];
  return { document, problems: firstOfLines(problems) };
}

/** One mistake often causes several errors in a line; the first one is the most precise. */
function firstOfLines(problems: readonly Problem[]): readonly Problem[] {
  const byLine = new Map(problems.toReversed().map((problem) => [lineOf(problem), problem]));
  return problems.filter((problem) => byLine.get(lineOf(problem)) === problem);
}

function lineOf({ place }: Problem): number | undefined {
  return place.kind === 'text' ? place.line : undefined;
}

/** The library compares each key with all before it, so it would need seconds for ten thousand keys. */
function errorsIn(tree: Document): readonly YAMLError[] {
  const repeated: YAMLError[] = [];
  visit(tree, {
    Map: (_, { items }) => {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const [from, to] = key.range ?? [0, 0];
        if (seen.has(key.value)) repeated.push(new YAMLParseError([from, to], 'DUPLICATE_KEY', 'a key again'));
        seen.add(key.value);
      }
    },
  });
  const errors =
    repeated.length === 0 ? tree.errors : [...tree.errors, ...repeated].sort((a, b) => a.pos[0] - b.pos[0]);
  return [...errors, ...tree.warnings];
}

/** Converts findings to problems with their places in the text. */
export function problemsAt(document: ScenarioDocument, findings: readonly Finding[]): readonly Problem[] {
  const pairsOf: PairsOf = oncePerObject(({ items }: YAMLMap) => {
    return new Map(items.map((pair) => [isScalar(pair.key) ? pair.key.value : pair.key, pair]));
  });
  const phases = uniquePhases(document.tree);
  return findings.map((finding) => ({
    place: placeOf(document, finding, pairsOf),
    path: pathText(finding.path, phases),
    expected: finding.expected,
    found: finding.found,
    suggestion: suggestionFor(finding),
  }));
}

/** The pairs of a section by key, so that a section with many keys is searched once. */
type PairsOf = (section: YAMLMap) => ReadonlyMap<unknown, Pair>;

/** A path as in `--set`; a phase is identified by its name if that is unique. */
export function pathText(path: Path, phases: ReadonlyMap<number, string>): string {
  const [section, index, key] = path;
  const name = section === 'phases' && typeof index === 'number' && key !== 'name' ? phases.get(index) : undefined;
  const parts = (name === undefined ? path : [section, name, ...path.slice(2)]).map(String);
  // In a key without a colon, everything after the name is its value, which may be a secret.
  return parts.map((part) => slipIn(part)?.name ?? part).join('.');
}

/** The valid and unique names of phases, by their index. */
export function uniquePhases(tree: Document): ReadonlyMap<number, string> {
  const phases = nodeAt(tree, ['phases']);
  const nodes = isSeq(phases) ? phases.items.map((_, at) => nodeAt(tree, ['phases', at, 'name'])) : [];
  const names = Map.groupBy(nodes.keys(), (at) => {
    const node = nodes[at];
    return isScalar(node) ? node.value : undefined;
  });
  return new Map(
    [...names].flatMap(([name, [at = 0, ...others]]) =>
      typeof name === 'string' && NAME_PATTERN.test(name) && others.length === 0 ? [[at, name]] : [],
    ),
  );
}

/** The node at a path; `undefined` if the path does not exist. */
export function nodeAt(tree: Document, path: Path): Node | undefined {
  let node = resolved(tree, tree.contents);
  for (const key of path) {
    const child = isMap(node) || isSeq(node) ? node.get(key, true) : undefined;
    node = resolved(tree, isNode(child) ? child : undefined);
  }
  return node;
}

// The deepest existing part of the path: a missing key is reported at its section.
function placeOf(document: ScenarioDocument, { path, focus, offset = 0 }: Finding, pairsOf: PairsOf): SourceLocation {
  let place = FIRST_PLACE;
  let holder = resolved(document.tree, document.tree.contents);
  for (const [depth, part] of path.entries()) {
    const { key, value } = memberOf(document.tree, [holder, part], pairsOf);
    if (value === undefined && key === undefined) break;
    const isLast = depth === path.length - 1;
    const node = isLast && focus === 'value' && isScalar(value) ? value : (key ?? value);
    const within = isLast && node === value ? offsetIn(value, offset) : 0;
    const source = value && document.sources.get(value);
    const ofText = textPlace(document.lines, node?.range?.[0], within) ?? place;
    place = source === undefined ? ofText : { kind: 'setting', source };
    holder = value;
  }
  return place;
}

function memberOf(tree: Document, [holder, part]: [Node | undefined, string | number], pairsOf: PairsOf) {
  const pair = isMap(holder) ? pairsOf(holder).get(part) : undefined;
  const child = isSeq(holder) ? holder.get(part, true) : pair?.value;
  return {
    key: isScalar(pair?.key) ? pair.key : undefined,
    value: resolved(tree, isNode(child) ? child : undefined),
  };
}

/** Offset of a character from the start of its scalar, including the opening quote. */
function offsetIn(node: Node | undefined, offset: number): number {
  if (!isScalar(node) || offset === 0) return 0;
  const isQuoted = node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE';
  return isQuoted ? offset + 1 : node.type === 'PLAIN' ? offset : 0;
}

function textPlace(lines: LineCounter, offset: number | undefined, within = 0): SourceLocation | undefined {
  if (offset === undefined) return undefined;
  const { line, col } = lines.linePos(offset + within);
  return { kind: 'text', line: Math.max(1, line), column: Math.max(1, col) };
}

function resolved(tree: Document, node: Node | null | undefined): Node | undefined {
  return isAlias(node) ? node.resolve(tree) : (node ?? undefined);
}

const NO_COLON = ['MULTILINE_IMPLICIT_KEY', 'MISSING_CHAR'];

/** A missing colon makes YAML misread the rest of the file, so errors after it are dropped. */
function ownErrors(errors: readonly YAMLError[]): readonly YAMLError[] {
  const slip = errors.find(isWithoutColon);
  return slip === undefined ? errors : errors.filter(({ pos }) => pos[0] <= slip.pos[0]);
}

function isWithoutColon({ code, message }: YAMLError): boolean {
  return NO_COLON.includes(code) && message.startsWith('Implicit');
}

const FIRST_PLACE: SourceLocation = { kind: 'text', line: 1, column: 1 };

function textProblem(lines: LineCounter, offset: number | undefined, mistake: Mistake): Problem {
  return { place: textPlace(lines, offset) ?? FIRST_PLACE, path: '', suggestion: undefined, ...mistake };
}

type Mistake = Pick<Problem, 'expected' | 'found'>;

/** What the parser expected and found, in the words of other problems. */
function mistakeOf(error: YAMLError, text: string): Mistake {
  const { code, message } = error;
  const [at] = error.pos;
  const rest = text.slice(at);
  if (isWithoutColon(error)) {
    const line = /^[^\n]*/.exec(rest)?.[0] ?? '';
    return { expected: KEY_FORM, found: slipIn(`${line.trimEnd()} …`)?.found ?? 'one without a colon' };
  }
  if (code === 'TAG_RESOLVE_FAILED') return { expected: 'a value', found: 'a tag; quote text that starts with !' };
  if (/^(Nested mappings|All mapping items)/.test(message)) {
    const expected = 'one value per key, and the same indentation for all keys of a section';
    return { expected, found: 'another key' };
  }
  if (code === 'TAB_AS_INDENT') return { expected: 'spaces as indentation', found: 'a tab' };
  if (code === 'MULTIPLE_DOCS')
    return { expected: 'one YAML document', found: 'another one after ---; move it to a separate file' };
  if (code === 'DUPLICATE_KEY') return { expected: 'each key once', found: `${/^[^\s:]*/.exec(rest)?.[0]} again` };
  if (code === 'UNEXPECTED_TOKEN' && text.slice(at - 1, at + 1) === '${')
    return { expected: 'quotes around a variable inside { } or [ ]', found: '${ without quotes' };
  return { expected: YAML, found: `an error: ${message}` };
}

/** Aliases without an anchor, or inside of what they name, which would be endless. Messages omit their names, because they may be secrets that start with an asterisk. */
function strayAliases({ tree, lines }: ScenarioDocument): readonly Problem[] {
  const problems: Problem[] = [];
  visit(tree, {
    Alias: (_, alias, ancestors) => {
      const named = alias.resolve(tree);
      if (named !== undefined && !ancestors.includes(named)) return;
      const expected = 'an anchor such as &name before an alias';
      const found =
        named === undefined
          ? 'an alias without an anchor; quote text that starts with *'
          : 'an alias inside its anchor';
      problems.push(textProblem(lines, alias.range?.[0], { expected, found }));
    },
  });
  return problems;
}

/** YAML 1.2 has no merge keys, so parsers treat `<<` as an ordinary key. */
function mergeKeys({ tree, lines }: ScenarioDocument): readonly Problem[] {
  const problems: Problem[] = [];
  visit(tree, {
    Pair: (_, { key }) => {
      if (!isScalar(key) || key.value !== '<<') return;
      const expected = 'every key written out, or an alias such as *name for a whole value';
      problems.push(textProblem(lines, key.range?.[0], { expected, found: 'the merge key <<' }));
    },
  });
  return problems;
}

/** The document as plain data, or a finding if its aliases are unresolvable or expand too far. */
export function plainData({ tree }: ScenarioDocument): { data: unknown } | { finding: Finding } {
  try {
    return { data: tree.toJS() };
  } catch (error) {
    return { finding: valueFinding([], 'resolvable aliases', `an error: ${messageOf(error)}`) };
  }
}

/** Formats problems one per line: `file:line:column: path: expected …, found …; did you mean …?` */
export function formatProblems(file: string, problems: readonly Problem[]): string {
  const texts = problems.map((problem) => {
    const { place } = problem;
    const where = place.kind === 'text' ? `${file}:${place.line}:${place.column}` : `${file}: ${place.source}`;
    return `${printable(where)}: ${complaintText(problem)}`;
  });
  return texts.join('\n');
}

/** Sorts problems in text order, followed by those from flags and the environment. */
export function inReadingOrder(problems: readonly Problem[]): readonly Problem[] {
  return [...problems].sort((a, b) => {
    if (a.place.kind === 'setting' || b.place.kind === 'setting') return rank(a) - rank(b);
    return a.place.line - b.place.line || a.place.column - b.place.column;
  });
}

function rank(problem: Problem): number {
  return problem.place.kind === 'text' ? 0 : 1;
}
