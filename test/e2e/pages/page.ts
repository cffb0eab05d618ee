import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One command of a page, which may span several lines. A comment on its last line sets its options. */
export type Command = {
  readonly line: number;
  readonly text: string;
  /** From `# exit code 99`; 0 by default. */
  readonly exitCode: number;
  /** `# leave it running`: it runs for the rest of the page, in another terminal. `# until Ctrl-C`: it is interrupted. */
  readonly goesOn: 'left' | 'interrupted' | undefined;
};

/** A fence of commands. */
export type Commands = {
  readonly kind: 'commands';
  readonly line: number;
  readonly commands: readonly Command[];
  /** The text after `sh not run:` on its first line; undefined if it is run. */
  readonly notRun: string | undefined;
  /** The output that the page shows: the `text` fences after it, up to the next heading or fence of commands. */
  readonly shown: readonly Shown[];
};

export type Shown = { readonly line: number; readonly lines: readonly string[] };

/** An instruction of a page to its readers. */
export type Step =
  | Commands
  /** A fence after a line with "Save this as `NAME`". */
  | { readonly kind: 'save'; readonly name: string; readonly text: string }
  /** A line with "Press Ctrl-C in the terminal of `START OF THE COMMAND`". */
  | { readonly kind: 'interrupt'; readonly line: number; readonly command: string };

export type Page = { readonly name: string; readonly text: string; readonly steps: readonly Step[] };

type Part =
  | { readonly kind: 'heading' }
  | { readonly kind: 'line'; readonly line: number; readonly text: string }
  | {
      readonly kind: 'fence';
      readonly line: number;
      readonly info: string;
      readonly lineBefore: string;
      readonly lines: readonly string[];
    };
type Fence = Extract<Part, { kind: 'fence' }>;

const NOT_RUN = /^sh not run: (.+)$/;
const EXIT_CODE = /# .*\bexit code (\d+)/;
const LEFT_RUNNING = /# .*\bleave it running\b/;
const UNTIL_INTERRUPTED = /# .*\buntil Ctrl-C\b/;
const SAVED_AS = /\bsave this as `([^`]+)`/i;
const INTERRUPT = /\bpress Ctrl-C in the terminal of `([^`]+)`/i;

/** Reads a page of the project. @throws Error if a fence of commands starts with anything but `sh` or `sh not run: WHY` */
export function readPage(root: string, name: string): Page {
  const text = readFileSync(join(root, name), 'utf8');
  const steps: Step[] = [];
  let shown: Shown[] = [];
  for (const part of partsOf(text)) {
    const isOfCommands = part.kind === 'fence' && /^(sh|bash|shell|console)\b/.test(part.info);
    if (isOfCommands || part.kind === 'heading') shown = [];
    if (isOfCommands) steps.push({ kind: 'commands', line: part.line, ...commandsOf(name, part), shown });
    else if (part.kind === 'fence' && part.info === 'text') shown.push({ line: part.line + 1, lines: part.lines });
    else steps.push(...stepsIn(part));
  }
  return { name, text, steps };
}

/** The instructions other than commands. */
function stepsIn(part: Part): readonly Step[] {
  if (part.kind === 'heading') return [];
  if (part.kind === 'fence') {
    const name = SAVED_AS.exec(part.lineBefore)?.[1];
    return name === undefined ? [] : [{ kind: 'save', name, text: `${part.lines.join('\n')}\n` }];
  }
  const command = INTERRUPT.exec(part.text)?.[1];
  return command === undefined ? [] : [{ kind: 'interrupt', line: part.line, command }];
}

function commandsOf(name: string, { line, info, lines }: Fence): Pick<Commands, 'commands' | 'notRun'> {
  const notRun = NOT_RUN.exec(info)?.[1];
  if (info !== 'sh' && notRun === undefined)
    throw new Error(
      `${name}:${line}: expected a fence of commands to start with sh or "sh not run: WHY", found ${info}`,
    );
  return { commands: commandsIn(line + 1, lines), notRun };
}

/** A fence in a list is indented, and so are its lines. */
function partsOf(text: string): readonly Part[] {
  const parts: Part[] = [];
  let open: (Fence & { readonly lines: string[] }) | undefined;
  let indent = 0;
  let lineBefore = '';
  for (const [index, line] of text.split('\n').entries()) {
    const [, blanks = '', info] = /^( *)```(.*)$/.exec(line) ?? [];
    if (open !== undefined) {
      if (info === '') open = undefined;
      else open.lines.push(line.slice(indent));
    } else if (info !== undefined) {
      indent = blanks.length;
      open = { kind: 'fence', line: index + 1, info: info.trim(), lineBefore, lines: [] };
      parts.push(open);
    } else if (/^#+ /.test(line)) parts.push({ kind: 'heading' });
    else if (line !== '') {
      lineBefore = line;
      parts.push({ kind: 'line', line: index + 1, text: line });
    }
  }
  return parts;
}

/** Splits lines into commands as a shell does: a command continues until bash accepts it as complete. */
function commandsIn(firstLine: number, lines: readonly string[]): readonly Command[] {
  const commands: Command[] = [];
  let begun: string[] = [];
  for (const [index, line] of lines.entries()) {
    if (begun.length === 0 && /^\s*(#|$)/.test(line)) continue;
    begun.push(line);
    const text = begun.join('\n');
    if (index + 1 < lines.length && !isComplete(text)) continue;
    commands.push({
      line: firstLine + index + 1 - begun.length,
      text,
      exitCode: Number(EXIT_CODE.exec(line)?.[1] ?? 0),
      goesOn: LEFT_RUNNING.test(line) ? 'left' : UNTIL_INTERRUPTED.test(line) ? 'interrupted' : undefined,
    });
    begun = [];
  }
  return commands;
}

// Bash complains about a here-document without its end, but exits with 0.
function isComplete(text: string): boolean {
  if (text.endsWith('\\')) return false;
  const { status, stderr } = spawnSync('bash', ['-n', '-c', text], { encoding: 'utf8' });
  return status === 0 && stderr === '';
}
