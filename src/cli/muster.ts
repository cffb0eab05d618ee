import yargs, { type Argv } from 'yargs';
import { isDiskFull, messageOf, NotWrittenError, TargetNotAllowedError, UserError } from '../base/kernel/errors.ts';
import { printable } from '../base/kernel/printable.ts';
import { VERSION } from '../base/kernel/version.ts';
import { commandName, maskDash, moduleOf, type RunnableCommand, runnable, withDash } from './command.ts';
import { cleanupCommand, ctlCommand, fleetCommand, provisionCommand } from './commands/fleets.ts';
import { inspectCommand, recordCommand } from './commands/hosts.ts';
import { joinCommand, manifestCommand, mergeCommand } from './commands/machines.ts';
import { conformCommand, doctorCommand, schemaCommand, serveCommand } from './commands/others.ts';
import { compareCommand, historyCommand, reportCommand } from './commands/results.ts';
import {
  capacityCommand,
  initCommand,
  planCommand,
  replayCommand,
  runCommand,
  validateCommand,
} from './commands/runs.ts';
import { completionCommand, completions, printCompletion } from './completion.ts';
import { EXIT_CODES, type ExitCode } from './exit-codes.ts';
import type { Io } from './io.ts';
import {
  commandNames,
  internals,
  repeatedFlag,
  singleDash,
  strangeSwitch,
  unknownCommand,
  usageMessage,
} from './usage-message.ts';

const WIDEST = 110;
const USUAL_COLUMNS = 80;

/** Runs one command line, without the program's name, and returns the exit code. */
export async function runMuster(args: readonly string[], io: Io): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT_CODES.pass;
  const parser = createParser(args, io, (code) => {
    exitCode = code;
  });
  const commands = Object.values(COMMANDS).flatMap((group) => group.map(({ command }) => command));
  try {
    if (args.length === 1 && args[0] === '--licenses') {
      io.stdout.write(await licenses());
      return exitCode;
    }
    const completed = await completions(args, commands, io);
    if (completed !== undefined) {
      for (const word of completed) io.stdout.write(`${word}\n`);
      return exitCode;
    }
    // With a callback, yargs passes help and version texts to it instead of printing them.
    await parser.parseAsync(maskDash(helpRequest(args, parser)), {}, (_error, _flags, output) => {
      if (output !== '') io.stdout.write(`${groupCommands(output)}\n`);
    });
    return exitCode;
  } catch (error) {
    return reportFailure(error, io);
  }
}

/** All commands by their group in the help. The reference page of commands is made from them. */
export const COMMANDS: Readonly<Record<string, readonly RunnableCommand[]>> = {
  'Test a server:': [
    runnable(runCommand, async (flags, io) => (await import('./actions/run.ts')).runScenarios(flags, io)),
    runnable(initCommand, async (flags, io) => (await import('./actions/init.ts')).writeStarter(flags, io)),
    runnable(validateCommand, async (flags, io) =>
      (await import('./actions/validate.ts')).validateScenarios(flags, io),
    ),
    runnable(planCommand, async (flags, io) => (await import('./actions/plan.ts')).planScenario(flags, io)),
    runnable(replayCommand, async (flags, io) => (await import('./actions/replay.ts')).replayLogs(flags, io)),
    runnable(capacityCommand, async (flags, io) => (await import('./actions/capacity.ts')).capacity(flags, io)),
    runnable(conformCommand, async (flags, io) => (await import('./actions/conform.ts')).conform(flags, io)),
  ],
  'Keep a fleet running:': [
    runnable(fleetCommand, async (flags, io) => (await import('./actions/fleet.ts')).keepFleet(flags, io)),
    runnable(ctlCommand, async (flags, io) => (await import('./actions/ctl.ts')).controlFleet(flags, io)),
    runnable(provisionCommand, async (flags, io) => (await import('./actions/provision.ts')).provisionFleet(flags, io)),
    runnable(cleanupCommand, async (flags, io) => (await import('./actions/provision.ts')).cleanUpFleet(flags, io)),
  ],
  'Work with results:': [
    runnable(reportCommand, async (flags, io) => (await import('./actions/report.ts')).reportRun(flags, io)),
    runnable(compareCommand, async (flags, io) => (await import('./actions/compare.ts')).compareResults(flags, io)),
    runnable(historyCommand, async (flags, io) => (await import('./actions/history.ts')).showHistory(flags, io)),
  ],
  'Simulated hosts:': [
    runnable(inspectCommand, async (flags, io) => (await import('./actions/inspect.ts')).inspect(flags, io)),
    runnable(recordCommand, async (flags, io) => (await import('./actions/record.ts')).recordOrInspect(flags, io)),
  ],
  'Several machines:': [
    runnable(joinCommand, async (flags, io) => (await import('./actions/join.ts')).joinUntilInterrupted(flags, io)),
    runnable(mergeCommand, async (flags, io) => (await import('./actions/report.ts')).mergeResults(flags, io)),
    runnable(manifestCommand, async (flags, io) => (await import('./actions/manifest.ts')).writeManifest(flags, io)),
  ],
  'Other:': [
    runnable(serveCommand, async (flags, io) => (await import('./actions/serve.ts')).serveUntilStopped(flags, io)),
    runnable(doctorCommand, async (flags, io) => (await import('./actions/doctor.ts')).doctor(flags, io)),
    runnable(schemaCommand, async (flags, io) => (await import('./actions/schema.ts')).printSchema(flags, io)),
    runnable(completionCommand, printCompletion),
  ],
};

/** The list of all commands in groups. Other texts are unchanged. */
function groupCommands(help: string): string {
  if (!help.includes('\nCommands:\n')) return help;
  const headings = new Map(
    Object.entries(COMMANDS).flatMap(([heading, [first]]) => (first ? [[commandName(first.command), heading]] : [])),
  );
  return help
    .replace('\nCommands:\n', '')
    .replaceAll(/^ {2}muster (\w+)/gm, (line, name) =>
      headings.has(name) ? `\n${headings.get(name)}\n${line}` : line,
    );
}

/** What `npm run build` collects; a checkout without a build has the texts in `node_modules`. */
async function licenses(): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  return await readFile(new URL('../NOTICES.txt', import.meta.url), 'utf8').catch(() => {
    throw new UserError(
      'The licenses are collected in dist/NOTICES.txt by npm run build; until then they are in node_modules.',
    );
  });
}

/** Converts `muster steady.yaml`, and any other file or URL, to `run steady.yaml`, `muster` and `muster help` to `--help`, and `muster help run` to `run --help`. */
function helpRequest(args: readonly string[], parser: Argv): readonly string[] {
  const [first, ...topics] = args;
  if (first !== undefined && /^[^-].*[./]/.test(first)) return ['run', ...args];
  if (first !== undefined && first !== 'help') return args;
  const strange = topics.find((topic) => !topic.startsWith('-') && !commandNames(parser).includes(topic));
  if (strange !== undefined) throw new UserError(unknownCommand(strange, parser));
  return [...topics, '--help'];
}

/** Creates the parser with all commands. Parsing runs the command. */
export function createParser(args: readonly string[], io: Io, end: (code: ExitCode) => void): Argv {
  const parser = yargs([...args], io.cwd)
    .scriptName('muster')
    .usage(
      '$0 <command>: simulate a fleet of monitoring agents and measure how a push server handles its load\n\n' +
        'Try it:                $0 init first.yaml && $0 run first.yaml\n' +
        'Test your own server:  $0 run --target URL --allow HOST',
    )
    .locale('en')
    .wrap(Math.min(WIDEST, io.stdout.columns ?? USUAL_COLUMNS))
    .parserConfiguration({
      'camel-case-expansion': false,
      'dot-notation': false,
      'greedy-arrays': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
    })
    .exitProcess(false)
    .strict()
    .check((flags) => {
      const line = { parser, args };
      const strange = singleDash(line) ?? strangeSwitch(line) ?? repeatedFlag(flags, parser);
      if (strange !== undefined) throw new UserError(strange);
      return true;
    })
    .demandCommand(1, 'Expected a command such as muster run, found none.')
    .version(VERSION)
    .alias('version', 'V')
    .option('licenses', {
      type: 'boolean',
      global: false,
      describe: 'Show the licenses of Muster and of what it contains',
    })
    .help()
    .alias('help', 'h');
  withoutCachedHelp(parser);
  for (const command of Object.values(COMMANDS).flat()) parser.command(moduleOf(command, io, end));
  // yargs answers the scripts of `muster completion`; its own command of that kind is hidden.
  return withDash(parser.completion('yargs-completion', false)).fail((message, error) => {
    // yargs throws YError for a flag without a value; other errors come from commands.
    if (error !== undefined && error.name !== 'YError') throw error;
    throw new UserError(usageMessage(message ?? error?.message ?? 'The command line is invalid.', { parser, args }));
  });
}

/** After each command, yargs renders its help, in case something asks for it later. Nothing does, and it takes as long as reading a scenario. */
function withoutCachedHelp(parser: Argv): void {
  internals(parser).getInternalMethods().getUsageInstance().cacheHelpMessage = () => {};
}

// Messages may quote files, flags or servers.
function printableLines(message: string): string {
  return message.split('\n').map(printable).join('\n');
}

/** Prints why a command failed and returns the exit code. */
export function reportFailure(error: unknown, { stderr }: Io): ExitCode {
  if (error instanceof UserError) {
    stderr.write(`${printableLines(error.message)}\n`);
    // A supervisor that restarts the fleet may retry after this code.
    return error instanceof NotWrittenError || isDiskFull(error) ? EXIT_CODES.notStored : EXIT_CODES.userError;
  }
  if (error instanceof TargetNotAllowedError) {
    stderr.write(`${printableLines(error.message)}\n`);
    return EXIT_CODES.targetNotAllowed;
  }
  const trace = error instanceof Error ? (error.stack ?? error.message) : messageOf(error);
  stderr.write(`Internal error: this is a bug in Muster; please report it:\n${trace}\n`);
  return EXIT_CODES.internalError;
}
