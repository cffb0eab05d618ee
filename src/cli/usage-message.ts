import type { Argv } from 'yargs';
import { counted } from '../base/kernel/units.ts';
import { foreignWordText } from '../base/notation/foreign-words.ts';
import { nearestName } from '../base/notation/nearest-name.ts';
import { unmaskDash } from './command.ts';

type Rewording = { readonly pattern: RegExp; readonly reword: (parts: readonly string[], line: CommandLine) => string };

type CommandLine = { readonly parser: Argv; readonly args: readonly string[] };

// Rewords the terse messages of yargs to say what was expected and what was found.
const REWORDINGS: readonly Rewording[] = [
  {
    pattern: /^Unknown arguments?: (.+)$/,
    reword: ([, things = ''], line) => unknownThings(things.split(', '), line),
  },
  {
    pattern: /^Not enough non-option arguments: got (\d+), need at least (\d+)$/,
    reword: ([, got, needed], { args }) => missingArguments(args[0] ?? '', Number(got), Number(needed)),
  },
  {
    pattern: /^Missing required argument: (.+)$/,
    reword: ([, flag = ''], { args }) => `muster ${args[0]} expects ${dashed(flag)}, found none.`,
  },
  {
    pattern: /^Not enough arguments following: (.+)$/,
    reword: ([, flag = '']) => `${dashed(flag)} expects a value, found none.`,
  },
  {
    pattern: /Argument: (.+), Given: (.+), Choices: (.+)$/s,
    reword: ([, name = '', given = '', choices = ''], { args }) => {
      const names = [...choices.matchAll(/"([^"]*)"/g)].map(([, choice = '']) => choice);
      const word = given.replaceAll('"', '');
      const ours = args[0] === 'ctl' && name === 'what' ? foreignWordText('ctl', word) : undefined;
      const help = ours === undefined ? hint(word, names, '') : `; ${ours}.`;
      return `${flagIn(args, name) ?? name}: expected one of ${choices}, found ${given}${help}`;
    },
  },
];

// Commands whose arguments are scenario files.
const FOR_SCENARIOS = [
  ...['run', 'validate', 'plan', 'capacity', 'inspect'],
  ...['fleet', 'provision', 'cleanup', 'manifest'],
];

// Arguments of other commands.
const ARGUMENTS: Readonly<Record<string, string>> = {
  report: "the folder of a run's results, such as results/quickstart/latest",
  compare: 'two folders of results, before and after, such as before/steady after/steady',
  join: 'the address of a NATS server, such as nats://127.0.0.1:4222',
  merge: 'folders of results, one for each shard, such as results/steady/*-shard?of3',
};

/** Rewords a message of yargs about an invalid command line. */
export function usageMessage(message: string, line: CommandLine): string {
  const long = singleDash(line);
  if (long !== undefined) return long;
  const said = unmaskDash(message);
  for (const { pattern, reword } of REWORDINGS) {
    const match = pattern.exec(said);
    if (match !== null) return withHelp(reword(match, line));
  }
  return withHelp(said);
}

export function unknownCommand(name: string, parser: Argv): string {
  return withHelp(strangeCommand(name, parser));
}

/** The arguments that may be flags. */
function flagArguments(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  return end < 0 ? args : args.slice(0, end);
}

const VALUE_OF_FLAG = /^--?([^=]+)=(.*)$/s;

/** The message for a Boolean flag with an invalid value, which yargs would read as false; `undefined` if there is none. */
export function strangeSwitch({ parser, args }: CommandLine): string | undefined {
  const { boolean: switches } = internals(parser).getOptions();
  for (const arg of flagArguments(args)) {
    const [, name = '', value = ''] = VALUE_OF_FLAG.exec(arg) ?? [];
    // In a group of short flags, the value belongs to the last one.
    const flag = arg.startsWith('--') ? name : name.slice(-1);
    if (name === '' || !switches.includes(flag) || value === 'true' || value === 'false') continue;
    return withHelp(`${dashed(flag)}: expected true, false or no value, found ${JSON.stringify(value)}.`);
  }
  return undefined;
}

const LONG_WITH_ONE_DASH = /^-([a-z][\w-]{2,})(?:=.*)?$/s;

/** The message for a long flag with one dash, as in vegeta, of which yargs would read each letter; `undefined` if there is none. */
export function singleDash({ parser, args }: CommandLine): string | undefined {
  const { key } = internals(parser).getOptions();
  for (const arg of flagArguments(args)) {
    const [, name = ''] = LONG_WITH_ONE_DASH.exec(arg) ?? [];
    if (Object.hasOwn(key, name)) return withHelp(`Unknown flag -${name}; did you mean --${name}?`);
    const ours = foreignWordText('flag', name);
    if (ours !== undefined) return withHelp(`Unknown flag -${name}; ${ours}.`);
  }
  return undefined;
}

/** The message for a flag that takes one value and was given several times; `undefined` if there is none. */
export function repeatedFlag(flags: Readonly<Record<string, unknown>>, parser: Argv): string | undefined {
  const { key, array, boolean } = internals(parser).getOptions();
  for (const [name, value] of Object.entries(flags)) {
    const isRepeated = Array.isArray(value) && name in key && name.length > 1;
    if (isRepeated && !array.includes(name) && !boolean.includes(name))
      return `--${name}: expected one value, found ${value.length}; use the flag once.`;
  }
  return undefined;
}

export function commandNames(parser: Argv): readonly string[] {
  return internals(parser).getInternalMethods().getCommandInstance().getCommands();
}

function withHelp(text: string): string {
  return `${text}\nSee muster --help, or muster <command> --help.`;
}

/** The message for a command without a scenario. */
export function scenarioMissing(command: string): string {
  const server = command === 'run' ? ', or give only --target' : '';
  return `muster ${command} expects a scenario file, or - for stdin, found none; create one with muster init${server}.`;
}

function missingArguments(command: string, got: number, needed: number): string {
  if (FOR_SCENARIOS.includes(command)) return scenarioMissing(command);
  const wanted = ARGUMENTS[command] ?? counted(needed, 'argument');
  return `muster ${command} expects ${wanted}, found ${got === 0 ? 'none' : got}.`;
}

function unknownThings(things: readonly string[], line: CommandLine): string {
  const command = things.find((thing) => thing === line.args[0]);
  if (command !== undefined) return strangeCommand(command, line.parser);
  // yargs parses a value such as -5m as short flags.
  const values = line.args.filter((arg) => /^-\d/.test(arg)).join('');
  const named = things.filter((thing) => thing.length > 1 || !values.includes(thing));
  return (named.length === 0 ? things : named).map((thing) => unknownThing(thing, line)).join('\n');
}

function unknownThing(thing: string, { parser, args }: CommandLine): string {
  const flag = flagIn(args, thing);
  if (flag === undefined) return unexpectedArgument(thing, args);
  const known = Object.keys(internals(parser).getOptions().key);
  const ours = foreignWordText('flag', thing);
  if (ours !== undefined) return `Unknown flag ${flag}; ${ours}.`;
  const key = foreignWordText('scenario', thing);
  if (key !== undefined) return `Unknown flag ${flag}; in the scenario, ${key}.`;
  const meant = hint(thing, known, '--');
  const isKey = meant === '.' && args[0] === 'ctl' && args.includes('do') && thing.length > 1;
  return `Unknown flag ${flag}${isKey ? `; set a key of the event with --set ${thing}=VALUE.` : meant}`;
}

/** The shell splits a value with spaces, such as `--set fleet.checks={ docker: 1 }`, unless it is quoted. */
function unexpectedArgument(thing: string, args: readonly string[]): string {
  const text = `muster ${args[0]} expects no more arguments, found ${thing}`;
  const split = args.find((arg) => /^[\w.[\]{}:-]+=\s*[[{]/.test(arg) && !/[\]}]$/.test(arg));
  return split === undefined ? `${text}.` : `${text}; put the value of --set in quotes: --set '${split} …'.`;
}

/** A flag as the user wrote it: short flags may be grouped, as in `-qj`, and yargs reports `--no-x` as `x`. */
function flagIn(args: readonly string[], thing: string): string | undefined {
  const flags = args.filter((arg) => arg.startsWith('-')).map((arg) => arg.replace(/=.*$/s, ''));
  const isTogether = thing.length === 1 && flags.some((flag) => /^-[^-]/.test(flag) && flag.includes(thing));
  return isTogether ? dashed(thing) : flags.find((flag) => flag === dashed(thing) || flag === `--no-${thing}`);
}

function strangeCommand(name: string, parser: Argv): string {
  const ours = foreignWordText('command', name);
  return `Unknown command ${name}${ours === undefined ? hint(name, commandNames(parser), '') : `; ${ours}.`}`;
}

/** The end of a sentence, with a suggestion if a name is close. There is none for a single letter. */
function hint(name: string, candidates: readonly string[], prefix: string): string {
  const words = candidates.filter(({ length }) => length > 1);
  const nearest = name.length < 2 ? undefined : nearestName(name, words);
  return nearest === undefined ? '.' : `; did you mean ${prefix}${nearest}?`;
}

function dashed(flag: string): string {
  return `${flag.length === 1 ? '-' : '--'}${flag}`;
}

// Internal state of yargs: at the time of an error, the flags of the current command, and all commands.
type Internals = {
  getOptions(): {
    readonly key: Readonly<Record<string, unknown>>;
    readonly array: readonly string[];
    readonly boolean: readonly string[];
  };
  getInternalMethods(): {
    getCommandInstance(): { getCommands(): string[] };
    getUsageInstance(): { cacheHelpMessage: () => void };
  };
};

export function internals(parser: Argv): Internals {
  return parser as unknown as Internals;
}
