import { hash32 } from '../../base/kernel/random.ts';
import { roleFile } from '../host/roles.ts';
import type { WindowsHardware } from '../host/windows/hardware.ts';
import { containerPrograms, programsOf, programsOfRole, type WindowsProgram } from '../host/windows/programs.ts';
import { hostProgram, optionalServices, serviceProgramsOf } from '../host/windows/services.ts';
import { column, type HostTables, oncePerData, readSection, readTable, type TableRow } from '../host-data.ts';
import { type Candidate, candidate } from './apps.ts';
import { serviceDrawn } from './causes.ts';
import { type Periodic, releasesOf } from './updates.ts';

/** An entry of the list of installed programs. In its name and version, `~` is the newest installed revision. */
export type WindowsApp = {
  readonly name: string;
  readonly version: string;
  readonly publisher: string;
  readonly releases: Periodic | undefined;
};

/** A program and its product. The parts of a product are installed together. */
type ProductPart = { readonly app: WindowsApp; readonly product: string };

const APP = { name: column.text, version: column.text, publisher: column.text, product: column.orEmpty(column.text) };
const LISTED = { list: column.text, ...APP };

const listsOf = oncePerData((data): ReadonlyMap<string, readonly ProductPart[]> => {
  const rows = readTable(data, 'apps/windows.tsv', LISTED);
  const byList = Map.groupBy(rows, ({ list }) => list);
  return new Map([...byList].map(([list, members]) => [list, members.map(productPart)]));
});

function productPart({ name, version, publisher, product }: TableRow<typeof APP>): ProductPart {
  const releases = version.includes('~') ? releasesOf('windows.apps', name) : undefined;
  return { app: { name, version, publisher, releases }, product: product ?? labelOf({ name }) };
}

/** A program's name without its revision, for random draws. */
function labelOf({ name }: Pick<WindowsApp, 'name'>): string {
  return name.replace('~', '');
}

/** Every host has this many of the common programs. The others came with programs that some hosts lack. */
const ALWAYS = 3;
const COMMON_SHARE = 0.7;
const OWN_LISTS: Readonly<Record<string, string>> = { developer: 'development', engineering: 'engineering' };
/** Share of a role's hosts with a program of the role, and with any other program. */
const OWN_SHARE = 0.9;
const OTHER_SHARE = 0.68;

const FOLDER = { folder: column.text, program: column.orEmpty(column.text) };

const foldersOf = oncePerData((data) => {
  const rows = readTable(data, 'apps/windows-folders.tsv', FOLDER);
  return rows.map(({ folder, program }) => ({ folder: folder.toLowerCase(), program }));
});

/** The program that installs what is at a path; `undefined` if none that Windows lists does. Protected processes have no path. */
export function installerOf(data: HostTables, path: string): string | undefined {
  if (path === '') return undefined;
  const lower = path.toLowerCase();
  const row = foldersOf(data).find(({ folder }) => lower.startsWith(folder));
  if (row === undefined) throw new Error(`apps/windows-folders.tsv must have a folder that contains ${path}`);
  return row.program;
}

type AppsInput = {
  readonly hardware: WindowsHardware;
  readonly containers: boolean;
};

/** Programs that a role's hosts may have installed, the most important first. Whatever runs on a host was installed there. */
export function windowsApps(data: HostTables, input: AppsInput): readonly Candidate<WindowsApp>[] {
  const { role, client } = input.hardware;
  const lists = listsOf(data);
  const listed = (list: string) => lists.get(list) ?? [];
  const mixed = (parts: readonly ProductPart[]) => {
    const order = ({ app }: ProductPart) => hash32(0, `windows.apps.${role}.${labelOf(app)}`);
    return [...parts].sort((a, b) => order(a) - order(b));
  };
  const server = readSection(data, { file: roleFile(role), section: 'windows apps' }, APP).map(productPart);
  const common = listed('common');
  const first = [
    ...candidates(common.slice(0, ALWAYS), 1),
    ...candidates(server, 1),
    ...withPrograms(data, input, [...server, ...[...lists.values()].flat()]),
    ...candidates(common.slice(ALWAYS), COMMON_SHARE),
  ];
  if (!client) {
    return distinct([...first, ...candidates(mixed(listed('server-tools')), OTHER_SHARE)]);
  }
  const own = OWN_LISTS[role] ?? 'office';
  const rest = mixed(['office', 'development', 'engineering'].filter((list) => list !== own).flatMap(listed));
  return distinct([...first, ...candidates(listed(own), OWN_SHARE), ...candidates(rest, OTHER_SHARE)]);
}

/** Programs of what runs on all hosts, then of services that some have. */
function withPrograms(
  data: HostTables,
  { hardware, containers }: AppsInput,
  known: readonly ProductPart[],
): readonly Candidate<WindowsApp>[] {
  const { role, client } = hardware;
  const partsAt = ({ path }: WindowsProgram) => {
    const installer = installerOf(data, path);
    return known.filter(({ app }) => app.name === installer);
  };
  const sessions = client ? (['client-session'] as const) : (['server-session', 'server'] as const);
  const programs = [
    ...[...serviceProgramsOf(data, hardware), ...programsOfRole(data, role)],
    ...sessions.flatMap((list) => programsOf(data, list)),
    ...(containers ? containerPrograms(data, client) : []),
  ];
  return [
    ...candidates(programs.flatMap(partsAt), 1),
    ...optionalServices(data, hardware).flatMap(({ line, draw }) => {
      return partsAt(hostProgram(line)).map(({ app }) => ({ app, causes: [serviceDrawn(draw)] }));
    }),
  ];
}

function candidates(parts: readonly ProductPart[], share: number): readonly Candidate<WindowsApp>[] {
  return parts.map(({ app, product }) => candidate(app, product, share));
}

/** The list is unique by name. The first cause of a program counts. */
function distinct(apps: readonly Candidate<WindowsApp>[]): readonly Candidate<WindowsApp>[] {
  return [...Map.groupBy(apps, ({ app }) => labelOf(app)).values()].flatMap((same) => same.slice(0, 1));
}
