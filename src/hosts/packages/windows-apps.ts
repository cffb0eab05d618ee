import { hash32 } from '../../ground/kernel/random.ts';
import type { Draw } from '../host/noise.ts';
import { roleFile, rolesOn } from '../host/roles.ts';
import { column, type HostTables, oncePerData, readSection, readTable, type TableRow } from '../host-data.ts';
import { type Candidate, candidate, serviceDrawn } from './causes.ts';
import { type Periodic, releasesOf } from './updates.ts';

/** An entry of the list of installed programs. In its name and version, `~` is the newest installed revision. */
export type WindowsApp = {
  readonly name: string;
  readonly version: string;
  readonly publisher: string;
  readonly releases: Periodic | undefined;
};

/** A service, and the program that brings it; `undefined` if it needs none. */
export type ServiceOfProgram = { readonly program: Program | undefined; readonly draw: Draw };
type Program = Omit<WindowsApp, 'releases'>;

/** A program and its product. The parts of a product are installed together. */
type ProductPart = { readonly app: WindowsApp; readonly product: string };

const APP = { name: column.text, version: column.text, publisher: column.text, product: column.orEmpty(column.text) };
const LISTED = { list: column.text, ...APP };

/** Programs by list. */
const listsOf = oncePerData((data): ReadonlyMap<string, readonly ProductPart[]> => {
  const rows = readTable(data, 'apps/windows.tsv', LISTED);
  const byList = Map.groupBy(rows, ({ list }) => list);
  return new Map([...byList].map(([list, members]) => [list, members.map(productPart)]));
});

function productPart({ product, ...row }: TableRow<typeof APP>): ProductPart {
  return { app: appOf(row), product: product ?? labelOf(row) };
}

function appOf({ name, version, publisher }: Program): WindowsApp {
  const releases = version.includes('~') ? releasesOf('windows.apps', name) : undefined;
  return { name, version, publisher, releases };
}

/** A program's name without its revision, for random draws. */
function labelOf({ name }: Pick<WindowsApp, 'name'>): string {
  return name.replace('~', '');
}

/** Every host has this many of the common programs. The others came with programs that some hosts lack. */
const ALWAYS = 3;
const COMMON_SHARE = 0.7;
/** Share of a role's hosts with a program of the role, and with any other program. */
const OWN_SHARE = 0.9;
const OTHER_SHARE = 0.68;

/** Programs that a role's hosts may have installed, the most important first, and those of their services. */
export function windowsApps(
  data: HostTables,
  role: string,
  services: readonly ServiceOfProgram[],
): readonly Candidate<WindowsApp>[] {
  const lists = listsOf(data);
  const listed = (list: string) => lists.get(list) ?? [];
  const [office, development] = [listed('office'), listed('development')];
  const mixed = (parts: readonly ProductPart[]) => {
    const order = ({ app }: ProductPart) => hash32(0, `windows.apps.${role}.${labelOf(app)}`);
    return [...parts].sort((a, b) => order(a) - order(b));
  };
  const isServer = rolesOn('windows-server').includes(role);
  const server = readSection(data, { file: roleFile(role), section: 'windows apps' }, APP).map(productPart);
  const brought = services.flatMap(({ program, draw }) => {
    return program === undefined ? [] : [{ app: appOf(program), causes: [serviceDrawn(draw)] }];
  });
  const common = listed('common');
  const first = [
    ...candidates(common.slice(0, ALWAYS), 1),
    ...candidates(server, 1),
    ...brought,
    ...candidates(common.slice(ALWAYS), COMMON_SHARE),
  ];
  if (isServer) {
    return distinct([...first, ...candidates(mixed(listed('server-tools')), OTHER_SHARE)]);
  }
  const clients = [office, development, listed('engineering')];
  const own = role === 'developer' ? development : role === 'engineering' ? listed('engineering') : office;
  const rest = mixed(clients.filter((list) => list !== own).flat());
  return distinct([...first, ...candidates(own, OWN_SHARE), ...candidates(rest, OTHER_SHARE)]);
}

function candidates(parts: readonly ProductPart[], share: number): readonly Candidate<WindowsApp>[] {
  return parts.map(({ app, product }) => candidate(app, product, share));
}

/** The list is unique by name, version and publisher together. */
function distinct(apps: readonly Candidate<WindowsApp>[]): readonly Candidate<WindowsApp>[] {
  return [...new Map(apps.toReversed().map((one) => [labelOf(one.app), one])).values()].reverse();
}
