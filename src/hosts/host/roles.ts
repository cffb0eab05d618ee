import { type Columns, column, type HostTables, readSection, type TableColumn, type TableRow } from '../host-data.ts';
import { BUILD_WEEK, OFFICE_WEEK, PUBLIC_WEEK, type Rhythm, STEADY_WEEK, type Week } from './activity.ts';
import type { OperatingSystem } from './profile.ts';
import { sitesOf } from './site.ts';

export type RoleSystem = 'linux' | 'windows-client' | 'windows-server' | 'macos';

/** Roles, with the systems of their hosts. `roles/<name>.tsv` has a section for each of these. */
export const ROLES: Readonly<Record<string, readonly RoleSystem[]>> = {
  build: ['linux', 'windows-server', 'macos'],
  'container-host': ['linux'],
  database: ['linux', 'windows-server'],
  desktop: ['linux'],
  developer: ['windows-client', 'macos'],
  'domain-controller': ['linux', 'windows-server'],
  engineering: ['windows-client'],
  'file-server': ['linux', 'windows-server'],
  hypervisor: ['linux', 'windows-server'],
  kiosk: ['windows-client'],
  mail: ['linux', 'windows-server'],
  mysql: ['linux'],
  office: ['windows-client', 'macos'],
  postgresql: ['linux'],
  studio: ['macos'],
  web: ['linux', 'windows-server'],
};

export function rolesOn(system: RoleSystem): readonly string[] {
  return Object.keys(ROLES).filter((name) => ROLES[name]?.includes(system));
}

export function roleFile(role: string): string {
  return `roles/${role}.tsv`;
}

export function profileFile(profile: string): string {
  return `profiles/${profile}.tsv`;
}

const WEEKS = { office: OFFICE_WEEK, public: PUBLIC_WEEK, build: BUILD_WEEK, steady: STEADY_WEEK };
const WEEK_NAMES = column.oneOf('office', 'public', 'build', 'steady');

const WEEK: TableColumn<Week> = { ...WEEK_NAMES, read: (cell) => WEEKS[WEEK_NAMES.read(cell)] };

const SIZE_WEIGHTS: TableColumn<readonly number[]> = {
  expected: 'five weights with commas between them, from tiny to huge',
  pattern: /^\d+(\.\d+)?(,\d+(\.\d+)?){4}$/,
  read: (cell) => cell.split(',').map(Number),
};

/** `memoryUsed` is the share of memory that programs use, `sizes` the relative numbers of hosts in each size class. */
const USUAL = { week: WEEK, busy: column.number, memoryUsed: column.number, sizes: SIZE_WEIGHTS };

type HostsOfRole<Of extends Columns> = TableRow<typeof USUAL & Of> & { readonly rhythm: Rhythm };

/**
 * Reads what the hosts of a role have in common on a system: how busy they are, and its own columns.
 * @throws Error if hosts of this system cannot have the role.
 */
export function hostsOfRole<Of extends Columns>(
  data: HostTables,
  { role, system }: { readonly role: string; readonly system: OperatingSystem },
  columns: Of,
): HostsOfRole<Of> {
  const at = { file: roleFile(role), section: `${system} hosts` };
  const [row] = readSection(data, at, { ...USUAL, ...columns });
  if (row === undefined) throw new Error(`${at.file}: expected a section [${at.section}] with a row, found none`);
  const { busy, week } = row as TableRow<typeof USUAL>;
  return { ...row, rhythm: { busy, week, sites: sitesOf(data) } };
}
