import { oneOf, type TableColumn } from '../host-data.ts';
import { BUILD_WEEK, OFFICE_WEEK, PUBLIC_WEEK, STEADY_WEEK, type Week } from './activity.ts';

/** The systems that roles distinguish. */
export type RoleSystem = 'linux' | 'windows-client' | 'windows-server' | 'macos';

/**
 * Roles, with the systems on which hosts may have them. The data file of a role, `roles/<name>.tsv`, has a section for each of
 * these systems.
 */
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

/** Roles that hosts of a system may have. */
export function rolesOn(system: RoleSystem): readonly string[] {
  return Object.keys(ROLES).filter((name) => ROLES[name]?.includes(system));
}

export function roleFile(role: string): string {
  return `roles/${role}.tsv`;
}

const WEEKS = { office: OFFICE_WEEK, public: PUBLIC_WEEK, build: BUILD_WEEK, steady: STEADY_WEEK };
const WEEK_NAMES = oneOf('office', 'public', 'build', 'steady');

/** The weekly pattern of a role's activity. */
export const WEEK: TableColumn<Week> = { ...WEEK_NAMES, read: (cell) => WEEKS[WEEK_NAMES.read(cell)] };
