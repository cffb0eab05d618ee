import type { Argv, CommandModule, InferredOptionTypes, Options, PositionalOptions } from 'yargs';
import { EXIT_CODES, type ExitCode } from './exit-codes.ts';
import type { Io } from './io.ts';

type Declared<Option> = Readonly<Record<string, Option>>;

/** A command without the code that it runs, as help, completion and the reference page show it. */
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

type Undeclared = Record<never, never>;

/** Declares a command, so that the types of its values are known. */
export function command<
  const Positionals extends Declared<PositionalOptions> = Undeclared,
  const Flags extends Declared<Options> = Undeclared,
>(declared: Pick<Command, 'usage' | 'describe'> & Partial<Command<Positionals, Flags>>): Command<Positionals, Flags> {
  return { positionals: {} as Positionals, flags: {} as Flags, examples: [], ...declared };
}

export type ValuesOf<Declaration extends Command> = InferredOptionTypes<Declaration['positionals']> &
  InferredOptionTypes<Declaration['flags']>;

/** Runs a command with its values, and resolves with an exit code other than 0, if any. */
type Run<Values> = (values: Values, io: Io) => Promise<ExitCode | undefined> | Promise<void> | ExitCode;

/** A command that runs, or one with further commands after its name, such as `ctl`. */
export type RunnableCommand = { readonly command: Command } & (
  | { readonly load: () => Promise<Run<never>> }
  | { readonly subcommands: readonly RunnableCommand[] }
);

export function runnable<Declaration extends Command>(
  declaration: Declaration,
  load: () => Promise<Run<ValuesOf<Declaration>>>,
): RunnableCommand {
  return { command: declaration, load };
}

/** Where a command runs. `end` gets its exit code. */
type Place = { readonly io: Io; readonly end: (code: ExitCode) => void };

/** A command for yargs. */
function moduleOf(runnableCommand: RunnableCommand, { io, end }: Place): CommandModule {
  const { usage, describe, positionals, flags, examples, epilogue, hasOwnVersion } = runnableCommand.command;
  return {
    command: usage,
    describe,
    builder: (yargs) => {
      if (hasOwnVersion) yargs.version(false);
      // With requiresArg, yargs keeps the argument `-`.
      for (const [name, options] of Object.entries(positionals)) yargs.positional(name, options).requiresArg(name);
      yargs.options(flags);
      for (const [line, about] of examples) yargs.example(line, about);
      if (epilogue !== undefined) yargs.epilogue(epilogue);
      if ('load' in runnableCommand) return yargs;
      return addCommands(yargs.usage(`$0 ${usage} <command>\n\n${describe}`), runnableCommand.subcommands, { io, end });
    },
    handler: async (values) => {
      const run = 'load' in runnableCommand ? await runnableCommand.load() : undefined;
      end((await run?.(values as never, io)) ?? EXIT_CODES.pass);
    },
  };
}

/**
 * Adds commands, one of which is expected. Their flags may stand before it if yargs knows which of them take a value. There, a flag that
 * is a switch in one command and takes a value in another takes one.
 */
export function addCommands(yargs: Argv, commands: readonly RunnableCommand[], place: Place): Argv {
  const declared = leaves(commands).flatMap((leaf) => Object.entries(leaf.command.flags));
  const switchesFirst = declared.toSorted(([, one], [, other]) => Number(takesValue(one)) - Number(takesValue(other)));
  const byName = Object.entries(Object.fromEntries(switchesFirst));
  for (const [name, { type = 'string', alias, array, requiresArg }] of byName)
    yargs.option(name, { type, alias, array, requiresArg, hidden: true, global: false });
  for (const one of commands) yargs.command(moduleOf(one, place));
  return yargs.demandCommand(1);
}

function takesValue({ type }: Options): boolean {
  return type !== 'boolean';
}

/** The commands that run, with the words before their names. */
export function leaves(
  commands: readonly RunnableCommand[],
  group = '',
): readonly { readonly name: string; readonly command: Command }[] {
  return commands.flatMap((one) => {
    const name = `${group}${commandName(one.command)}`;
    return 'load' in one ? { name, command: one.command } : leaves(one.subcommands, `${name} `);
  });
}

export function commandName({ usage }: Command): string {
  return usage.split(' ')[0] ?? usage;
}
