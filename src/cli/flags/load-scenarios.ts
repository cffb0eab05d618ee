import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, relative, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { UserError } from '../../kernel/errors.ts';
import { printable } from '../../kernel/printable.ts';
import type { RecordedHosts } from '../../machine/recorded/recorded-hosts.ts';
import { nearestName } from '../../notation/nearest-name.ts';
import { recordedHosts } from '../../recording/raising.ts';
import { shownUrl } from '../../scenario/base-urls.ts';
import { formatProblems } from '../../scenario/reading/document.ts';
import { parseScenario, type ScenarioContext } from '../../scenario/reading/parse.ts';
import { type Setting, type SettingChange, settingOfExpression } from '../../scenario/reading/settings.ts';
import type { Variables } from '../../scenario/reading/variables.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { readHostData } from '../../storage/host-data.ts';
import { readHostRecording } from '../../storage/recording-folder.ts';
import { readEnvironmentFile, readEventsFile, readScenarioFile, readScenarioStream } from '../../storage/text-files.ts';
import type { Io } from '../io.ts';
import { onlyOne, type ScenarioFlags, variableOf } from './common.ts';

/** Stands for stdin where a file is expected. */
const STDIN = '-';
// Names the scenario, unless it has a name, and stands in messages.
const STDIN_NAME = 'stdin';

/** A scenario and the file it came from, as the user wrote it. */
export type LoadedScenario = { readonly file: string; readonly scenario: Scenario };

/** Result of one file: the scenario, or a message that says why there is none. */
export type LoadResult =
  | ({ readonly kind: 'loaded' } & LoadedScenario)
  | { readonly kind: 'refused'; readonly file: string; readonly text: string };

/**
 * Reads all files, and stdin for `-`; one that cannot be read does not keep the others from being checked.
 * Throws `UserError` if stdin is named twice.
 */
export async function tryScenarios(files: readonly string[], context: ScenarioContext, io: Io): Promise<LoadResult[]> {
  if (files.length === 0) throw new Error('a command for scenarios was given none');
  if (files.filter((file) => file === STDIN).length > 1)
    throw new UserError('- stands for stdin, which Muster can read only once; give it once.');
  const texts: string[] = [];
  const results = await Promise.all(files.map((file) => tryScenario(file, { ...context, texts }, io)));
  for (const name of strangeVariables(context.environment, texts)) io.stderr.write(`${strangeVariableText(name)}\n`);
  return results;
}

// Those of an effective scenario and of other commands have a meaning where they are asked for.
const FURTHER_VARIABLES = [
  'MUSTER_TARGET_QUERY',
  'MUSTER_PROXY_USER',
  'MUSTER_BASIC_AUTH',
  'MUSTER_ADMIN_TOKEN',
  'MUSTER_CONTROL_TOKEN',
  'MUSTER_CONTROL_URL',
  ...['MUSTER_METRICS_TOKEN', 'MUSTER_METRICS_TOKEN_FILE'],
  ...['MUSTER_NATS_CREDS', 'MUSTER_NATS_NKEY', 'MUSTER_NATS_USER', 'MUSTER_NATS_PASSWORD', 'MUSTER_NATS_CA'],
  'MUSTER_NATS_WAIT',
  ...['MUSTER_CLUSTER_KEY', 'MUSTER_CLUSTER_KEY_FILE'],
];
const RUN_FLAGS = [
  'data',
  'workers',
  'shard',
  'start-at',
  'out',
  'metrics-address',
  'control',
  'cluster',
  'machines',
] as const;

function knownVariables(): readonly string[] {
  return [...[...DIRECT_FLAGS, ...RUN_FLAGS].map((flag) => variableOf(flag, {}).name), ...FURTHER_VARIABLES];
}

/** Variables with our name that nothing reads: no flag has them, and no scenario names them. */
function strangeVariables(environment: Variables, texts: readonly string[]): readonly string[] {
  const given = Object.keys(environment).filter(
    (name) => name.startsWith('MUSTER_') && environment[name] !== undefined,
  );
  const known = knownVariables();
  return given.filter((name) => !known.includes(name) && !texts.some((text) => text.includes(name)));
}

function strangeVariableText(name: string): string {
  const meant = nearestName(name, knownVariables());
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
  return `! the environment variable ${printable(name)} is set, but no flag and no scenario reads it${hint}`;
}

/** Reads all files. Throws one `UserError` with all the problems of all of them. */
export async function loadScenarios(
  files: readonly string[],
  context: ScenarioContext,
  io: Io,
): Promise<readonly LoadedScenario[]> {
  const results = await tryScenarios(files, context, io);
  const refusals = results.flatMap((result) => (result.kind === 'refused' ? [result.text] : []));
  if (refusals.length > 0) throw new UserError(refusals.join('\n'));
  return results.flatMap((result) => (result.kind === 'loaded' ? [result] : []));
}

/** The one scenario of a command that takes one. Throws a `UserError` with all its problems. */
export async function loadScenario(file: string, context: ScenarioContext, io: Io): Promise<Scenario> {
  const [loaded] = await loadScenarios([file], context, io);
  if (loaded === undefined) throw new Error('a scenario was asked for, and none came');
  return loaded.scenario;
}

async function tryScenario(
  argument: string,
  context: ScenarioContext & { readonly texts: string[] },
  io: Io,
): Promise<LoadResult> {
  const isStdin = argument === STDIN;
  const file = isStdin ? STDIN_NAME : argument;
  try {
    const absolute = resolve(io.cwd, file);
    if (!isStdin) assertThere(file, absolute, io);
    const text = await (isStdin ? readScenarioStream(io.stdin) : readScenarioFile(absolute));
    context.texts.push(text);
    const parsed = parseScenario({ file: absolute, text }, context);
    if (parsed.kind === 'scenario') return { kind: 'loaded', file, scenario: parsed.scenario };
    return { kind: 'refused', file, text: formatProblems(file, parsed.problems) };
  } catch (error) {
    if (error instanceof UserError) return { kind: 'refused', file, text: error.message };
    throw error;
  }
}

/** Throws `UserError` for a URL, and for a name beside which there is one like it. */
function assertThere(file: string, absolute: string, { cwd }: Io): void {
  if (existsSync(absolute)) return;
  if (/^https?:/i.test(file))
    throw new UserError(
      `Cannot read the scenario ${shownUrl(file)}: expected a file, found a URL; download it and run the file.`,
    );
  const folder = dirname(absolute);
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => /\.(ya?ml|json)$/i.test(name)) : [];
  const meant = nearestName(basename(absolute), names);
  if (meant === undefined) return;
  const path = relative(cwd, resolve(folder, meant));
  throw new UserError(`Cannot read the scenario file ${absolute}: no such file; did you mean ${path}?`);
}

const DIRECT_FLAGS = ['target', 'api-key', 'agents', 'seed', 'duration'] as const;

type DirectFlag = (typeof DIRECT_FLAGS)[number];

/** In place of whatever base URLs a scenario has. */
function targetChanges(urls: readonly string[]): readonly SettingChange[] {
  const [text = '', ...others] = urls;
  const remove = (key: string) => ({ kind: 'remove', path: ['target', key] }) as const;
  if (others.length === 0) return [remove('urls'), { kind: 'assign', path: ['target', 'url'], text }];
  return [
    ...[remove('url'), remove('urls')],
    ...urls.map((url): SettingChange => ({ kind: 'append', path: ['target', 'urls'], text: url })),
  ];
}

const DIRECT: Readonly<Record<Exclude<DirectFlag, 'target'>, (text: string) => SettingChange>> = {
  'api-key': (text) => ({ kind: 'assign', path: ['target', 'apiKey'], text }),
  agents: (text) => ({ kind: 'assign', path: ['fleet', 'agents'], text }),
  seed: (text) => ({ kind: 'assign', path: ['fleet', 'seed'], text }),
  duration: (text) => ({ kind: 'stretch', text }),
};

/** What scenarios are read with: the environment, with the environment file below it, and the flags over the file. */
export async function scenarioContext(flags: ScenarioFlags, io: Io): Promise<ScenarioContext> {
  const file = onlyOne('env-file', flags['env-file']);
  const fromFile = file === undefined ? {} : await environmentIn(file, io);
  const environment = { ...fromFile, ...io.env };
  const settings = [...fromEnvironment(environment), ...fromFlags(flags)];
  return { environment, settings, hostData: readHostData(), readText: readEventsFile, readRecording: readHosts };
}

/** The hosts of a recording, as a scenario names it. */
function readHosts(folder: string): RecordedHosts {
  const { documents, hash } = readHostRecording(folder);
  return recordedHosts(documents, { name: folder, hash });
}

function changesOf(flag: DirectFlag, values: readonly string[]): readonly SettingChange[] {
  return flag === 'target' ? targetChanges(values) : values.map(DIRECT[flag]);
}

function fromEnvironment(environment: Variables): readonly Setting[] {
  return DIRECT_FLAGS.flatMap((flag) => {
    const { name, value } = variableOf(flag, environment);
    return value === undefined ? [] : changesOf(flag, [value]).map((change) => ({ source: name, change }));
  });
}

// Later settings win: a dedicated flag over `--set`.
function fromFlags(flags: ScenarioFlags): readonly Setting[] {
  const direct = DIRECT_FLAGS.flatMap((flag): readonly Setting[] => {
    const value = flag === 'target' ? flags.target : onlyOne(flag, flags[flag]);
    return value === undefined
      ? []
      : changesOf(flag, [value].flat()).map((change) => ({ source: `--${flag}`, change }));
  });
  const allowed = [
    ...appended('--allow', flags.allow, ['target', 'allow']),
    ...appended('--allow-listen', flags['allow-listen'], ['webServer', 'allowListen']),
  ];
  return [...(flags.set ?? []).map(settingOfExpression), ...direct, ...allowed];
}

function appended(source: string, texts: readonly string[] | undefined, path: readonly string[]): readonly Setting[] {
  return (texts ?? []).map((text): Setting => ({ source, change: { kind: 'append', path, text } }));
}

const QUOTED_VALUE = /=[ \t]*(["'`])[\s\S]*?\1/g;
const NOTHING = /^\s*(#.*)?$/;
const ASSIGNMENT = /^\s*(export\s+)?[A-Za-z_][A-Za-z0-9_]*\s*=/;

/**
 * The variables of an environment file. Throws `UserError` for lines that assign nothing: Node's parser passes over them,
 * and the run would do without what they were to say. They are not shown, as keys stand in such files.
 */
async function environmentIn(file: string, { cwd }: Io): Promise<Variables> {
  const text = await readEnvironmentFile(resolve(cwd, file));
  const complaints = strangeLines(text).map(
    (line) => `${file}:${line}: expected NAME=value or # comment, found neither`,
  );
  if (complaints.length > 0) throw new UserError(complaints.join('\n'));
  return parseEnv(text);
}

/** Counted from 1. */
function strangeLines(text: string): readonly number[] {
  // Values in quotes may have several lines.
  const lines = text.replace(QUOTED_VALUE, (value) => `=${value.replace(/[^\n]/g, '')}`).split('\n');
  return lines.flatMap((line, index) => (NOTHING.test(line) || ASSIGNMENT.test(line) ? [] : [index + 1]));
}
