import { isScalar } from 'yaml';
import type { z } from 'zod';
import { messageOf } from '../../kernel/errors.ts';
import { normalise } from '../meaning/normalise.ts';
import type { Scenario } from '../scenario.ts';
import { type ScenarioFile, scenarioSchema } from '../schema/scenario-file.ts';
import { applySettings } from './apply-settings.ts';
import { applyVariables, stillStanding } from './apply-variables.ts';
import { crossFindings } from './cross-checks.ts';
import { nodeAt, openDocument, problemAt, type ScenarioDocument } from './document.ts';
import type { Finding } from './finding.ts';
import { inReadingOrder, type Problem } from './problem.ts';
import { schemaFindings } from './schema-findings.ts';
import type { Setting } from './setting.ts';
import type { Environment } from './variables.ts';

/** A scenario file's text. `file` is absolute: its name is the default name, its folder the base of relative paths. */
export type ScenarioSource = { readonly file: string; readonly text: string };

/** What a scenario's text is read with: variables, and the settings laid over it, later ones over earlier ones. */
export type ScenarioContext = { readonly environment: Environment; readonly settings: readonly Setting[] };

export type ParsedScenario =
  | { readonly kind: 'scenario'; readonly scenario: Scenario }
  | { readonly kind: 'problems'; readonly problems: readonly Problem[] };

/** Reads a scenario, or finds everything that is wrong with it. */
export function parseScenario(source: ScenarioSource, context: ScenarioContext): ParsedScenario {
  const { document, problems: slips } = openDocument(source.text);
  if (slips.length > 0) return { kind: 'problems', problems: slips };
  const variables = applyVariables(document, context.environment);
  const refused = applySettings(document, context.settings);
  const unset = stillStanding(document, variables);
  const { file, findings } = check(document);
  const news = findings.filter(({ path }) => !unset.some((finding) => isAtOrAbove(finding.path, path)));
  const problems = [...refused, ...[...unset, ...news].map((finding) => problemAt(document, finding))];
  if (problems.length > 0 || file === undefined) return { kind: 'problems', problems: inReadingOrder(problems) };
  return { kind: 'scenario', scenario: normalise(file, source.file) };
}

type Checked = { readonly file: ScenarioFile | undefined; readonly findings: readonly Finding[] };

function check(document: ScenarioDocument): Checked {
  const raw = plainData(document);
  if ('finding' in raw) return { file: undefined, findings: [raw.finding] };
  if (isForeign(raw.data)) return { file: undefined, findings: [NO_SCENARIO] };
  const result = scenarioSchema.safeParse(raw.data);
  const cross = crossFindings(raw.data);
  if (result.success) return { file: result.data, findings: cross };
  if (restoreTexts(document, result.error.issues)) return check(document);
  return { file: undefined, findings: [...schemaFindings(result.error.issues, raw.data), ...cross] };
}

const NO_SCENARIO: Finding = {
  path: [],
  focus: 'value',
  expected: `a scenario with ${Object.keys(scenarioSchema.shape).join(', ')}`,
  found: 'none of these keys',
  candidates: [],
};

// Another kind of file is one problem, and none of its text belongs into a log.
function isForeign(data: unknown): boolean {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return false;
  return Object.keys(data).length > 1 && !Object.keys(data).some((key) => key in scenarioSchema.shape);
}

function plainData({ tree }: ScenarioDocument): { data: unknown } | { finding: Finding } {
  try {
    return { data: tree.toJS() };
  } catch (error) {
    const base = { path: [], focus: 'value', candidates: [] } as const;
    return { finding: { ...base, expected: 'resolvable aliases', found: `a mistake: ${messageOf(error)}` } };
  }
}

/**
 * An API key of digits, put in unquoted by a variable or flag, looks like a number. Where the schema wants a text and a
 * value only looks like something else, the text is put back; says whether there was one.
 */
function restoreTexts(document: ScenarioDocument, issues: readonly z.core.$ZodIssue[]): boolean {
  let restored = false;
  for (const issue of issues) {
    const node = nodeAt(document.tree, issue.path as Finding['path']);
    const text = isScalar(node) ? document.texts.get(node) : undefined;
    const wantsText = issue.code === 'invalid_type' && issue.expected === 'string';
    if (!wantsText || !isScalar(node) || text === undefined || node.value === text) continue;
    node.value = text;
    restored = true;
  }
  return restored;
}

function isAtOrAbove(above: Finding['path'], path: Finding['path']): boolean {
  return above.every((key, index) => path[index] === key);
}
