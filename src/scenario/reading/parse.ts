import { dirname, resolve } from 'node:path';
import { isMap, isScalar, isSeq, type LineCounter, type Node, visit, YAMLMap, YAMLSeq } from 'yaml';
import { UserError } from '../../base/kernel/errors.ts';
import { describeValue, type Finding, type Path, quoted, valueFinding } from '../../base/notation/finding.ts';
import { foreignWordText } from '../../base/notation/foreign-words.ts';
import { readPart } from '../../base/notation/parts.ts';
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
import { namesRecordings, type ReadRecording, withRecordings } from '../fleet-recordings.ts';
import { withEnvironment } from '../proxy.ts';
import type { Scenario } from '../scenario.ts';
import { type OpenTraceFile, openTraces, traceFindings, withTraceCounts } from '../traces.ts';
import { nodeAt, openDocument, type Problem, plainData, problemsAt, type ScenarioDocument } from './document.ts';
import { hideSecrets, withoutUrlSecrets } from './hidden-secrets.ts';
import { applySettings, applyVariables, type Setting, type VariableFinding, withoutReplaced } from './settings.ts';
import type { Variables } from './variables.ts';

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
  const isUnset = (path: Path) => unset.some((above) => above.path.every((key, index) => path[index] === key));
  const news = findings.filter(({ path }) => !isUnset(path));
  const problemsOf = (found: readonly Finding[]): ParsedScenario => {
    return { kind: 'problems', problems: hideSecrets([...refused, ...problemsAt(document, found)], document) };
  };
  if (refused.length + unset.length + news.length > 0 || file === undefined) return problemsOf([...unset, ...news]);
  const read = withTraces(file, source, context);
  if ('findings' in read) return problemsOf(read.findings);
  const { target } = read;
  const proxy = withEnvironment(target.proxy, context.environment);
  const recorded = context.readRecording && withRecordings(read.fleet, file.fleet, context.readRecording);
  if (recorded !== undefined && recorded.findings.length > 0) return problemsOf(recorded.findings);
  const scenario = { ...read, fleet: recorded?.fleet ?? read.fleet, target: { ...target, proxy } };
  if (recorded === undefined && namesRecordings(read.fleet)) return { kind: 'scenario', scenario };
  const idle = idleFindings(scenario, file, context.hostData);
  return idle.length > 0 ? problemsOf(idle) : { kind: 'scenario', scenario };
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

function readFile(document: ScenarioDocument): { file: ScenarioFile | undefined; findings: readonly Finding[] } {
  const raw = plainData(document);
  if ('finding' in raw) return { file: undefined, findings: [raw.finding] };
  if (isForeign(raw.data)) return { file: undefined, findings: [NO_SCENARIO] };
  const { value, findings } = readPart(scenarioSchema, raw.data);
  const between = fileFindings((value ?? {}) as PartialFile, raw.data);
  return {
    file: findings.length === 0 ? (value as ScenarioFile) : undefined,
    findings: [...findings, ...between].map((finding) => inOurWords(withoutUrlSecrets(finding, raw.data))),
  };
}

const KEYS = Object.keys(scenarioSchema.shape);
const NO_SCENARIO = valueFinding([], `a scenario with ${KEYS.join(', ')}`, 'none of these keys');

// A file of another kind is reported as one problem, and its text must not appear in logs.
function isForeign(data: unknown): boolean {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return false;
  const keys = Object.keys(data);
  const isKnown = (key: string) => key in scenarioSchema.shape || foreignWordText('scenario', key) !== undefined;
  return keys.length > 1 && !keys.some(isKnown);
}

/** Adds the scenario's term if the text uses one of another load generator. */
function inOurWords(finding: Finding): Finding {
  const isStatistic = finding.expected.startsWith(STATISTIC);
  const name = isStatistic ? finding.found.slice(1, -1) : finding.focus === 'key' ? String(finding.path.at(-1)) : '';
  const text = finding.found === quoted(name) ? foreignWordText('scenario', name) : undefined;
  return text === undefined ? finding : { ...finding, found: `${finding.found}; ${text}` };
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
