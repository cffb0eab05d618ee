import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLError,
} from 'yaml';
import { complaintText, type Finding, type Path, suggestionFor } from '../../notation/finding.ts';

/** Where a value was written: in the scenario's text, or in a flag or environment variable laid over it. */
export type SourcePlace =
  /** Both count from 1. */
  | { readonly kind: 'text'; readonly line: number; readonly column: number }
  | { readonly kind: 'setting'; readonly source: string };

/** One thing wrong with a scenario. */
export type Problem = {
  readonly place: SourcePlace;
  /** Dotted, as `--set` takes it: `phases.1.checkdata.every`; empty for the file as a whole. */
  readonly path: string;
  readonly expected: string;
  readonly found: string;
  /** The name that was probably meant. */
  readonly suggestion: string | undefined;
};

/** A scenario's YAML tree, and where its parts came from. Settings and variables change the tree in place. */
export type ScenarioDocument = {
  readonly tree: Document;
  readonly lines: LineCounter;
  /** Parts that a setting put in, with the setting's source. */
  readonly sources: Map<Node, string>;
};

const YAML = 'well-formed YAML';

/** Reads the text; with problems the tree is not to be relied on. */
export function openDocument(text: string): { document: ScenarioDocument; problems: readonly Problem[] } {
  const lines = new LineCounter();
  const tree = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
  const document = { tree, lines, sources: new Map() };
  const errors = [...tree.errors, ...tree.warnings];
  const problems = [...errors.map((error) => syntaxProblem(error, document, text)), ...mergeKeys(document)];
  // One slip often leads to several errors in its line; the first one names it.
  const isFirstOfLine = (problem: Problem, index: number) =>
    problems.findIndex((other) => sameLine(other, problem)) === index;
  return { document, problems: problems.filter(isFirstOfLine) };
}

/** The problem that a finding is, with its place in the text. */
export function problemAt(document: ScenarioDocument, finding: Finding): Problem {
  const { path, expected, found } = finding;
  return {
    place: placeOf(document, finding),
    path: path.join('.'),
    expected,
    found,
    suggestion: suggestionFor(finding),
  };
}

/** The node at a path; undefined where the path leaves the tree. */
export function nodeAt(tree: Document, path: Path): Node | undefined {
  let node = resolved(tree, tree.contents);
  for (const key of path) {
    const child = isMap(node) || isSeq(node) ? node.get(key, true) : undefined;
    node = resolved(tree, isNode(child) ? child : undefined);
  }
  return node;
}

// The deepest part of the path that is there: a missing key is reported at the section that should hold it.
function placeOf(document: ScenarioDocument, { path, focus }: Finding): SourcePlace {
  let place: SourcePlace = { kind: 'text', line: 1, column: 1 };
  for (let depth = 1; depth <= path.length; depth++) {
    const value = nodeAt(document.tree, path.slice(0, depth));
    const key = keyNode(document.tree, path.slice(0, depth));
    if (value === undefined && key === undefined) break;
    const isLast = depth === path.length;
    const node = isLast && focus === 'value' && isScalar(value) ? value : (key ?? value);
    place = sourcePlace(document, value) ?? textPlace(document.lines, node?.range?.[0]) ?? place;
  }
  return place;
}

function keyNode(tree: Document, path: Path): Node | undefined {
  const parent = nodeAt(tree, path.slice(0, -1));
  if (!isMap(parent)) return undefined;
  const pair = parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1));
  return isNode(pair?.key) ? pair.key : undefined;
}

function sourcePlace(document: ScenarioDocument, node: Node | undefined): SourcePlace | undefined {
  const source = node === undefined ? undefined : document.sources.get(node);
  return source === undefined ? undefined : { kind: 'setting', source };
}

function textPlace(lines: LineCounter, offset: number | undefined): SourcePlace | undefined {
  if (offset === undefined) return undefined;
  const { line, col } = lines.linePos(offset);
  return { kind: 'text', line: Math.max(1, line), column: Math.max(1, col) };
}

function resolved(tree: Document, node: Node | null | undefined): Node | undefined {
  return isAlias(node) ? node.resolve(tree) : (node ?? undefined);
}

function syntaxProblem(error: YAMLError, document: ScenarioDocument, text: string): Problem {
  const place = textPlace(document.lines, error.pos[0]) ?? { kind: 'text', line: 1, column: 1 };
  const base = { place, path: '', suggestion: undefined };
  if (error.code === 'MULTIPLE_DOCS')
    return { ...base, expected: 'one YAML document', found: 'another one after ---; put it into a file of its own' };
  if (error.code === 'DUPLICATE_KEY') {
    const key = /^[^\s:]*/.exec(text.slice(error.pos[0]))?.[0];
    return { ...base, expected: 'every key once', found: `${key} again` };
  }
  if (error.code === 'UNEXPECTED_TOKEN' && text.slice(error.pos[0] - 1, error.pos[0] + 1) === '${')
    return { ...base, expected: 'a variable inside { } or [ ] to stand in quotes', found: '${ without quotes' };
  return { ...base, expected: YAML, found: `a mistake: ${error.message}` };
}

/** YAML 1.2 has no merge keys, so a reader would take `<<` for a name. */
function mergeKeys({ tree, lines }: ScenarioDocument): readonly Problem[] {
  const problems: Problem[] = [];
  visit(tree, {
    Pair: (_, { key }) => {
      if (!isScalar(key) || key.value !== '<<') return;
      const place = textPlace(lines, key.range?.[0]) ?? { kind: 'text', line: 1, column: 1 };
      const expected = 'every key written out, or an alias such as *name for a whole value';
      problems.push({ place, path: '', expected, found: 'the merge key <<', suggestion: undefined });
    },
  });
  return problems;
}

function sameLine(a: Problem, b: Problem): boolean {
  return a.place.kind === 'text' && b.place.kind === 'text' && a.place.line === b.place.line;
}

/** One line per problem, in the order of the text: `file:line:column: path: expected …, found …; did you mean …?` */
export function formatProblems(file: string, problems: readonly Problem[]): string {
  return problems.map((problem) => formatProblem(file, problem)).join('\n');
}

function formatProblem(file: string, problem: Problem): string {
  const { place } = problem;
  const where = place.kind === 'text' ? `${file}:${place.line}:${place.column}` : `${file}: ${place.source}`;
  return `${where}: ${complaintText(problem)}`;
}

/** Text order first, then what flags and the environment brought. */
export function inReadingOrder(problems: readonly Problem[]): readonly Problem[] {
  return [...problems].sort((a, b) => {
    if (a.place.kind === 'setting' || b.place.kind === 'setting') return rank(a) - rank(b);
    return a.place.line - b.place.line || a.place.column - b.place.column;
  });
}

function rank(problem: Problem): number {
  return problem.place.kind === 'text' ? 0 : 1;
}
