import { isMap, isScalar, isSeq, type Scalar } from 'yaml';
import type { Finding, Path } from '../../notation/finding.ts';
import { nodeAt, type ScenarioDocument } from './document.ts';
import { insertedValue } from './inserted-value.ts';
import { type Environment, expandVariables } from './variables.ts';

/** What was wrong with the variables of one value. */
export type VariableFinding = Finding & { readonly node: Scalar };

/** Puts variables into every value of the tree. */
export function applyVariables(document: ScenarioDocument, environment: Environment): readonly VariableFinding[] {
  const visit = (node: unknown, path: Path): readonly VariableFinding[] => {
    if (isMap(node)) return node.items.flatMap(({ key, value }) => visit(value, [...path, keyText(key)]));
    if (isSeq(node)) return node.items.flatMap((item, index) => visit(item, [...path, index]));
    if (!isScalar(node) || typeof node.value !== 'string' || !node.value.includes('${')) return [];
    const { text, problems } = expandVariables(node.value, environment);
    // An unquoted value is read anew, so that `agents: ${N:-100}` is a number; a quoted one stays a text.
    node.value = node.type === 'PLAIN' ? insertedValue(text, path) : text;
    return problems.map((problem) => ({ ...problem, node, path, focus: 'value', candidates: [] }));
  };
  return visit(document.tree.contents, []);
}

/** Those findings whose value is still in the tree: a setting that replaces a value also settles its variables. */
export function stillStanding(document: ScenarioDocument, findings: readonly VariableFinding[]): readonly Finding[] {
  return findings.filter(({ node, path }) => nodeAt(document.tree, path) === node);
}

function keyText(key: unknown): string {
  return String(isScalar(key) ? key.value : key);
}
