import yargs, { type Argv } from 'yargs';
import { isDiskFull, messageOf, NotWrittenError, TargetNotAllowedError, UserError } from '../base/kernel/errors.ts';
import { printable } from '../base/kernel/printable.ts';
import { VERSION } from '../base/kernel/version.ts';
import { addCommands, type Command, commandName, type RunnableCommand, runnable } from './command.ts';
import { CTL_COMMANDS, type CtlCommand, ctlCommand } from './commands/ctl.ts';
import { cleanupCommand, fleetCommand, provisionCommand } from './commands/fleets.ts';
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
import { answerScripts, completionCommand, printCompletion } from './completion.ts';
import { EXIT_CODES, type ExitCode } from './exit-codes.ts';
import type { Io } from './io.ts';
import {
  commandNames,
  internals,
  misuse,
  unknownCommand,
  usageMessage,
  withHelp,
  YARGS_STRINGS,
} from './usage-message.ts';

const WIDEST = 110;
const USUAL_COLUMNS = 80;

/** Runs one command line, without the program's name, and returns the exit code. */
export async function runMuster(args: readonly string[], io: Io): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT_CODES.pass;
  const parser = createParser(args, io, (code) => {
    exitCode = code;
  });
  try {
    if (args.length === 1 && args[0] === '--licenses') {
      io.stdout.write(await licenses());
      return exitCode;
    }
    const later = answerScripts(parser, io);
    // With a callback, yargs passes help and version texts to it instead of printing them.
    await parser.parseAsync(withPaths(helpRequest(args, parser)), {}, (_error, _flags, output) => {
      if (output !== '') io.stdout.write(`${groupCommands(output)}\n`);
    });
    for (const word of (await Promise.all(later)).flat()) io.stdout.write(`${word}\n`);
    return exitCode;
  } catch (error) {
    return reportFailure(error, io);
  }
}

/** All commands by their group in the help. The reference page of commands is made from them. */
export const COMMANDS: Readonly<Record<string, readonly RunnableCommand[]>> = {
  'Test a server:': [
    runnable(runCommand, async () => (await import('./actions/run.ts')).runScenarios),
    runnable(initCommand, async () => (await import('./actions/init.ts')).writeStarter),
    runnable(validateCommand, async () => (await import('./actions/validate.ts')).validateScenarios),
    runnable(planCommand, async () => (await import('./actions/plan.ts')).planScenario),
    runnable(replayCommand, async () => (await import('./actions/replay.ts')).replayLogs),
    runnable(capacityCommand, async () => (await import('./actions/capacity.ts')).capacity),
    runnable(conformCommand, async () => (await import('./actions/conform.ts')).conform),
  ],
  'Keep a fleet running:': [
    runnable(fleetCommand, async () => (await import('./actions/fleet.ts')).keepFleet),
    {
      command: ctlCommand,
      subcommands: Object.entries<Command>(CTL_COMMANDS).map(([name, command]) =>
        runnable(command, async () => (await import('./actions/ctl.ts')).actionOf(name as CtlCommand)),
      ),
    },
    runnable(provisionCommand, async () => (await import('./actions/provision.ts')).provisionFleet),
    runnable(cleanupCommand, async () => (await import('./actions/provision.ts')).cleanUpFleet),
  ],
  'Work with results:': [
    runnable(reportCommand, async () => (await import('./actions/report.ts')).reportRun),
    runnable(compareCommand, async () => (await import('./actions/compare.ts')).compareResults),
    runnable(historyCommand, async () => (await import('./actions/history.ts')).showHistory),
  ],
  'Simulated hosts:': [
    runnable(inspectCommand, async () => (await import('./actions/inspect.ts')).inspect),
    runnable(recordCommand, async () => (await import('./actions/record.ts')).recordOrInspect),
  ],
  'Several machines:': [
    runnable(joinCommand, async () => (await import('./actions/join.ts')).joinUntilInterrupted),
    runnable(mergeCommand, async () => (await import('./actions/report.ts')).mergeResults),
    runnable(manifestCommand, async () => (await import('./actions/manifest.ts')).writeManifest),
  ],
  'Other:': [
    runnable(serveCommand, async () => (await import('./actions/serve.ts')).serveUntilStopped),
    runnable(doctorCommand, async () => (await import('./actions/doctor.ts')).doctor),
    runnable(schemaCommand, async () => (await import('./actions/schema.ts')).printSchema),
    runnable(completionCommand, async () => printCompletion),
  ],
};

/** The list of all commands in groups. Other texts are unchanged. */
function groupCommands(help: string): string {
  if (!help.startsWith('muster <command>')) return help;
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

/** Everything after `--` is an argument. A path keeps yargs from taking a file whose name begins with a dash for a flag. */
function withPaths(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  if (end < 0 || end === args.length - 1) return args;
  return [...args.slice(0, end), ...args.slice(end + 1).map((arg) => arg.replace(/^-(?=.)/, './-'))];
}

/** Converts `muster steady.yaml`, and any other file or URL, to `run steady.yaml`, `muster` and `muster help` to `--help`, and `muster help run` to `run --help`. */
function helpRequest(args: readonly string[], parser: Argv): readonly string[] {
  const [first, ...topics] = args;
  if (first !== undefined && /^[^-].*[./]/.test(first)) return ['run', ...args];
  if (first !== undefined && first !== 'help') return args;
  const [strange] = topics.filter((topic) => !topic.startsWith('-'));
  if (strange !== undefined && !commandNames(parser).includes(strange))
    throw new UserError(withHelp(unknownCommand(strange, parser), parser));
  return [...topics, '--help'];
}

/** Creates the parser with all commands. Parsing runs the command. */
export function createParser(args: readonly string[], io: Io, end: (code: ExitCode) => void): Argv {
  const commands = Object.values(COMMANDS).flat();
  const parser = yargs([...args], io.cwd)
    .scriptName('muster')
    .usage(
      '$0 <command>: simulate a fleet of monitoring agents and measure how a push server handles its load\n\n' +
        'Try it:                $0 init first.yaml && $0 run first.yaml\n' +
        'Test your own server:  $0 run --target URL --allow HOST',
    )
    .locale('en')
    .updateStrings(YARGS_STRINGS as Record<string, string>)
    .wrap(Math.min(WIDEST, io.stdout.columns ?? USUAL_COLUMNS))
    .parserConfiguration({
      'camel-case-expansion': false,
      'dot-notation': false,
      'greedy-arrays': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
      // Otherwise yargs drops `-`, and reports a flag without its dashes and by letters.
      'unknown-options-as-args': true,
    })
    .exitProcess(false)
    .strict()
    .check((flags) => {
      const message = misuse(flags, { parser, args, commands });
      if (message !== undefined) throw new UserError(message);
      return true;
    })
    .version(VERSION)
    .alias('version', 'V')
    .option('licenses', {
      type: 'boolean',
      global: false,
      describe: 'Show the licenses of Muster and of what it contains',
    })
    // The flag of the scripts of `muster completion`, which the words typed so far follow.
    .option('get-yargs-completions', { type: 'string', hidden: true })
    .help()
    .alias('help', 'h')
    .fail((message, error) => {
      // yargs throws YError for a flag without a value; other errors come from commands.
      throw error === undefined || error.name === 'YError'
        ? new UserError(usageMessage(message, { parser, args, commands }))
        : error;
    });
  withoutCachedHelp(parser);
  return addCommands(parser, commands, { io, end });
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
