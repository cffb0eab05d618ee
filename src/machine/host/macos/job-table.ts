import { textTable } from '../text-table.ts';

/** A program that launchd starts, for the system or for a user. */
export type Job = {
  /** Undefined: the user who is signed in. */
  readonly user: string | undefined;
  readonly command: string;
  readonly memoryMib: number;
  /** As `launchctl list` calls it. */
  readonly label: string;
  /** Share of the host's work that it does. */
  readonly work: number;
  /** Repeated where there is room. */
  readonly pool: boolean;
};

/** What a letter before a colon stands for, so that tables stay readable. */
const FOLDERS: Readonly<Record<string, string>> = {
  L: '/usr/libexec/',
  U: '/usr/sbin/',
  C: '/System/Library/CoreServices/',
  F: '/System/Library/Frameworks/',
  P: '/System/Library/PrivateFrameworks/',
  A: '/Applications/',
};

/**
 * Reads lines of `program and arguments | MiB | user | label | share of work`; what is left out at the end is usual.
 * `X:` and `Y:` are services inside of public and private frameworks, `N:` programs of an application's bundle; `*`
 * marks a pool.
 */
export function jobTable(lines: string, defaultUser: string | undefined): readonly Job[] {
  return textTable(lines).map(([text = '', memory = '5', user = '', label = '', work = '0']) => {
    const pool = text.startsWith('*');
    const command = commandOf(pool ? text.slice(1).trim() : text);
    const own = label === '' ? `com.apple.${baseName(command)}` : label;
    const owner = user === '' ? defaultUser : user;
    return { user: owner, command, memoryMib: Number(memory), label: own, work: Number(work), pool };
  });
}

function commandOf(text: string): string {
  const mark = text.slice(0, 2);
  const rest = text.slice(2);
  if (mark === 'X:' || mark === 'Y:') return serviceCommand(mark === 'X:' ? FOLDERS.F : FOLDERS.P, rest);
  if (mark === 'N:') return `/Applications/${rest}.app/Contents/MacOS/${rest.slice(rest.lastIndexOf('/') + 1)}`;
  const folder = mark.endsWith(':') ? FOLDERS[mark.charAt(0)] : undefined;
  return folder === undefined ? text : folder + rest;
}

/** `CoreAudio/com.apple.audio.DriverHelper` lies deep inside its framework. */
function serviceCommand(folder = '', rest: string): string {
  const [framework = '', service = ''] = rest.split('/');
  return `${folder}${framework}.framework/Versions/A/XPCServices/${service}.xpc/Contents/MacOS/${service}`;
}

function baseName(command: string): string {
  const program = command.split(' ')[0] ?? '';
  return program.slice(program.lastIndexOf('/') + 1);
}
