import { column, type HostTables, oncePerData, readSection, readTable, type TableRow } from '../../host-data.ts';
import { roleFile } from '../roles.ts';

export type WindowsProgram = {
  readonly name: string;
  /** Path and full command line; empty for protected processes, which cannot be inspected. */
  readonly path: string;
  readonly command: string;
  readonly memoryMib: number;
  readonly handles: number;
  readonly work: number;
};

const PROGRAM = {
  /** `child` and `pool` belong to the last `main` before them. Pools are repeated to reach a count of processes. */
  kind: column.oneOf('main', 'child', 'pool'),
  memoryMib: column.number,
  handles: column.wholeNumber,
  work: column.number,
  command: column.text,
};

export type ProgramLine = WindowsProgram & Pick<TableRow<typeof PROGRAM>, 'kind'>;

const LISTED = {
  list: column.oneOf('system', 'client-session', 'server-session', 'server', 'server-containers', 'passing'),
  ...PROGRAM,
};

const programs = oncePerData((data) => {
  return readTable(data, 'programs/windows.tsv', LISTED).map(({ list, ...row }) => ({
    list,
    program: programFrom(row),
  }));
});

function programFrom(row: TableRow<typeof PROGRAM>): ProgramLine {
  return { ...row, ...programOf(row.command) };
}

const PARENT = { program: column.text, parent: column.text };

/** Processes or services that start other processes, by the name of the started program in lower case. */
export const parentsOf = oncePerData((data): ReadonlyMap<string, string> => {
  return new Map(
    readTable(data, 'programs/windows-parents.tsv', PARENT).map((row) => [row.program.toLowerCase(), row.parent]),
  );
});

/** Programs of the system, of sessions, of servers, or that run for some minutes. */
export function programsOf(data: HostTables, name: TableRow<typeof LISTED>['list']): readonly ProgramLine[] {
  return programs(data).flatMap(({ list, program }) => (list === name ? [program] : []));
}

/** Programs of a role, in addition to its services. */
export function programsOfRole(data: HostTables, role: string): readonly ProgramLine[] {
  return readSection(data, { file: roleFile(role), section: 'windows programs' }, PROGRAM).map(programFrom);
}

/** The virtual machine in which containers run: with Docker Desktop on a workplace, of Hyper-V on a server. */
export function isContainerMachine({ name }: WindowsProgram): boolean {
  return name === 'vmmemWSL' || name === 'vmmem';
}

/** Programs that run containers, apart from services. */
export function containerPrograms(data: HostTables, client: boolean): readonly ProgramLine[] {
  return client ? programsOfRole(data, 'developer').filter(isContainerProgram) : programsOf(data, 'server-containers');
}

export function isContainerProgram(program: WindowsProgram): boolean {
  return program.name === 'com.docker.backend.exe' || isContainerMachine(program);
}

/** End of a program's path, before its arguments. */
const PROGRAM_END = /\.exe\b|\.service$/i;

/** Splits a command. A command without a folder is a protected process, which shows only its name. */
export function programOf(text: string): Pick<WindowsProgram, 'name' | 'path' | 'command'> {
  const end = PROGRAM_END.exec(text);
  const path = end === null ? text : text.slice(0, end.index + end[0].length);
  const name = path.slice(path.lastIndexOf('\\') + 1);
  if (!path.includes('\\')) return { name, path: '', command: '' };
  return { name, path, command: commandLine(text) };
}

/** The command line, with the path of the program in quotation marks if it contains spaces. */
export function commandLine(text: string): string {
  const end = PROGRAM_END.exec(text);
  if (end === null) return text;
  const cut = end.index + end[0].length;
  const path = text.slice(0, cut);
  return path.includes(' ') ? `"${path}"${text.slice(cut)}` : text;
}
