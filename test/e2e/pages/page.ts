import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One command of a page, as it stands there, which may be several lines. */
export type Command = {
  readonly line: number;
  readonly text: string;
  /** How it ends: 0, unless a comment on its last line says `exit code 99`. */
  readonly exitCode: number;
  /** Whether that comment says that it goes on `until Ctrl-C`. */
  readonly isInterrupted: boolean;
};

/** A fence of commands. */
export type Step = {
  readonly line: number;
  readonly commands: readonly Command[];
  /** What stands on its first line after `sh not run:`; undefined: it is run. */
  readonly notRun: string | undefined;
  /** Files that the page asks for before: fences after a paragraph with "Save this as `NAME`". */
  readonly files: readonly SavedFile[];
  /** What the page shows of its output: the `text` fences after it, up to the next heading or fence of commands. */
  readonly shown: readonly Shown[];
};

export type SavedFile = { readonly name: string; readonly text: string };

export type Shown = { readonly line: number; readonly lines: readonly string[] };

export type Page = { readonly name: string; readonly text: string; readonly steps: readonly Step[] };

type Fence = {
  readonly line: number;
  readonly info: string;
  readonly before: string;
  readonly lines: readonly string[];
};

const NOT_RUN = /^sh not run: (.+)$/;
const EXIT_CODE = /# .*\bexit code (\d+)/;
const UNTIL_INTERRUPTED = /# .*\buntil Ctrl-C\b/;
const SAVED_AS = /\bsave this as `([^`]+)`/i;

/** Reads a page of the project. Throws if a fence of commands has another first line than `sh` or `sh not run: WHY`. */
export function readPage(root: string, name: string): Page {
  const text = readFileSync(join(root, name), 'utf8');
  const steps: Step[] = [];
  let files: SavedFile[] = [];
  let shown: Shown[] | undefined;
  for (const part of partsOf(text)) {
    if (part === 'heading') shown = undefined;
    else if (part.info === 'text') shown?.push({ line: part.line + 1, lines: part.lines });
    else if (/^(sh|bash|shell|console)\b/.test(part.info)) {
      shown = [];
      steps.push({ line: part.line, ...commandsOf(name, part), files, shown });
      files = [];
    } else {
      const saved = SAVED_AS.exec(part.before)?.[1];
      if (saved !== undefined) files.push({ name: saved, text: `${part.lines.join('\n')}\n` });
    }
  }
  return { name, text, steps };
}

function commandsOf(name: string, { line, info, lines }: Fence): Pick<Step, 'commands' | 'notRun'> {
  const notRun = NOT_RUN.exec(info)?.[1];
  if (info !== 'sh' && notRun === undefined)
    throw new Error(
      `${name}:${line}: a fence of commands is expected to begin with sh or "sh not run: WHY", found ${info}`,
    );
  return { commands: commandsIn(line + 1, lines), notRun };
}

/** Headings and fences, in their order. A fence in a list is indented. */
function partsOf(text: string): readonly (Fence | 'heading')[] {
  const parts: (Fence | 'heading')[] = [];
  let open: (Fence & { readonly indent: number; readonly lines: string[] }) | undefined;
  let before = '';
  for (const [index, line] of text.split('\n').entries()) {
    const [, blanks = '', info] = /^( *)```(.*)$/.exec(line) ?? [];
    if (open !== undefined) {
      if (info === '') open = undefined;
      else open.lines.push(line.slice(open.indent));
    } else if (info !== undefined) {
      open = { line: index + 1, info: info.trim(), before, indent: blanks.length, lines: [] };
      parts.push(open);
    } else if (/^#+ /.test(line)) parts.push('heading');
    else if (line !== '') before = line;
  }
  return parts;
}

/** Lines become commands as in a shell: one goes on until bash calls it complete. */
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
      isInterrupted: UNTIL_INTERRUPTED.test(line),
    });
    begun = [];
  }
  return commands;
}

// Of a here-document without its end bash complains, but goes on.
function isComplete(text: string): boolean {
  if (text.endsWith('\\')) return false;
  const { status, stderr } = spawnSync('bash', ['-n', '-c', text], { encoding: 'utf8' });
  return status === 0 && stderr === '';
}
