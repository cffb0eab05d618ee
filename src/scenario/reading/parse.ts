import { dirname, resolve } from 'node:path';
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type LineCounter,
  type Node,
  type Scalar,
  visit,
  YAMLMap,
  YAMLSeq,
} from 'yaml';
import { messageOf, UserError } from '../../base/kernel/errors.ts';
import { describeValue, type Finding, quoted, valueFinding } from '../../base/notation/finding.ts';
import { foreignWordText } from '../../base/notation/foreign-words.ts';
import { readPart } from '../../base/notation/parts.ts';
import { valueAtPath } from '../../base/notation/schema-findings.ts';
import type { HostData } from '../../hosts/host-data.ts';
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
import { displayUrl } from '../server-urls.ts';
import { type OpenTraceFile, openTraces, traceFindings, withTraceCounts } from '../traces.ts';
import { inReadingOrder, nodeAt, openDocument, type Problem, problemsAt, type ScenarioDocument } from './document.ts';
import { applySettings, applyVariables, type Setting, type VariableFinding, withoutReplaced } from './settings.ts';
import { UNSET, type Variables } from './variables.ts';

/** The text of a scenario file. `file` is an absolute path: its name is the default name, its folder the base of relative paths. */
export type ScenarioSource = { readonly file: string; readonly text: string };

/** Input for parsing a scenario, in addition to its text. */
export type ScenarioContext = {
  /** Environment variables that the text may refer to. */
  readonly environment: Variables;
  /** Overrides; later ones take precedence. */
  readonly settings: readonly Setting[];
  /** Reads a referenced file by absolute path, or throws `UserError`. Without it, the scenario must not refer to other files. */
  readonly readText?: (path: string) => string;
  /** Without it, as for a finished run, recordings are not read and checks that need them are skipped. */
  readonly readRecording?: ReadRecording;
  /** The same for traces. */
  readonly openTrace?: OpenTraceFile;
  /** Whether each row of a trace is read, for a plan or a run. */
  readonly countsTraces?: boolean;
  /** Source data of hosts, for checking that an event affects at least one of them. */
  readonly hostData: HostData;
};

export type ParsedScenario =
  | { readonly kind: 'scenario'; readonly scenario: Scenario }
  | { readonly kind: 'problems'; readonly problems: readonly Problem[] };

export function parseScenario(source: ScenarioSource, context: ScenarioContext): ParsedScenario {
  const { document, problems: slips } = openDocument(source.text);
  if (slips.length > 0) return { kind: 'problems', problems: slips };
  const variables = applyVariables(document, context.environment);
  const refused = applySettings(document, context.settings);
  const { readText = noText, environment } = context;
  const included = includeEvents(document, { folder: dirname(source.file), environment, readText });
  if (included.problems.length > 0) return { kind: 'problems', problems: included.problems };
  const unset = withoutReplaced(document, [...variables, ...included.variables]);
  const { file, findings } = readFile(document);
  const news = findings.filter(({ path }) => !unset.some((finding) => isAtOrAbove(finding.path, path)));
  const problems = [...refused, ...problemsAt(document, [...unset, ...news])];
  if (problems.length > 0 || file === undefined) return { kind: 'problems', problems: hideSecrets(problems, document) };
  const read = withTraces(file, source, context);
  if ('findings' in read)
    return { kind: 'problems', problems: hideSecrets(problemsAt(document, read.findings), document) };
  const { target } = read;
  const proxy = withEnvironment(target.proxy, context.environment);
  const recorded = context.readRecording && withRecordings(read.fleet, file.fleet, context.readRecording);
  const strange = problemsAt(document, recorded?.findings ?? []);
  if (strange.length > 0) return { kind: 'problems', problems: hideSecrets(strange, document) };
  const scenario = { ...read, fleet: recorded?.fleet ?? read.fleet, target: { ...target, proxy } };
  if (recorded === undefined && namesRecordings(read.fleet)) return { kind: 'scenario', scenario };
  const idle = problemsAt(document, idleFindings(scenario, file, context.hostData));
  return idle.length > 0 ? { kind: 'problems', problems: hideSecrets(idle, document) } : { kind: 'scenario', scenario };
}

/** Reads the traces of the phases. Throws `UserError` if one cannot be read. */
function withTraces(file: ScenarioFile, source: ScenarioSource, { openTrace, countsTraces }: ScenarioContext) {
  const traces = openTraces(file.phases, dirname(source.file), openTrace);
  try {
    const findings = traceFindings(file, traces);
    if (findings.length > 0) return { findings };
    const scenario = scenarioOf(file, source.file, traces);
    return countsTraces ? { ...scenario, phases: withTraceCounts(scenario.phases, traces) } : scenario;
  } finally {
    traces.close();
  }
}

function noText(path: string): never {
  throw new UserError(
    `Cannot read ${path}: this scenario must not refer to other files; put the events into the scenario.`,
  );
}

/** The problems in reading order, without secrets, because messages end up in logs. */
function hideSecrets(problems: readonly Problem[], document: ScenarioDocument): readonly Problem[] {
  const hides = secretsHidden(secretsIn(document));
  return inReadingOrder(problems).map((problem) =>
    OF_SECRET.test(problem.path) && problem.found !== UNSET
      ? { ...problem, found: 'something else', suggestion: undefined }
      : hides(problem),
  );
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

const NO_SCENARIO = valueFinding(
  [],
  `a scenario with ${Object.keys(scenarioSchema.shape).join(', ')}`,
  'none of these keys',
);

// A file of another kind is reported as one problem, and its text must not appear in logs.
function isForeign(data: unknown): boolean {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return false;
  const keys = Object.keys(data);
  return (
    keys.length > 1 &&
    !keys.some((key) => key in scenarioSchema.shape || foreignWordText('scenario', key) !== undefined)
  );
}

/** The paths of secrets and of their parts, in the form that problems use. */
const OF_SECRET = /^(target\.apiKey|webServer\.basicAuth|events\.\d+\.apiKey)(\.|$)/;

function secretsIn({ tree }: ScenarioDocument): ReadonlySet<string> {
  const events = nodeAt(tree, ['events']);
  const keys = isSeq(events) ? events.items.map((_, index) => ['events', index, 'apiKey']) : [];
  const seen = new Set<Node>();
  const paths = [['target', 'apiKey'], ['webServer', 'basicAuth'], ...keys];
  return new Set(paths.flatMap((path) => textsIn(tree, nodeAt(tree, path), seen)));
}

/** All scalars of a value as strings, including those in sections and lists. Each node once, because aliases may repeat it without bounds. */
function textsIn(tree: Document, node: unknown, seen: Set<Node>): readonly string[] {
  const own = isAlias(node) ? node.resolve(tree) : node;
  if (!isNode(own) || seen.has(own)) return [];
  seen.add(own);
  if (isMap(own)) return own.items.flatMap(({ value }) => textsIn(tree, value, seen));
  if (isSeq(own)) return own.items.flatMap((item) => textsIn(tree, item, seen));
  const { value } = own as Scalar;
  return value === undefined || value === null || value === '' ? [] : [String(value)];
}

// Shorter secrets may occur in other words by chance.
const MIN_HIDDEN_CHARACTERS = 6;

/** Removes secrets from problems: aliases and variables may put a secret anywhere. */
function secretsHidden(secrets: ReadonlySet<string>): (problem: Problem) => Problem {
  const long = [...secrets].filter(({ length }) => length >= MIN_HIDDEN_CHARACTERS);
  const forms = long.flatMap((secret) => [secret, quoted(secret).slice(1, -1)]);
  const values = new Set([...secrets].map(quoted));
  const hidden = (text: string) => forms.reduce((rest, form) => rest.replaceAll(form, '…'), text);
  return ({ place, path, expected, found, suggestion }) => ({
    place,
    path: hidden(path),
    expected: hidden(expected),
    found: values.has(found) ? 'something else' : hidden(found),
    suggestion: suggestion && hidden(suggestion),
  });
}

// The query and the user of a URL may be secrets.
function withoutQuery(finding: Finding, raw: unknown): Finding {
  const path = finding.path.join('.');
  const url = valueAtPath(raw, finding.path);
  if (typeof url !== 'string' || !/^target\.(url|urls\.\d+|proxy)$/.test(path)) return finding;
  // Anything before an @ may be a user and a password, even in an invalid URL.
  const written = path === 'target.proxy' ? url.replace(/^([^@]*:\/\/)?.*@/s, '$1…@') : url;
  return { ...finding, found: quoted(displayUrl(written)) };
}

/** Adds the scenario's term if the text uses one of another load generator. */
function inOurWords(finding: Finding): Finding {
  const isStatistic = finding.expected.startsWith(STATISTIC);
  const name = isStatistic ? finding.found.slice(1, -1) : finding.focus === 'key' ? String(finding.path.at(-1)) : '';
  const text = finding.found === quoted(name) ? foreignWordText('scenario', name) : undefined;
  return text === undefined ? finding : { ...finding, found: `${finding.found}; ${text}` };
}

/** The document as plain data, or a finding if its aliases are unresolvable or expand too far. */
export function plainData({ tree }: ScenarioDocument): { data: unknown } | { finding: Finding } {
  try {
    return { data: tree.toJS() };
  } catch (error) {
    return { finding: valueFinding([], 'resolvable aliases', `an error: ${messageOf(error)}`) };
  }
}

function isAtOrAbove(above: Finding['path'], path: Finding['path']): boolean {
  return above.every((key, index) => path[index] === key);
}

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
function includeEvents(document: ScenarioDocument, { folder, environment, readText }: Reading): EventsFile {
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

function sectionWith(list: YAMLSeq): YAMLMap {
  const section = new YAMLMap();
  section.set('events', list);
  return section;
}
