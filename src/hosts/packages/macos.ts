import { hash32 } from '../../base/kernel/random.ts';
import { type Cell, type Cells, type Either, type Node, slot } from '../document/nodes.ts';
import type { HostState } from '../host/host-state.ts';
import type { Fill } from '../host/part.ts';
import { column, dataFault, type HostTables, oncePerData, readTable, type TableRow } from '../host-data.ts';
import { appsSoftware, type Candidate, candidate, type ListedApps, type ListPart, textsPart } from './apps.ts';
import { cutDescription } from './descriptions.ts';
import type { Software } from './document.ts';
import {
  installedAt,
  type Monthly,
  offeredAt,
  type Periodic,
  releasesOf,
  revisionAt,
  type UpdateLevel,
} from './updates.ts';
import { revisedText } from './versions.ts';

/** A version of macOS, such as `26.2`, with its build (`25C56`) and kernel (`25.2.0`). */
type MacVersion = { readonly version: string; readonly build: string; readonly kernel: string };

/** A major version of macOS with all of its releases, in order. */
export type MacSystem = {
  /** Such as `Tahoe`. */
  readonly title: string;
  readonly versions: readonly MacVersion[];
  /** By month, from the first: the index of the newest version. */
  readonly newest: readonly number[];
  readonly releases: Monthly;
};

const VERSIONS_FILE = 'apps/macos-versions.tsv';
const VERSION = {
  list: column.text,
  month: column.month,
  version: column.text,
  build: column.text,
  kernel: column.text,
};
const versionRows = oncePerData((data) => readTable(data, VERSIONS_FILE, VERSION));

/** Reads the versions in the list of a major version. After the last one, hosts stay at it, because later versions are unknown. */
export function macSystem(data: HostTables, list: string, title: string): MacSystem {
  const versions = versionRows(data).filter((row) => row.list === list);
  const [first] = versions;
  if (first === undefined) throw dataFault({ file: VERSIONS_FILE, line: 1, column: 'list' }, `lines of ${list}`);
  const wrong = versions.find(({ month }, index) => month <= (versions[index - 1]?.month ?? 0));
  if (wrong !== undefined)
    throw dataFault({ file: VERSIONS_FILE, line: wrong.line, column: 'month' }, 'one after the line above');
  const last = versions.at(-1) ?? first;
  const newest = Array.from({ length: last.month - first.month + 1 }, (_, since) => {
    return versions.findLastIndex(({ month }) => month <= first.month + since);
  });
  return { title, versions, newest, releases: { revision: 1, month: first.month, security: true } };
}

function versionIndex({ newest }: MacSystem, revision: number): number {
  return newest[Math.min(revision, newest.length) - 1] as number;
}

/** A text of the version whose index is in the cell. */
function versionTexts({ versions }: MacSystem, cell: Cell, textOf: (one: MacVersion) => string): Either {
  return slot.either(cell, versions.map(textOf));
}

/** A component with updates of its own. `~` is the number of its revision. */
type MacComponent = {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly releases: Periodic;
};

type MacInventory = {
  readonly system: MacSystem;
  readonly components: readonly MacComponent[];
  readonly listed: ListedApps<MacApp>;
  /** `undefined` if its programs do not move. */
  readonly data?: HostTables;
};

/** The software of a macOS host. Updates include the restart, so none is ever due, and no update counts as a security update. */
export function macSoftware({ system, components, listed, data }: MacInventory): Software {
  const stateAt = (host: HostState, unixMs: number): UpdateState => {
    return {
      offered: offeredAt(host, unixMs),
      installed: installedAt(host, unixMs),
      running: runningIndex(system, host),
    };
  };
  return appsSoftware({
    operatingSystem: 'macos',
    packageManager: 'macos-updates',
    osName: 'macos',
    osFamily: 'darwin',
    osVersion: (cells) => systemVersion(system, cells),
    listed,
    data,
    members: ['MacosApps', 'MacosUpdates'],
    stateAt,
    dueAt: (host, unixMs) => {
      const { offered, installed, running } = stateAt(host, unixMs);
      const isBehind = versionIndex(system, revisionAt(system.releases, offered)) > running;
      const behind = components.filter(({ releases }) => {
        return revisionAt(releases, offered) > revisionAt(releases, installed);
      });
      return { upgradable: Number(isBehind) + behind.length, security: 0, rebootRequired: false };
    },
    appPart: ({ name: Name, version: Version, description: Description, releases }, channels, cells) => {
      if (Version !== SYSTEM_VERSION) return textsPart({ Name, Version, Description }, releases, { channels, cells });
      const cell = cells.one();
      return {
        node: { Name, Version: versionTexts(system, cell, ({ version }) => version), Description },
        fill(frame, { running }) {
          frame[cell] = running;
        },
      };
    },
    updateParts: (cells) => [
      systemUpdate(system, cells),
      ...components.map((component) => componentUpdate(component, cells)),
    ],
  });
}

/** The version of an app that has that of the system. */
const SYSTEM_VERSION = '^';

/** Index of the running version, which changes with a restart. */
function runningIndex(system: MacSystem, host: HostState): number {
  return versionIndex(system, revisionAt(system.releases, installedAt(host, host.bootMs)));
}

/** The running version, also for the check `agent`. */
export function systemVersion(system: MacSystem, cells: Cells): ReturnType<typeof runningText> {
  return runningText(system, cells, ({ version }) => version);
}

export function runningText(system: MacSystem, cells: Cells, textOf: (one: MacVersion) => string) {
  const cell = cells.one();
  const fill: Fill = (frame, host) => {
    frame[cell] = runningIndex(system, host);
  };
  return { node: versionTexts(system, cell, textOf), fill };
}

/** The offered, installed and running versions of a host. */
type UpdateState = { readonly offered: UpdateLevel; readonly installed: UpdateLevel; readonly running: number };

function systemUpdate(system: MacSystem, cells: Cells): ListPart<UpdateState> {
  const { title, releases } = system;
  const row = cells.row('present', 'newest');
  const node: Node = {
    Name: versionTexts(system, row.newest, ({ version, build }) => `macOS ${title} ${version}-${build}`),
    Description: versionTexts(system, row.newest, ({ version }) => `macOS ${title} ${version}`),
    Version: versionTexts(system, row.newest, ({ version }) => version),
  };
  return {
    node: slot.optional(row.present, node),
    fill(frame, { offered, running }) {
      const newest = versionIndex(system, revisionAt(releases, offered));
      frame[row.present] = newest > running ? 1 : 0;
      frame[row.newest] = newest;
    },
  };
}

function componentUpdate({ name, description, version, releases }: MacComponent, cells: Cells): ListPart<UpdateState> {
  const { present, revision } = cells.row('present', 'revision');
  const node: Node = {
    Name: revisedText(name, revision),
    Description: revisedText(cutDescription(description), revision),
    Version: revisedText(version, revision),
  };
  return {
    node: slot.optional(present, node),
    fill(frame, { offered, installed }) {
      const newest = revisionAt(releases, offered);
      frame[present] = newest > revisionAt(releases, installed) ? 1 : 0;
      frame[revision] = newest;
    },
  };
}

/** Languages in which hosts show the names of Apple's own apps. */
export type Language = 'en' | 'de';

/** An entry of the list of apps. In its texts, `~` is the newest installed revision and `^` the system's version. */
type MacApp = {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly releases: Periodic | undefined;
};

const APPS = {
  list: column.oneOf('apple', 'apple-helper', 'vendor'),
  name: column.text,
  german: column.orEmpty(column.text),
  version: column.orEmpty(column.text),
  description: column.orEmpty(column.text),
};

const appRows = oncePerData((data) => readTable(data, 'apps/macos.tsv', APPS));

/** Number of Apple's apps before the first app of another vendor in short lists. */
const FIRST_APPLE = 5;

/** Share of the hosts with a program that is not part of the system. */
const VENDOR_SHARE = 0.85;

/** `running` are the applications that its hosts run, so all of them have these. */
type AppsOf = { readonly role: string; readonly language: Language; readonly running: ReadonlySet<string> };

/** Apps that hosts of a role may have installed, the most important first. */
export function macApps(data: HostTables, { role, language, running }: AppsOf): readonly Candidate<MacApp>[] {
  const appsOf = (list: TableRow<typeof APPS>['list']) => {
    const rows = appRows(data).filter((row) => row.list === list);
    return rows.map(({ name, german = name, version = '', description = '' }): MacApp => {
      const releases = version.includes('~') ? releasesOf('macos.apps', name) : undefined;
      return { name: language === 'de' ? german : name, version, description, releases };
    });
  };
  const [apple, [agent, ...vendors]] = [appsOf('apple'), appsOf('vendor')];
  const order = ({ name, version }: MacApp) => hash32(0, `macos.apps.${role}.${name}.${version}`);
  const runs = Map.groupBy(vendors, ({ name }) => running.has(name));
  const own = [...apple.slice(FIRST_APPLE), ...appsOf('apple-helper')].map((app) => candidate(app, app.name, 1));
  const others = (runs.get(false) ?? []).map((app) => candidate(app, app.name, VENDOR_SHARE));
  const mixed = [...own, ...others].sort((a, b) => order(a.app) - order(b.app));
  const first = [...apple.slice(0, FIRST_APPLE), ...(agent === undefined ? [] : [agent]), ...(runs.get(true) ?? [])];
  return [...first.map((app) => candidate(app, app.name, 1)), ...mixed];
}
