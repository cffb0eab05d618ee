import { column, dataFault, type HostTables, oncePerData, readTable, type TableRow } from '../../host-data.ts';
import type { ExporterEntry } from '../configured-checks.ts';
import type { Draw } from '../draws.ts';

/** A systemd service, or a program outside systemd, with the processes it starts. */
export type LinuxService = Daemon & {
  /** `undefined` for a program outside systemd. */
  readonly unit: UnitName | undefined;
  /** Physical or virtual hosts only, those of a hypervisor, or those whose cards are a team; all if `undefined`. */
  readonly on: TableRow<typeof SERVICE>['place'];
  /** Hosts that have the service; all if `undefined`. */
  readonly draw: Draw | undefined;
  readonly children: readonly Child[];
};

type UnitName = { readonly name: string; readonly description: string };

/** A process that a service starts. A pool gets more processes to reach a host's count. */
export type Child = Daemon & { readonly pool: PoolLimit | undefined; readonly lasting: Lasting };

/** Lifetime of a process: that of its service, a turn until its successor starts, or a job. */
export type Lasting = 'always' | 'turn' | 'job';

/** Limits on the length of a pool. The lowest applies. */
export type PoolLimit = { readonly perCore: number; readonly perGib: number; readonly most: number };

export const SERVICE = {
  unit: column.orEmpty(column.text),
  kind: column.oneOf('main', 'child', 'pool', 'turns', 'jobs'),
  description: column.orEmpty(column.text),
  user: column.text,
  memoryMib: column.number,
  virtualMib: column.number,
  work: column.number,
  nice: column.number,
  place: column.orEmpty(column.oneOf('metal', 'virtual', 'kvm', 'vmware', 'team')),
  chance: column.orEmpty(column.text),
  from: column.orEmpty(column.number),
  to: column.orEmpty(column.number),
  perCore: column.orEmpty(column.number),
  perGib: column.orEmpty(column.number),
  most: column.orEmpty(column.wholeNumber),
  command: column.text,
};

export type Daemon = Pick<TableRow<typeof SERVICE>, 'user' | 'command' | 'memoryMib' | 'virtualMib' | 'work' | 'nice'>;

/** The services that a distribution starts on its hosts, in start order. */
export function servicesOf(data: HostTables, distribution: string): readonly LinuxService[] {
  const file = `services/${distribution}.tsv`;
  return servicesFrom(file, readTable(data, file, SERVICE));
}

/** Services that some hosts of several distributions run, and services that guests need. */
const SHARED = { list: column.oneOf('optional', 'optional-debian', 'containers', 'machines', 'exporter'), ...SERVICE };
type SharedRow = TableRow<typeof SHARED>;

const SHARED_FILE = 'services/linux.tsv';
const sharedRows = oncePerData((data) => readTable(data, SHARED_FILE, SHARED));

export function sharedServices(data: HostTables, list: SharedRow['list']): readonly LinuxService[] {
  const rows = sharedRows(data).filter((row) => row.list === list);
  return servicesFrom(SHARED_FILE, rows);
}

export function servicesFrom(file: string, rows: readonly TableRow<typeof SERVICE>[]): readonly LinuxService[] {
  const services: (LinuxService & { children: Child[] })[] = [];
  for (const row of rows) {
    const { unit, kind, description = '', user, command, memoryMib, virtualMib, work, nice, place } = row;
    const daemon = { user, command, memoryMib, virtualMib, work, nice };
    const above = services.at(-1);
    if (kind !== 'main') {
      if (above === undefined)
        throw dataFault({ file, line: row.line, column: 'kind' }, 'main in the first row of a list', kind);
      above.children.push({ ...daemon, pool: kind === 'child' ? undefined : poolOf(row), lasting: LASTING[kind] });
    } else {
      const name = unit === undefined ? undefined : { name: `${unit}.service`, description };
      services.push({ ...daemon, unit: name, on: place, draw: drawOf(row), children: [] });
    }
  }
  return services;
}

/** The services of exporters. The one for the host itself is a package of the distribution. */
export function exporterServices(data: HostTables, entries: readonly ExporterEntry[]): readonly LinuxService[] {
  const packaged = sharedServices(data, 'optional').filter(({ unit }) => unit?.name === PACKAGED_EXPORTER);
  return entries.flatMap(({ name, port }) => {
    if (name === 'node_exporter') return packaged.map((service) => ({ ...service, draw: undefined }));
    return adapted(sharedServices(data, 'exporter'), { '{exporter}': name, '{port}': String(port) });
  });
}

const PACKAGED_EXPORTER = 'prometheus-node-exporter.service';

const LASTING = { child: 'always', pool: 'always', turns: 'turn', jobs: 'job' } as const;

function poolOf({ perCore = UNLIMITED, perGib = UNLIMITED, most = UNLIMITED }: TableRow<typeof SERVICE>): PoolLimit {
  return { perCore, perGib, most };
}

const UNLIMITED = Number.POSITIVE_INFINITY;

function drawOf({ unit = '', chance = unit, from = 0, to }: TableRow<typeof SERVICE>): Draw | undefined {
  return to === undefined ? undefined : { name: chance, from, to };
}

/** Texts of one distribution, with their equivalents on another. */
type Texts = Readonly<Record<string, string>>;

export function replaced(text: string, texts: Texts): string {
  return Object.entries(texts).reduce((so, [here, there]) => so.replaceAll(here, there), text);
}

/** The same services on another distribution, with its users, commands and unit names. */
export function adapted(services: readonly LinuxService[], texts: Texts): readonly LinuxService[] {
  const own = ({ user, command }: Daemon) => ({ user: replaced(user, texts), command: replaced(command, texts) });
  return services.map((service) => ({
    ...service,
    ...own(service),
    unit: service.unit && {
      name: replaced(service.unit.name, texts),
      description: replaced(service.unit.description, texts),
    },
    children: service.children.map((child) => ({ ...child, ...own(child) })),
  }));
}

export const DOCKER_UNIT = 'docker.service';

/** Each distribution has one of these units. */
export const HYPERVISOR_UNIT = /^(libvirtd|virtqemud)\.service$/;
