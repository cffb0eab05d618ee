import { dirname } from 'node:path';
import { isSeq } from 'yaml';
import { messageOf, UserError } from '../../kernel/errors.ts';
import type { HostData } from '../../machine/host-data.ts';
import { type Finding, quoted } from '../../notation/finding.ts';
import { ourWordFor } from '../../notation/foreign-words.ts';
import { valueAtPath } from '../../notation/schema-findings.ts';
import { shownUrl } from '../base-urls.ts';
import { STATISTIC } from '../conditions.ts';
import {
  fileFindings,
  idleFindings,
  type PartialFile,
  type ScenarioFile,
  scenarioOf,
  scenarioSchema,
} from '../file.ts';
import { namesRecordings, type ReadRecording, withRecordings } from '../fleet.ts';
import { withEnvironment } from '../proxy.ts';
import type { Scenario } from '../scenario.ts';
import { inReadingOrder, nodeAt, openDocument, type Problem, problemAt, type ScenarioDocument } from './document.ts';
import { includeEvents } from './events-file.ts';
import { readPart } from './read-part.ts';
import { applySettings, applyVariables, type Setting, stillStanding } from './settings.ts';
import type { Variables } from './variables.ts';

/** A scenario file's text. `file` is absolute: its name is the default name, its folder the base of relative paths. */
export type ScenarioSource = { readonly file: string; readonly text: string };

/** What a scenario's text is read with. */
export type ScenarioContext = {
  /** Variables that stand in it. */
  readonly environment: Variables;
  /** Laid over it, later ones over earlier ones. */
  readonly settings: readonly Setting[];
  /** The text of a file that it names, by its absolute path; throws `UserError` if there is none. Left out: it may name none. */
  readonly readText?: (path: string) => string;
  /** Left out, as of a run that is over: its recordings are not looked into, nor is what needs them. */
  readonly readRecording?: ReadRecording;
  /** What its hosts are made from: an event on hosts has to find what it is about on one of them. */
  readonly hostData: HostData;
};

export type ParsedScenario =
  | { readonly kind: 'scenario'; readonly scenario: Scenario }
  | { readonly kind: 'problems'; readonly problems: readonly Problem[] };

/** Reads a scenario, or finds everything that is wrong with it. */
export function parseScenario(source: ScenarioSource, context: ScenarioContext): ParsedScenario {
  const { document, problems: slips } = openDocument(source.text);
  if (slips.length > 0) return { kind: 'problems', problems: slips };
  const variables = applyVariables(document, context.environment);
  const refused = applySettings(document, context.settings);
  const { readText = noText, environment } = context;
  const included = includeEvents(document, { folder: dirname(source.file), environment, readText });
  if (included.problems.length > 0) return { kind: 'problems', problems: included.problems };
  const unset = stillStanding(document, [...variables, ...included.variables]);
  const { file, findings } = readFile(document);
  const news = findings.filter(({ path }) => !unset.some((finding) => isAtOrAbove(finding.path, path)));
  const problems = [...refused, ...[...unset, ...news].map((finding) => problemAt(document, finding))];
  if (problems.length > 0 || file === undefined) return { kind: 'problems', problems: shown(problems, document) };
  const read = scenarioOf(file, source.file);
  const { target } = read;
  const proxy = withEnvironment(target.proxy, context.environment);
  const recorded = context.readRecording && withRecordings(read.fleet, file.fleet, context.readRecording);
  const strange = (recorded?.findings ?? []).map((finding) => problemAt(document, finding));
  if (strange.length > 0) return { kind: 'problems', problems: shown(strange, document) };
  const scenario = { ...read, fleet: recorded?.fleet ?? read.fleet, target: { ...target, proxy } };
  if (recorded === undefined && namesRecordings(read.fleet)) return { kind: 'scenario', scenario };
  const idle = idleFindings(scenario, file, context.hostData).map((finding) => problemAt(document, finding));
  return idle.length > 0 ? { kind: 'problems', problems: shown(idle, document) } : { kind: 'scenario', scenario };
}

function noText(path: string): never {
  throw new UserError(`Cannot read ${path}: this scenario may not refer to other files; include the events in it.`);
}

/** The problems for a person, in their order and without secrets: they end up in logs. */
function shown(problems: readonly Problem[], document: ScenarioDocument): readonly Problem[] {
  const paths = secretPaths(document);
  const secrets = paths.flatMap((path) => textsIn(nodeAt(document.tree, pathOf(path))?.toJS(document.tree)));
  const hides = secretsHidden(secrets);
  return inReadingOrder(problems).map((problem) => {
    const isOfSecret = paths.some((path) => `${problem.path}.`.startsWith(`${path}.`));
    return isOfSecret ? { ...problem, found: 'something else', suggestion: undefined } : hides(problem);
  });
}

type FileRead = { readonly file: ScenarioFile | undefined; readonly findings: readonly Finding[] };

function readFile(document: ScenarioDocument): FileRead {
  const raw = plainData(document);
  if ('finding' in raw) return { file: undefined, findings: [raw.finding] };
  if (isForeign(raw.data)) return { file: undefined, findings: [NO_SCENARIO] };
  const { value, findings } = readPart(scenarioSchema, raw.data);
  const between = fileFindings((value ?? {}) as PartialFile, raw.data);
  return {
    file: findings.length === 0 ? (value as ScenarioFile) : undefined,
    findings: [...findings, ...between].map((finding) => inOurWords(withoutQuery(finding, raw.data))),
  };
}

const NO_SCENARIO: Finding = {
  path: [],
  focus: 'value',
  expected: `a scenario with ${Object.keys(scenarioSchema.shape).join(', ')}`,
  found: 'none of these keys',
  candidates: [],
};

// A file of another kind is a single problem, and its text must not appear in a log.
function isForeign(data: unknown): boolean {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return false;
  const keys = Object.keys(data);
  return keys.length > 1 && !keys.some((key) => key in scenarioSchema.shape || ourWordFor(key) !== undefined);
}

/** Where secrets stand, as problems name it. */
function secretPaths({ tree }: ScenarioDocument): readonly string[] {
  const events = nodeAt(tree, ['events']);
  const keys = isSeq(events) ? events.items.map((_, index) => `events.${index}.apiKey`) : [];
  return ['target.apiKey', 'webServer.basicAuth', ...keys];
}

function pathOf(dotted: string): Finding['path'] {
  return dotted.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

/** Texts of a value, also of one that is no text; those within a section or list, too. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(textsIn);
  return value === undefined || value === null || value === '' ? [] : [String(value)];
}

// A shorter one stands in other words by chance.
const SHORTEST_HIDDEN = 6;

/** Aliases and variables may put a secret anywhere. */
function secretsHidden(secrets: readonly string[]): (problem: Problem) => Problem {
  const long = secrets.filter(({ length }) => length >= SHORTEST_HIDDEN);
  const forms = long.flatMap((secret) => [secret, quoted(secret).slice(1, -1)]);
  const hidden = (text: string) => forms.reduce((rest, form) => rest.replaceAll(form, '…'), text);
  return ({ place, path, expected, found, suggestion }) => ({
    place,
    path: hidden(path),
    expected: hidden(expected),
    found: secrets.some((secret) => found === quoted(secret)) ? 'something else' : hidden(found),
    suggestion: suggestion && hidden(suggestion),
  });
}

// Its query and its user may be secrets.
function withoutQuery(finding: Finding, raw: unknown): Finding {
  const path = finding.path.join('.');
  const url = valueAtPath(raw, finding.path);
  if (typeof url !== 'string' || !/^target\.(url|urls\.\d+|proxy)$/.test(path)) return finding;
  // Whatever stands before an @ may be a user with a password, even if nobody can read it as one.
  const written = path === 'target.proxy' ? url.replace(/^([^@]*:\/\/)?.*@/s, '$1…@') : url;
  return { ...finding, found: quoted(shownUrl(written)) };
}

/** With the word for it here, where another load generator's was found. */
function inOurWords(finding: Finding): Finding {
  const isStatistic = finding.expected.startsWith(STATISTIC);
  const name = isStatistic ? finding.found.slice(1, -1) : finding.focus === 'key' ? String(finding.path.at(-1)) : '';
  const word = finding.found === quoted(name) ? ourWordFor(name) : undefined;
  return word === undefined ? finding : { ...finding, found: `${finding.found}; use ${word}` };
}

/** The document without places; or why there is none, which is aliases that lead nowhere or multiply. */
export function plainData({ tree }: ScenarioDocument): { data: unknown } | { finding: Finding } {
  try {
    return { data: tree.toJS() };
  } catch (error) {
    const base = { path: [], focus: 'value', candidates: [] } as const;
    return { finding: { ...base, expected: 'resolvable aliases', found: `an error: ${messageOf(error)}` } };
  }
}

function isAtOrAbove(above: Finding['path'], path: Finding['path']): boolean {
  return above.every((key, index) => path[index] === key);
}
