import { oneOf, type TableColumn } from '../host-data.ts';
import { BUILD_WEEK, OFFICE_WEEK, PUBLIC_WEEK, STEADY_WEEK, type Week } from './activity.ts';

/** The systems that roles are told apart by. */
export type RoleSystem = 'linux' | 'windows-client' | 'windows-server' | 'macos';

/**
 * What hosts are for, and of which systems there are some that are for it. What that means stands in a file of the data for
 * each, `roles/<name>.tsv`, with a section for each of the systems.
 */
const ROLES: Readonly<Record<string, readonly RoleSystem[]>> = {
  build: ['linux', 'macos'],
  database: ['linux', 'windows-server'],
  desktop: ['linux'],
  developer: ['windows-client', 'macos'],
  'domain-controller': ['windows-server'],
  engineering: ['windows-client'],
  'file-server': ['windows-server'],
  kiosk: ['windows-client'],
  mysql: ['linux'],
  office: ['windows-client', 'macos'],
  postgresql: ['linux'],
  studio: ['macos'],
  web: ['linux', 'windows-server'],
};

export const ROLE_NAMES: readonly string[] = Object.keys(ROLES);

/** What hosts of a system may be for. */
export function rolesOn(system: RoleSystem): readonly string[] {
  return ROLE_NAMES.filter((name) => ROLES[name]?.includes(system));
}

export function roleFile(role: string): string {
  return `roles/${role}.tsv`;
}

const WEEKS = { office: OFFICE_WEEK, public: PUBLIC_WEEK, build: BUILD_WEEK, steady: STEADY_WEEK };
const WEEK_NAMES = oneOf('office', 'public', 'build', 'steady');

/** When hosts of a role are busy. */
export const WEEK: TableColumn<Week> = { ...WEEK_NAMES, read: (cell) => WEEKS[WEEK_NAMES.read(cell)] };
