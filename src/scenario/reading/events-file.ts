import { resolve } from 'node:path';
import { isMap, isScalar, isSeq, type LineCounter, type Node, visit, YAMLMap, YAMLSeq } from 'yaml';
import { describeValue } from '../../base/notation/finding.ts';
import { nodeAt, openDocument, type Problem, type ScenarioDocument } from './document.ts';
import { applyVariables, type VariableFinding } from './settings.ts';
import type { Variables } from './variables.ts';

const LIST = 'a list of events such as - { do: disconnect, for: 30s }';

type EventsFile = {
  readonly problems: readonly Problem[];
  readonly variables: readonly VariableFinding[];
};

type Reading = {
  /** Folder of the scenario file, the base of relative paths. */
  readonly folder: string;
  readonly environment: Variables;
  readonly readText: (path: string) => string;
};

/** If `events` is a file name, replaces it with the list in that file. */
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
  const section = new YAMLMap();
  section.set('events', list);
  own.tree.contents = section;
  const variables = applyVariables(own, environment);
  if (isMap(document.tree.contents)) document.tree.contents.set('events', list);
  return { problems: [], variables };
}

/** Marks nodes with file name and line, for findings. */
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
