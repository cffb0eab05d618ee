import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, relative, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { Options } from 'yargs';
import { UserError } from '../../base/kernel/errors.ts';
import { printable } from '../../base/kernel/printable.ts';
import { hintAt } from '../../base/notation/finding.ts';
import { foreignWordText } from '../../base/notation/foreign-words.ts';
import { nearestName } from '../../base/notation/nearest-name.ts';
import { readHostData } from '../../base/storage/host-data.ts';
import { openLargeFile, readScenarioStream, readTextFile, readTextFileSync } from '../../base/storage/text-files.ts';
import type { RecordedHosts } from '../../hosts/recorded/recorded-hosts.ts';
import { readHostRecording } from '../../recordings/recorder/recording-folder.ts';
import { recordedHosts } from '../../recordings/simulated-hosts.ts';
import { formatProblems } from '../../scenario/reading/document.ts';
import { parseScenario, type ScenarioContext } from '../../scenario/reading/parse.ts';
import { type Setting, type SettingChange, settingOfExpression } from '../../scenario/reading/settings.ts';
import type { Variables } from '../../scenario/reading/variables.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { displayUrl } from '../../scenario/server-urls.ts';
import { CTL_COMMANDS } from '../commands/ctl.ts';
import { fleetCommand } from '../commands/fleets.ts';
import { serveCommand } from '../commands/others.ts';
import { runCommand } from '../commands/runs.ts';
import type { Io } from '../io.ts';
import type { ScenarioFlags } from './common.ts';
import { variableOf } from './values.ts';

/** File argument for stdin. */
const STDIN = '-';
// Shown in messages, and the default name of the scenario.
const STDIN_NAME = 'stdin';

/** A scenario with its file as the user wrote it. */
export type LoadedScenario = { readonly file: string; readonly scenario: Scenario };

/** Result of one file: the scenario, or the reason why it is invalid. */
export type LoadResult =
  | ({ readonly kind: 'loaded' } & LoadedScenario)
  | { readonly kind: 'refused'; readonly file: string; readonly text: string };

/** Reads all files, and stdin for `-`. Checks all of them even if some fail. Throws `UserError` if stdin is named twice. */
export async function tryScenarios(files: readonly string[], context: ScenarioContext, io: Io): Promise<LoadResult[]> {
  if (files.length === 0) throw new Error('a command for scenarios was given none');
  if (files.filter((file) => file === STDIN).length > 1)
    throw new UserError('Expected - (stdin) at most once, found it several times; stdin can only be read once.');
  const texts: string[] = [];
  const results = await Promise.all(files.map((file) => tryScenario(file, { ...context, texts }, io)));
  warnOfVariables(context.environment, texts, io);
  return results;
}

/** The help of a flag names its variable in brackets. */
const FLAGS: readonly Options[] = [runCommand, fleetCommand, CTL_COMMANDS.fleet, serveCommand].flatMap(({ flags }) =>
  Object.values<Options>(flags),
);

const VARIABLES: readonly string[] = [
  ...FLAGS.flatMap(({ describe = '' }) => /\[(MUSTER_\w+)\]/.exec(describe)?.[1] ?? []),
  // Variables without a flag, and those of effective scenarios.
  ...['MUSTER_TARGET_QUERY', 'MUSTER_PROXY_USER', 'MUSTER_BASIC_AUTH'],
  ...['MUSTER_CONTROL_TOKEN', 'MUSTER_CONTROL_READ_TOKEN', 'MUSTER_METRICS_TOKEN', 'MUSTER_METRICS_TOKEN_FILE'],
  ...['MUSTER_NATS_CREDS', 'MUSTER_NATS_NKEY', 'MUSTER_NATS_USER', 'MUSTER_NATS_PASSWORD', 'MUSTER_NATS_CA'],
  'MUSTER_NATS_WAIT',
  ...['MUSTER_CLUSTER_KEY', 'MUSTER_CLUSTER_KEY_FILE'],
];

/** Names variables that start with MUSTER_ but belong to no flag and no scenario. */
function warnOfVariables(environment: Variables, texts: readonly string[], { stderr }: Io): void {
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith('MUSTER_') || value === undefined) continue;
    if (VARIABLES.includes(name) || texts.some((text) => text.includes(name))) continue;
    const hint = hintAt(nearestName(name, VARIABLES));
    stderr.write(`! the environment variable ${printable(name)} is set, but no flag or scenario uses it${hint}\n`);
  }
}

/** Reads all files. Throws one `UserError` with all problems of all files. */
export async function loadScenarios(
  files: readonly string[],
  context: ScenarioContext,
  io: Io,
): Promise<readonly LoadedScenario[]> {
  return loadedOf(await tryScenarios(files, context, io));
}

/** Reads a scenario that is not in a file, by its name. Throws one `UserError` with all its problems. */
export function loadScenarioText(
  source: { readonly file: string; readonly text: string },
  context: ScenarioContext,
  { cwd }: Io,
): LoadedScenario {
  return onlyOf([parsedScenario(source, resolve(cwd, source.file), context)]);
}

function onlyOf(results: readonly LoadResult[]): LoadedScenario {
  const [loaded] = loadedOf(results);
  if (loaded === undefined) throw new Error('a scenario was asked for, and none came');
  return loaded;
}

function loadedOf(results: readonly LoadResult[]): readonly LoadedScenario[] {
  const refusals = results.flatMap((result) => (result.kind === 'refused' ? [result.text] : []));
  if (refusals.length > 0) throw new UserError(refusals.join('\n'));
  return results.flatMap((result) => (result.kind === 'loaded' ? [result] : []));
}

/** Reads one scenario, with the environment that its flags set. Throws a `UserError` with all its problems. */
export async function loadScenario(file: string, flags: FlagValues, io: Io) {
  const context = await scenarioContext(flags, io);
  const { scenario } = onlyOf(await tryScenarios([file], context, io));
  return { scenario, environment: context.environment };
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
    const text = await (isStdin ? readScenarioStream(io.stdin) : readTextFile('scenario file', absolute));
    if (STATEMENT.test(text)) throw anotherTool(isStdin ? file : absolute);
    context.texts.push(text);
    return parsedScenario({ file, text }, absolute, context);
  } catch (error) {
    if (error instanceof UserError) return { kind: 'refused', file, text: error.message };
    throw error;
  }
}

function parsedScenario(
  { file, text }: { readonly file: string; readonly text: string },
  absolute: string,
  context: ScenarioContext,
): LoadResult {
  const parsed = parseScenario({ file: absolute, text }, context);
  if (parsed.kind === 'scenario') return { kind: 'loaded', file, scenario: parsed.scenario };
  return { kind: 'refused', file, text: formatProblems(file, parsed.problems) };
}

/** Scripts of k6, Artillery, Locust, Gatling, JMeter and wrk. */
const SCRIPT = /\.([cm]?[jt]s|py|scala|java|kt|jmx|lua)$/i;

/** Those from stdin, and requests of vegeta: comments, and then a first line that no scenario has. */
const STATEMENT =
  /^(?:[ \t]*(?:(?:#|\/[/*]|\*).*)?\r?\n)*[ \t]*(?:<\?xml|import|from|package|export|const|let|var|local|class|def|function|public|GET|POST|PUT|HEAD)\s/;

function anotherTool(file: string): UserError {
  return new UserError(
    `Cannot read ${file}: expected a scenario in YAML or JSON, found a script of another tool; muster init writes a scenario, and docs/how-to/coming-from.md says what is what.`,
  );
}

/** Throws `UserError` for a script, a URL, a word of another command, and a missing file with a similar name next to it. */
function assertThere(file: string, absolute: string, { cwd }: Io): void {
  if (SCRIPT.test(file)) throw anotherTool(absolute);
  if (existsSync(absolute)) return;
  const ours = foreignWordText('ctl', file);
  if (ours !== undefined) throw new UserError(`Cannot read the scenario file ${absolute}: no such file; ${ours}.`);
  if (/^https?:/i.test(file))
    throw new UserError(
      `Cannot read the scenario ${displayUrl(file)}: expected a file, found a URL; load a server with --target URL, or download a scenario.`,
    );
  const folder = dirname(absolute);
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => /\.(ya?ml|json)$/i.test(name)) : [];
  const meant = nearestName(basename(absolute), names);
  if (meant === undefined) return;
  const path = relative(cwd, resolve(folder, meant));
  throw new UserError(`Cannot read the scenario file ${absolute}: no such file; did you mean ${path}?`);
}

/** Replaces all base URLs of a scenario. */
function targetChanges(urls: readonly string[]): readonly SettingChange[] {
  const [text = '', ...others] = urls;
  const remove = (key: string) => ({ kind: 'remove', path: ['target', key] }) as const;
  if (others.length === 0) return [remove('urls'), { kind: 'assign', path: ['target', 'url'], text }];
  return [...[remove('url'), remove('urls')], ...changes('append', 'target', 'urls')(urls)];
}

function changes(kind: 'assign' | 'append', ...path: readonly string[]) {
  return (texts: readonly string[]) => texts.map((text): SettingChange => ({ kind, path, text }));
}

/** How flags and their environment variables change a scenario, in the order in which they apply. */
const CHANGES = {
  target: targetChanges,
  'api-key': changes('assign', 'target', 'apiKey'),
  agents: changes('assign', 'fleet', 'agents'),
  seed: changes('assign', 'fleet', 'seed'),
  duration: (texts) => texts.map((text) => ({ kind: 'stretch', text })),
  allow: changes('append', 'target', 'allow'),
  'allow-listen': changes('append', 'webServer', 'allowListen'),
} satisfies Readonly<Partial<Record<keyof ScenarioFlags, (texts: readonly string[]) => readonly SettingChange[]>>>;

const CHANGING = Object.keys(CHANGES) as (keyof typeof CHANGES)[];

/** Flags of commands that read scenarios; those that a command does not have are absent. */
type FlagValues = { readonly [Flag in keyof ScenarioFlags]?: Readonly<ScenarioFlags[Flag]> };

/** Context for reading scenarios. The environment overrides the environment file, and flags override the scenario. */
export async function scenarioContext(flags: FlagValues, io: Io): Promise<ScenarioContext> {
  const { 'env-file': file } = flags;
  const fromFile = file === undefined ? {} : await environmentIn(file, io);
  const environment = { ...fromFile, ...io.env };
  const settings = [...fromEnvironment(environment), ...fromFlags(flags)];
  const readText = (path: string) => readTextFileSync('events file', path);
  const openTrace = (path: string) => openLargeFile('trace', path);
  const traces = { openTrace, countsTraces: true };
  return { environment, settings, hostData: readHostData(), readText, readRecording: readHosts, ...traces };
}

const QUOTED_VALUE = /=[ \t]*(["'`])[\s\S]*?\1/g;
const VALUE = /=[ \t]*(["'`])[\s\S]*?\1|(?<==[ \t]*)[^\s"'`#].*?(?=[ \t]+#|[ \t]*$)/gm;
const NOTHING = /^\s*(#.*)?$/;
const ASSIGNMENT = /^\s*(export\s+)?[A-Za-z_][A-Za-z0-9_]*\s*=/;

/**
 * Reads an environment file. Throws `UserError` for lines without an assignment, which Node's parser would silently ignore. Messages
 * do not show the lines, because such files contain keys.
 */
async function environmentIn(file: string, { cwd }: Io): Promise<Variables> {
  const text = (await readTextFile('environment file', resolve(cwd, file))).replaceAll('\r\n', '\n');
  const complaints = invalidLines(text).map(
    (line) => `${file}:${line}: expected NAME=value or # comment, found neither`,
  );
  if (complaints.length > 0) throw new UserError(complaints.join('\n'));
  return parseEnv(text.replace(VALUE, withQuotes));
}

/** In quotes, because Node's parser ends a bare value such as abc#def at its `#`; a comment begins behind a blank. */
function withQuotes(value: string, quoted: string | undefined): string {
  const quote = ["'", '"', '`'].find((one) => !value.includes(one));
  return quoted !== undefined || quote === undefined || !value.includes('#') ? value : `${quote}${value}${quote}`;
}

/** Numbers of invalid lines, from 1. */
function invalidLines(text: string): readonly number[] {
  // Quoted values may span several lines.
  const lines = text.replace(QUOTED_VALUE, (value) => `=${value.replace(/[^\n]/g, '')}`).split('\n');
  return lines.flatMap((line, index) => (NOTHING.test(line) || ASSIGNMENT.test(line) ? [] : [index + 1]));
}

function readHosts(folder: string): RecordedHosts {
  const { documents, hash } = readHostRecording(folder);
  return recordedHosts(documents, { name: folder, hash });
}

function fromEnvironment(environment: Variables): readonly Setting[] {
  return CHANGING.flatMap((flag) => {
    const { name, value } = variableOf(flag, environment);
    if (value === undefined) return [];
    const texts = flag.startsWith('allow') ? value.split(/[\s,]+/).filter((host) => host !== '') : [value];
    return CHANGES[flag](texts).map((change): Setting => ({ source: name, change }));
  });
}

// Later settings take precedence: dedicated flags override `--set`.
function fromFlags(flags: FlagValues): readonly Setting[] {
  const dedicated = CHANGING.flatMap((flag) => {
    const value = flags[flag];
    if (value === undefined) return [];
    return CHANGES[flag]([value].flat()).map((change): Setting => ({ source: `--${flag}`, change }));
  });
  return [...(flags.set ?? []).map(settingOfExpression), ...dedicated];
}
