import {
  type HostTables,
  NUMBER,
  oncePerData,
  oneOf,
  readSection,
  readTable,
  type TableRow,
  TEXT,
  WHOLE_NUMBER,
} from '../../host-data.ts';
import { roleFile } from '../roles.ts';

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

const PROGRAM = {
  kind: oneOf('main', 'child', 'pool'),
  memory_mib: NUMBER,
  handles: WHOLE_NUMBER,
  work: NUMBER,
  command: TEXT,
};

const LISTED = { list: oneOf('system', 'client-session', 'server-session', 'server', 'passing'), ...PROGRAM };

const programs = oncePerData((data) => {
  return readTable(data, 'programs/windows.tsv', LISTED).map(({ list, ...row }) => ({
    list,
    program: programFrom(row),
  }));
});

function programFrom({ kind, memory_mib: memoryMib, handles, work, command }: TableRow<typeof PROGRAM>): ProgramLine {
  return { ...programOf(command), kind, memoryMib, handles, work };
}

type ProgramList = 'system' | 'client-session' | 'server-session' | 'server' | 'passing';

/** What runs for the system, with a session, on servers, or for some minutes. */
export function programsOf(data: HostTables, name: ProgramList): readonly ProgramLine[] {
  return programs(data).flatMap(({ list, program }) => (list === name ? [program] : []));
}

/** What runs for a role besides its services. */
export function programsOfRole(data: HostTables, role: string): readonly ProgramLine[] {
  return readSection(data, { file: roleFile(role), section: 'windows programs' }, PROGRAM).map(programFrom);
}

/** What containers run in, which is a virtual machine on this system. */
export const CONTAINER_MACHINE = 'vmmemWSL';

export function isContainerProgram({ name }: WindowsProgram): boolean {
  return name === 'com.docker.backend.exe' || name === CONTAINER_MACHINE;
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
