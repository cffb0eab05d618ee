/**
 * Writes docs/reference/commands.md, with the arguments and flags of every command, from the definitions that also produce the
 * help. Run by hand after a change to a command:
 *
 *     npm run reference
 */
import { writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { Options } from 'yargs';
import { titleOf } from '../docs/site/pages.ts';
import { type Command, commandName, type RunnableCommand } from '../src/cli/command.ts';
import { COMMANDS } from '../src/cli/muster.ts';

const ROOT = resolve(import.meta.dirname, '..');
const PAGE = 'docs/reference/commands.md';

const INTRODUCTION = `# Commands

<!-- Made from the definitions of the commands. To change it, edit the definitions and run npm run reference -->

This page lists the arguments and flags of every command, as \`muster <command> --help\` does; the help has more examples.
Before a scenario file, \`run\` may be left out. \`muster --version\` prints the version, \`muster --licenses\` the licenses.

- A flag with \`…\` takes a value. In brackets: its environment variable, and its default.
- A flag wins over its environment variable, which wins over the scenario file.
- Results go to stdout, progress and messages to stderr.
- Every command ends with one of the [exit codes](exit-codes.md).`;

/** Returns one page of Markdown with all commands, ending with a line break. Source: the definitions of the commands. */
export function commandReference(): string {
  const sections = Object.values(COMMANDS).flat().flatMap(sectionsOf);
  const shared = sharedGroups(sections.map(({ command }) => command));
  const contents = Object.entries(COMMANDS).map(([heading, some]) => {
    const names = some.map(({ command }) => commandName(command));
    return `- ${heading} ${names.map((name) => `[\`${name}\`](#muster-${name})`).join(' · ')}`;
  });
  return `${[
    INTRODUCTION,
    contents.join('\n'),
    ...sections.map((section) => commandText(section, shared)),
    ...[...shared.values()].map(({ group, rows }) => `## ${group} flags\n\n${flagTable(rows)}`),
  ].join('\n\n')}\n`;
}

/** A command with its name, such as `ctl do`, and the names of the commands after it. */
type Section = { readonly name: string; readonly command: Command; readonly subcommands: readonly string[] };

function sectionsOf(runnable: RunnableCommand): readonly Section[] {
  const { command } = runnable;
  const name = commandName(command);
  const subcommands = 'subcommands' in runnable ? runnable.subcommands.flatMap(sectionsOf) : [];
  return [
    { name, command, subcommands: subcommands.map((section) => section.name) },
    ...subcommands.map((section) => ({ ...section, name: `${name} ${section.name}` })),
  ];
}

type FlagGroup = { readonly group: string; readonly rows: readonly (readonly [flag: string, what: string])[] };

/** Groups of flags that several commands have, with all their flags. */
function sharedGroups(commands: readonly Command[]): ReadonlyMap<string, FlagGroup> {
  const all = commands.flatMap(({ flags }) => flagGroups(flags)).filter(({ group }) => group !== OWN);
  const longest = ([...some]: readonly FlagGroup[]) => some.sort((a, b) => b.rows.length - a.rows.length)[0];
  const shared = [...Map.groupBy(all, ({ group }) => group)].flatMap(([group, some]) => {
    const whole = some.length > 1 ? longest(some) : undefined;
    return whole === undefined ? [] : [[group, whole] as const];
  });
  return new Map(shared);
}

/** The flags of a command: its own, those that differ from a shared group, and a sentence that refers to the shared groups. */
function flagsText(groups: readonly FlagGroup[], shared: ReadonlyMap<string, FlagGroup>): readonly string[] {
  const taken = groups.flatMap((group) => shared.get(group.group) ?? []);
  const isShared = (row: FlagGroup['rows'][number]) =>
    taken.some(({ rows }) => rows.some((other) => other[0] === row[0] && other[1] === row[1]));
  const own = groups.flatMap(({ rows }) => rows.filter((row) => !isShared(row)));
  const names = groups.flatMap(({ rows }) => rows.map(([flag]) => flag));
  const references = taken.map(({ group, rows }) => {
    const title = `${group} flags`.toLowerCase();
    const absent = rows.flatMap(([flag]) => (names.includes(flag) ? [] : [flag.replace(/^.*(?=`--)| …$/g, '')]));
    const but = absent.length === 0 ? '' : ` without ${absent.join(', ')}`;
    return `[${title}](#${title.replaceAll(' ', '-')})${but}`;
  });
  return [own.length === 0 ? '' : flagTable(own), references.length === 0 ? '' : `Also: ${references.join('; ')}.`];
}

function flagGroups(flags: Command['flags']): readonly FlagGroup[] {
  const groups = Map.groupBy(Object.entries(flags), ([, { group }]) => group?.replace(/:$/, '') ?? OWN);
  return [...groups].map(([group, members]) => ({
    group,
    rows: members.map(([name, options]) => flagRow(name, options)),
  }));
}

function flagTable(rows: FlagGroup['rows']): string {
  return table(['Flag', 'Meaning'], rows);
}

const OWN = 'Flags';

function commandText({ name, command, subcommands }: Section, shared: ReadonlyMap<string, FlagGroup>): string {
  const { usage, describe, positionals, flags, examples, epilogue } = command;
  const parts = [
    `## muster ${name}`,
    `${prose(describe)}.`,
    subcommands.map((one) => `[\`${one}\`](#muster-${name}-${one})`).join(' · '),
    Object.keys(positionals).length === 0
      ? ''
      : Object.values(positionals)
          .map(
            (options, index) => `- ${code(usage.split(' ')[index + 1] ?? '')}: ${toldOf(options, choicesOf(options))}`,
          )
          .join('\n'),
    ...flagsText(flagGroups(flags), shared),
    // The help shows all examples, and what each does.
    ...examples.slice(0, 1).map(([line]) => `\`\`\`text\n${line.replace('$0', 'muster')}\n\`\`\``),
    ...(epilogue === undefined ? [] : [noteText(epilogue)]),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function flagRow(name: string, options: Options): FlagGroup['rows'][number] {
  const aliases = [options.alias ?? []].flat().map((alias) => `\`-${alias}\``);
  const value = options.type === 'boolean' ? '' : ' …';
  return [`${[...aliases, `\`--${name}\``].join(', ')}${value}`, toldOf(options, choicesOf(options))];
}

function choicesOf({ choices = [] }: Options): string {
  if (choices.length > 10) return `one of ${choices.length}, which the help lists`;
  return choices.map((choice) => code(String(choice))).join(', ');
}

/** A line of the help with its choices, environment variable and default. */
function toldOf({ describe = '', default: fallback }: Options, choices: string): string {
  const [, told = '', variable] = /^(.*?)(?: \[([A-Z_]+)\])?$/s.exec(describe) ?? [];
  const [, purpose = '', inWords] = /^(.*?)(?:; default: (.*))?$/s.exec(told) ?? [];
  const written =
    fallback === undefined || fallback === false || Array.isArray(fallback) ? undefined : String(fallback);
  const suffix = choices === '' ? '' : `: ${choices}`;
  const notes = [
    ...(variable === undefined ? [] : [code(variable)]),
    ...(written === undefined ? [] : [code(written)]),
    ...(written === undefined && inWords !== undefined ? [prose(inWords)] : []),
  ];
  return `${prose(purpose)}${suffix}${notes.length === 0 ? '' : ` [${notes.join('; ')}]`}`;
}

function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(titles), line(titles.map(() => '---')), ...rows.map(line)].join('\n');
}

/** The text below a command's flags in the help. Indented parts become verbatim blocks, the others paragraphs. */
function noteText(epilogue: string): string {
  const blocks: { readonly isShown: boolean; readonly lines: string[] }[] = [];
  // The introduction of the page says what these do.
  for (const line of epilogue.split('\n').filter((line) => !/^(Precedence|Exit codes): /.test(line))) {
    const [isShown, last] = [line.startsWith('  '), blocks.at(-1)];
    if (last === undefined || isShown !== last.isShown || line === '') blocks.push({ isShown, lines: [line] });
    else last.lines.push(line);
  }
  return blocks
    .map(({ isShown, lines }) =>
      isShown
        ? `\`\`\`text\n${lines.map((line) => line.slice(2)).join('\n')}\n\`\`\``
        : linked(prose(lines.join(' ').trim())),
    )
    .filter((text) => text !== '')
    .join('\n\n');
}

/** Replaces file names of pages with links. */
function linked(text: string): string {
  return text.replaceAll(
    /docs\/([\w/-]+)\.md/g,
    (file, page) => `[${titleOf(page)}](${relative('docs/reference', file)})`,
  );
}

function code(text: string): string {
  return `\`${text}\``;
}

/** Escapes text of the help for Markdown. */
function prose(text: string): string {
  return text
    .replaceAll('<', '&lt;')
    .replaceAll('*', '\\*')
    .replaceAll('|', '\\|')
    .replaceAll(/\bMUSTER_[A-Z_]+(=\w+)?/g, code)
    .replaceAll(/(?<=^|\s)--[a-z][a-z-]*/g, code);
}

if (import.meta.main) writeFileSync(join(ROOT, PAGE), commandReference());
