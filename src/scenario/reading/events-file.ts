import { resolve } from 'node:path';
import { isMap, isScalar, isSeq, type LineCounter, type Node, visit, YAMLMap, YAMLSeq } from 'yaml';
import { describeValue } from '../../notation/finding.ts';
import { nodeAt, openDocument, type Problem, type ScenarioDocument } from './document.ts';
import { applyVariables, type VariableFinding } from './settings.ts';
import type { Variables } from './variables.ts';

const LIST = 'a list of events with lines such as - { do: disconnect, for: 30s }';

export type EventsFile = {
  readonly problems: readonly Problem[];
  /** Of variables in it. */
  readonly variables: readonly VariableFinding[];
};

type Reading = {
  /** That of the scenario file, from which relative paths start. */
  readonly folder: string;
  readonly environment: Variables;
  /** The text of a file by its absolute path. */
  readonly readText: (path: string) => string;
};

/** Puts the list that a file has in the place of its name, where `events` is one. */
export function includeEvents(document: ScenarioDocument, { folder, environment, readText }: Reading): EventsFile {
  const named = nodeAt(document.tree, ['events']);
  if (!isScalar(named) || typeof named.value !== 'string') return { problems: [], variables: [] };
  const path = resolve(folder, named.value);
  const { document: own, problems } = openDocument(readText(path));
  const placed = problems.map((problem): Problem => ({ ...problem, place: { kind: 'setting', source: path } }));
  const list = own.tree.contents ?? new YAMLSeq();
  if (placed.length > 0 || !isSeq(list)) {
    const place = { kind: 'setting', source: path } as const;
    const strange = { place, path: 'events', expected: LIST, found: describeValue(own.tree.toJS()) };
    return { problems: placed.length > 0 ? placed : [{ ...strange, suggestion: undefined }], variables: [] };
  }
  markLines(document, list, { path, lines: own.lines });
  own.tree.contents = sectionWith(list);
  const variables = applyVariables(own, environment);
  if (isMap(document.tree.contents)) document.tree.contents.set('events', list);
  return { problems: [], variables };
}

/** Findings contain its name and line. */
function markLines(
  { sources }: ScenarioDocument,
  list: YAMLSeq,
  { path, lines }: { path: string; lines: LineCounter },
): void {
  visit(list, {
    Node: (_, node: Node) => {
      sources.set(node, `${path}:${lines.linePos(node.range?.[0] ?? 0).line}`);
    },
  });
}

function sectionWith(list: YAMLSeq): YAMLMap {
  const section = new YAMLMap();
  section.set('events', list);
  return section;
}
