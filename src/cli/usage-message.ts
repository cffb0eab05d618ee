import type { Argv } from 'yargs';
import { nearestName } from '../notation/nearest-name.ts';

type Rewording = { readonly pattern: RegExp; readonly reword: (parts: readonly string[], line: CommandLine) => string };

type CommandLine = { readonly parser: Argv; readonly args: readonly string[] };

// What yargs says is right but curt; each of its sentences is put as: what was expected, what was found.
const REWORDINGS: readonly Rewording[] = [
  {
    pattern: /^Unknown arguments?: (.+)$/,
    reword: ([, flags = ''], { parser }) =>
      flags
        .split(', ')
        .map((flag) => unknownFlag(flag, parser))
        .join('\n'),
  },
  {
    pattern: /^Did you mean (.+)\?$/,
    reword: ([, command], { args }) => `There is no command ${args[0]}; did you mean ${command}?`,
  },
  {
    pattern: /^Not enough non-option arguments: got (\d+), need at least (\d+)$/,
    reword: ([, got, needed], { args }) => `muster ${args[0]} expects at least ${needed} argument, found ${got}.`,
  },
  {
    pattern: /^Not enough arguments following: (.+)$/,
    reword: ([, flag]) => `--${flag} expects a value, found none.`,
  },
  {
    pattern: /Argument: (.+), Given: (.+), Choices: (.+)$/s,
    reword: ([, name, given, choices]) => `${name}: expected one of ${choices}, found ${given}.`,
  },
];

/** One sentence on a command line that makes no sense, from what yargs says about it. */
export function usageMessage(message: string | undefined, line: CommandLine): string {
  const said = message ?? 'The command line makes no sense.';
  for (const { pattern, reword } of REWORDINGS) {
    const match = pattern.exec(said);
    if (match !== null) return withHelp(reword(match, line));
  }
  return withHelp(said);
}

function withHelp(text: string): string {
  return `${text}\nSee muster --help, or muster <command> --help.`;
}

function unknownFlag(flag: string, parser: Argv): string {
  // What yargs knows at the time of the fault: the flags of the command that was named.
  const known = (parser as unknown as { getOptions(): { key: Record<string, unknown> } }).getOptions().key;
  const nearest = nearestName(flag, Object.keys(known));
  return `There is no flag or command ${flag}${nearest === undefined ? '' : `; did you mean --${nearest}?`}`;
}
