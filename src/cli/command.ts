import type { Argv, CommandModule, InferredOptionTypes, Options, PositionalOptions } from 'yargs';
import { EXIT_CODES, type ExitCode } from './exit-codes.ts';
import type { Io } from './io.ts';

type Declared<Option> = Readonly<Record<string, Option>>;

export type Command<Positionals = Declared<PositionalOptions>, Flags = Declared<Options>> = {
  /** As typed, such as `plan <scenario>`. */
  readonly usage: string;
  readonly describe: string;
  readonly positionals: Positionals;
  readonly flags: Flags;
  readonly examples: readonly (readonly [line: string, about: string])[];
  readonly epilogue?: string;
  /** `--version` is not the version of Muster. */
  readonly hasOwnVersion?: true;
};

/** Declares a command, so that the types of its values are known. */
export function command<const Positionals extends Declared<PositionalOptions>, const Flags extends Declared<Options>>(
  declared: Command<Positionals, Flags>,
): Command<Positionals, Flags> {
  return declared;
}

export type ValuesOf<Declaration extends Command> = InferredOptionTypes<Declaration['positionals']> &
  InferredOptionTypes<Declaration['flags']>;

/** Runs a command with its values, and resolves with an exit code other than 0, if any. */
type Run<Values> = (values: Values, io: Io) => Promise<ExitCode | undefined> | Promise<void>;

export type RunnableCommand = { readonly command: Command; readonly run: Run<never> };

export function runnable<Declaration extends Command>(
  declaration: Declaration,
  run: Run<ValuesOf<Declaration>>,
): RunnableCommand {
  return { command: declaration, run };
}

/** A command for yargs. `end` gets its exit code. */
export function moduleOf({ command, run }: RunnableCommand, io: Io, end: (code: ExitCode) => void): CommandModule {
  const { usage, describe, positionals, flags, examples, epilogue, hasOwnVersion } = command;
  return {
    command: usage,
    describe,
    builder: (yargs) => {
      if (hasOwnVersion) yargs.version(false);
      for (const [name, options] of Object.entries(positionals)) yargs.positional(name, options);
      yargs.options(flags);
      for (const [line, about] of examples) yargs.example(line, about);
      return epilogue === undefined ? yargs : yargs.epilogue(epilogue);
    },
    handler: async (values) => end((await run(values as never, io)) ?? EXIT_CODES.pass),
  };
}

export function commandName({ usage }: Command): string {
  return usage.split(' ', 1).join();
}

// Arguments of a process never contain NUL.
const STAND_IN = '\0';

/**
 * Masks the dash of the argument `-`, which yargs would drop as the start of a flag, and of all arguments after `--`, which are never
 * flags. `withDash` restores it for commands.
 */
export function maskDash(args: readonly string[]): string[] {
  const end = args.indexOf('--');
  if (end >= 0 && end < args.length - 1)
    return [...maskDash(args.slice(0, end)), ...args.slice(end + 1).map((arg) => arg.replace(/^-/, STAND_IN))];
  return args.map((arg) => (arg === '-' ? STAND_IN : arg));
}

/** Restores masked arguments, also in a message of yargs, which quotes some as JSON. */
export function unmaskDash(text: string): string {
  return text.replaceAll(STAND_IN, '-').replaceAll(String.raw`\u0000`, '-');
}

/** Restores masked arguments for commands. */
export function withDash(parser: Argv): Argv {
  return parser.middleware((flags: Record<string, unknown>) => {
    for (const [name, value] of Object.entries(flags)) flags[name] = unmasked(value);
  });
}

function unmasked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unmasked);
  return typeof value === 'string' ? unmaskDash(value) : value;
}
