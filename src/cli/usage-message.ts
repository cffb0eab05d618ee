import type { Argv } from 'yargs';
import { foreignWordText } from '../base/notation/foreign-words.ts';
import { nearestName } from '../base/notation/nearest-name.ts';
import { leaves, type RunnableCommand } from './command.ts';

/** A command line, its parser, and all commands of Muster. */
type CommandLine = {
  readonly parser: Argv;
  readonly args: readonly string[];
  readonly commands: readonly RunnableCommand[];
};

/**
 * Muster's sentences by those of yargs, whose placeholders are their parts: flags without dashes, and lists of values in JSON. yargs has
 * the first three in singular and plural.
 */
const SENTENCES: Readonly<Record<string, (line: CommandLine, ...parts: string[]) => string>> = {
  'Unknown argument: %s': (line, things) => unknownThings(things.split(', '), line),
  'Not enough non-option arguments: got %s, need at least %s': (line, got) => missingArgument(Number(got), line),
  'Missing required argument: %s': ({ parser }, flag) => `${called(parser)} expects ${dashed(flag)}, found none.`,
  'Not enough arguments following: %s': (_, flag) => `${dashed(flag)} expects a value, found none.`,
  'Arguments %s and %s are mutually exclusive': ({ args }, ...names) => {
    const [one, other] = names.map((name) => flagNamed(name, args) ?? name);
    return `${one}: expected without ${other}, found both; omit one of them.`;
  },
  'Argument: %s, Given: %s, Choices: %s': ({ args }, name, given, choices) => {
    const [value] = JSON.parse(`[${given}]`);
    const meant = hint(value, JSON.parse(`[${choices}]`), '');
    return `${flagNamed(name, args) ?? name}: expected one of ${choices}, found ${given}${meant}`;
  },
};

/** Makes yargs say instead, in JSON, which sentence of Muster it means, and its parts. */
export const YARGS_STRINGS: Readonly<Record<string, unknown>> = {
  'Invalid values:': ' ',
  ...Object.fromEntries(
    Object.keys(SENTENCES).map((sentence, index) => {
      const text = `[${index}${',%j'.repeat(sentence.split('%s').length - 1)}]`;
      return [sentence, index < 3 ? { one: text, other: text } : text];
    }),
  ),
};

/** What is wrong with a command line, in Muster's words; `message` is what yargs says. */
export function usageMessage(message: string, line: CommandLine): string {
  const flags = unknownFlags(line);
  const sentences = message
    .split('\n')
    .filter((text) => text.trim() !== '')
    .map((text) => {
      const [index, ...parts] = JSON.parse(text);
      return Object.values(SENTENCES)[index]?.(line, ...parts);
    });
  return withHelp((flags.length > 0 ? flags : sentences).join('\n'), line.parser);
}

/** The arguments that may be flags. */
function flagArguments(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  return end < 0 ? args : args.slice(0, end);
}

/** What is wrong with a command line that yargs accepts; `undefined` if there is nothing. */
export function misuse(flags: Readonly<Record<string, unknown>>, line: CommandLine): string | undefined {
  if (unknownFlags(line).length > 0) return usageMessage('', line);
  const { parser, args } = line;
  const { key, array, boolean: switches } = internals(parser).getOptions();
  for (const arg of flagArguments(args)) {
    // In a group of short flags, the value belongs to the last one. yargs would read any other value as false.
    const [, flag = '', value = ''] = /^(?:--|-\w*(?=\w=))([^=]+)=(.*)$/s.exec(arg) ?? [];
    if (switches.includes(flag) && !/^(true|false)$/.test(value))
      return withHelp(`${dashed(flag)}: expected true, false or no value, found ${JSON.stringify(value)}.`, parser);
  }
  const single = Object.keys(key).filter((name) => name.length > 1 && ![...array, ...switches].includes(name));
  const repeated = single.find((name) => Array.isArray(flags[name]));
  if (repeated === undefined) return undefined;
  return `--${repeated}: expected one value, found ${[flags[repeated]].flat().length}; use the flag once.`;
}

/**
 * Sentences about flags that a command does not have. Parsing takes them for arguments or values, and long ones with one dash, as in
 * vegeta, for groups of short ones.
 */
function unknownFlags(line: CommandLine): readonly string[] {
  const { parser, args } = line;
  const { key, alias } = internals(parser).getOptions();
  const known = [...Object.keys(key), ...Object.values(alias).flat()];
  const values: readonly unknown[] = Object.values((parser.parsed || { argv: {} }).argv).flat();
  const found = flagArguments(args).filter((arg) => {
    // Before the command, yargs takes such a flag for its name.
    const names = arg.startsWith('--') ? [withoutValue(arg).slice(2), nameOf(arg)] : /^-([a-z])/i.exec(arg)?.slice(1);
    if (names?.some((name) => known.includes(name)) === false) return true;
    const [, long = ''] = /^-([a-z][\w-]{2,})/.exec(arg) ?? [];
    if (Object.hasOwn(key, long) || foreignWordText('flag', long) !== undefined) return true;
    return /^-[^\d.]/.test(arg) && values.includes(arg);
  });
  return found.map((arg) => unknownFlag(arg, line));
}

export function commandNames(parser: Argv): readonly string[] {
  return internals(parser).getInternalMethods().getCommandInstance().getCommands();
}

/** The command that is parsed, such as `muster ctl do`. */
function called(parser: Argv): string {
  return ['muster', ...internals(parser).getInternalMethods().getContext().commands].join(' ');
}

export function withHelp(text: string, parser: Argv): string {
  return `${text}\nSee ${called(parser)} --help.`;
}

/** The message for a command without a scenario. */
export function scenarioMissing(command: string): string {
  const server = command === 'run' ? ', or give only --target' : '';
  return `muster ${command} expects a scenario file, or - for stdin, found none; create one with muster init${server}.`;
}

function missingArgument(got: number, { parser, commands }: CommandLine): string {
  const [first] = commandNames(parser);
  if (first !== undefined) return `${called(parser)} expects a command such as ${called(parser)} ${first}, found none.`;
  const declared = leaves(commands).find(({ name }) => `muster ${name}` === called(parser));
  const [name = '', { choices, describe = '' } = {}] = Object.entries(declared?.command.positionals ?? {})[got] ?? [];
  if (name === 'scenario') return scenarioMissing(declared?.name ?? '');
  const what =
    choices === undefined
      ? describe.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase())
      : `one of ${choices.join(', ')}`;
  return `${called(parser)} expects <${name}>, found none: ${what}.`;
}

function unknownThings(things: readonly string[], line: CommandLine): string {
  const { parser, args } = line;
  const [first = ''] = things;
  if (!first.startsWith('-') && commandNames(parser).length > 0) return unknownCommand(first, parser);
  const flags = things.flatMap((thing) => flagNamed(nameOf(thing), args) ?? []);
  return flags.length === 0
    ? unexpectedArgument(things.join(', '), line)
    : flags.map((flag) => unknownFlag(flag, line)).join('\n');
}

function unknownFlag(arg: string, { parser, commands }: CommandLine): string {
  const name = nameOf(arg);
  const text = `Unknown flag ${withoutValue(arg)}`;
  const ours = foreignWordText('flag', name);
  if (ours !== undefined) return `${text}; ${ours}.`;
  const known = Object.keys(internals(parser).getOptions().key);
  const key = known.includes(name) ? undefined : foreignWordText('scenario', name);
  if (key !== undefined) return `${text}; in the scenario, ${key}.`;
  const others = leaves(commands).filter(({ command }) => Object.hasOwn(command.flags, name));
  if (!known.includes(name) && others.length > 0 && others.length < 5)
    return `${text}; it is a flag of ${others.map((other) => `muster ${other.name}`).join(', ')}.`;
  const meant = hint(name, known, '--');
  const isKey = meant === '.' && called(parser) === 'muster ctl do' && name.length > 1;
  return `${text}${isKey ? `; set a key of the event with --set ${name}=VALUE.` : meant}`;
}

/** The shell splits a value with spaces, such as `--set fleet.checks={ docker: 1 }`, unless it is quoted. */
function unexpectedArgument(thing: string, { parser, args }: CommandLine): string {
  const text = `${called(parser)} expects no more arguments, found ${thing}`;
  const split = args.find((arg) => /^[\w.[\]{}:-]+=\s*[[{]/.test(arg) && !/[\]}]$/.test(arg));
  return split === undefined ? `${text}.` : `${text}; put the value of --set in quotes: --set '${split} …'.`;
}

/** A flag as the user wrote it; `undefined` if it was not written, as for an argument. */
function flagNamed(name: string, args: readonly string[]): string | undefined {
  return flagArguments(args)
    .map(withoutValue)
    .find((arg) => arg.startsWith('-') && nameOf(arg) === name);
}

function withoutValue(arg: string): string {
  return arg.replace(/=.*$/s, '');
}

function nameOf(arg: string): string {
  return withoutValue(arg).replace(/^-+(?:no-)?/, '');
}

export function unknownCommand(name: string, parser: Argv): string {
  const text = `Unknown command ${`${called(parser)} ${name}`.replace('muster ', '')}`;
  const ours = foreignWordText(called(parser) === 'muster' ? 'command' : 'ctl', name);
  return `${text}${ours === undefined ? hint(name, commandNames(parser), '') : `; ${ours}.`}`;
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
    readonly alias: Readonly<Record<string, readonly string[]>>;
    readonly array: readonly string[];
    readonly boolean: readonly string[];
    readonly choices: Readonly<Record<string, readonly string[]>>;
  };
  getInternalMethods(): {
    getCommandInstance(): { getCommands(): string[] };
    getContext(): { readonly commands: readonly string[] };
    getUsageInstance(): { cacheHelpMessage: () => void };
  };
};

export function internals(parser: Argv): Internals {
  return parser as unknown as Internals;
}
