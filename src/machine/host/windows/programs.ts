import { textTable } from '../text-table.ts';

/** A program as Windows tells it. */
export type WindowsProgram = {
  readonly name: string;
  /** Path and whole command line; empty for protected processes, which nobody may look into. */
  readonly path: string;
  readonly command: string;
  readonly memoryMib: number;
  readonly handles: number;
  /** Share of the host's work that it does. */
  readonly work: number;
};

export type ProgramLine = WindowsProgram & {
  /** `child` and `pool` belong to the last `main` before them; pools are repeated where there is room. */
  readonly kind: 'main' | 'child' | 'pool';
};

/** Reads lines of `command | MiB | handles | share of work`; `>` before a command marks a child, `*` a pool. */
export function programTable(lines: string): readonly ProgramLine[] {
  return textTable(lines).map(([text = '', memory = '2', handles = '150', work = '0']) => {
    const mark = text.charAt(0);
    const kind = mark === '>' ? 'child' : mark === '*' ? 'pool' : 'main';
    const program = programOf(kind === 'main' ? text : text.slice(1).trim());
    return { ...program, kind, memoryMib: Number(memory), handles: Number(handles), work: Number(work) };
  });
}

/** Where the path of a program ends and its arguments begin. */
const PROGRAM_END = /\.exe\b|\.service$/i;

/** Takes a command apart. Without a folder it is a protected process, of which only the name is known. */
export function programOf(text: string): Pick<WindowsProgram, 'name' | 'path' | 'command'> {
  const end = PROGRAM_END.exec(text);
  const path = end === null ? text : text.slice(0, end.index + end[0].length);
  const name = path.slice(path.lastIndexOf('\\') + 1);
  if (!path.includes('\\')) return { name, path: '', command: '' };
  return { name, path, command: commandLine(text) };
}

/** The command line with its program in quotation marks where the path has blanks. */
export function commandLine(text: string): string {
  const end = PROGRAM_END.exec(text);
  if (end === null) return text;
  const cut = end.index + end[0].length;
  const path = text.slice(0, cut);
  return path.includes(' ') ? `"${path}"${text.slice(cut)}` : text;
}
