import type { ProgramLine, WindowsProgram } from '../../host/windows/programs.ts';
import {
  containerPrograms,
  isContainerProgram,
  parentsOf,
  programsOf,
  programsOfRole,
} from '../../host/windows/programs.ts';
import type { WindowsService } from '../../host/windows/services.ts';
import { type HostServices, hostProgram, processKey, type Wake } from '../../host/windows/services.ts';
import type { HostTables } from '../../host-data.ts';
import type { Session } from '../users.ts';

/** A long-lived process: since boot, since a user's sign-in, or while a service is awake. */
export type Resident = {
  readonly program: WindowsProgram;
  /** Index of its parent in the list of residents; -1 if it has none. */
  readonly parent: number;
  readonly session?: Session;
  readonly wake?: Wake;
};

type ResidentsInput = HostServices & {
  readonly data: HostTables;
  readonly role: string;
  readonly client: boolean;
  /** Whether the host has containers. The programs that they run in exist from boot. */
  readonly containers: boolean;
  readonly sessions: readonly Session[];
  /** Approximate number of residents. The system and services come first. */
  readonly count: number;
};

type Residents = {
  readonly list: readonly Resident[];
  /** Returns the index of the process that runs a service. For a user's service, it is that of its first instance. */
  readonly indexOf: (line: WindowsService) => number | undefined;
  readonly parentOf: (program: WindowsProgram) => number;
};

const FIRST_PROGRAMS = 4;

/** Lists everything that runs on a host, in order of start. */
export function residentsOf(input: ResidentsInput): Residents {
  const { data } = input;
  const list: Resident[] = [];
  const indices = new Map<string, number>();
  const nameOf = ({ program }: Resident) => program.name;
  const indexOfName = (name: string) => list.map(nameOf).indexOf(name);
  for (const program of programsOf(data, 'system')) {
    const index = list.push({ program, parent: indexOfName('System') }) - 1;
    if (program.path !== '') indices.set(program.path.toLowerCase(), index);
  }
  const services = indexOfName('services.exe');
  const host = (line: WindowsService, rest: Omit<Resident, 'program' | 'parent'>) => {
    const key = processKey(line);
    if (!indices.has(key)) indices.set(key, list.push({ program: hostProgram(line), parent: services, ...rest }) - 1);
    indices.set(line.name, indices.get(key) ?? services);
  };
  for (const line of input.services.filter(({ state }) => state === 'runs')) host(line, stopOf(line, input));
  const present = input.installed.filter(({ line }) => line.state === 'runs');
  for (const wake of [...present, ...input.wakes]) host(wake.line, { wake });
  const [session] = input.sessions;
  if (session !== undefined) {
    for (const line of input.userServices.filter(({ state }) => state === 'runs')) host(line, { session });
  }
  const needed = input.containers ? containerPrograms(data, input.client) : [];
  list.push(...needed.map((program): Resident => ({ program, parent: services })));
  const own = programsOfRole(data, input.role).filter((program) => needed.length === 0 || !isContainerProgram(program));
  const everyServers = programsOf(data, 'server');
  const server = { services, start: list.length, count: input.count };
  if (!input.client) list.push(...serverResidents([...own, ...everyServers], server));
  // A short list has the programs that its user works with before the rest of the session.
  const [shell = [], ...rest] = programsOf(data, 'client-session').map((line) => [line]);
  const [work, others] = [own.slice(0, FIRST_PROGRAMS), own.slice(FIRST_PROGRAMS)];
  const remote = programsOf(data, 'server-session');
  const lines = input.client ? [...shell, ...work, ...rest.flat(), ...others] : remote;
  for (const signedIn of input.sessions) {
    const room = input.client ? Math.max(6, input.count - list.length) : remote.length;
    const [start, logon] = [list.length, indexOfName('winlogon.exe')];
    // The shell of a session comes first and starts the other programs.
    const starterOf = (parent: number, index: number) => (index === 0 ? logon : start + Math.max(0, parent));
    const all = arranged(lines, room).map(({ program, parent }, index): Resident => {
      return { program, session: signedIn, parent: starterOf(parent, index) };
    });
    list.push(...all);
  }
  const parents = parentsOf(data);
  /** Whatever starts a program must be there whenever the program is. */
  const parentOf = (program: WindowsProgram): number | undefined => {
    const name = parents.get(program.name.toLowerCase()) ?? '';
    const index = indices.get(name) ?? indexOfName(name);
    return index < 0 || list[index]?.wake !== undefined || list[index]?.session !== undefined ? undefined : index;
  };
  return {
    list: list.map((resident) => ({ ...resident, parent: parentOf(resident.program) ?? resident.parent })),
    parentOf: (program) => parentOf(program) ?? services,
    indexOf: (line) => indices.get(processKey(line)),
  };
}

/** A stopped service ends its process only if no other service shares it. */
function stopOf(line: WindowsService, { stops, services }: ResidentsInput): { readonly wake?: Wake } {
  const stop = stops.find((candidate) => candidate.line === line);
  if (stop === undefined) return {};
  const shared = services.some((other) => other !== line && processKey(other) === processKey(line));
  return shared ? {} : { wake: stop };
}

type ServerPlace = { readonly services: number; readonly start: number; readonly count: number };

/** Programs that a server runs whether or not a user is signed in. */
function serverResidents(lines: readonly ProgramLine[], { services, start, count }: ServerPlace): readonly Resident[] {
  const all = arranged(lines, Math.max(FIRST_PROGRAMS, count - start));
  return all.map(({ program, parent }) => ({ program, parent: parent < 0 ? services : start + parent }));
}

type Arranged = { readonly program: WindowsProgram; readonly parent: number };

/** Programs with their children. Pools are extended or left out to fit. */
function arranged(lines: readonly ProgramLine[], room: number): readonly Arranged[] {
  const list: Arranged[] = [];
  const pools: Arranged[] = [];
  let main = -1;
  for (const program of lines) {
    if (program.kind === 'main') main = list.push({ program, parent: -1 }) - 1;
    else (program.kind === 'pool' ? pools : list).push({ program, parent: main });
  }
  if (list.length > room) return list.slice(0, room);
  for (let i = 0; pools.length > 0 && list.length < room; i++) {
    const { program, parent } = pools[i % pools.length] as Arranged;
    const number = String(1 + Math.floor(i / pools.length));
    list.push({ program: { ...program, command: program.command.replaceAll('{i}', number) }, parent });
  }
  return list;
}
