import { oneOf, type TableColumn } from '../host-data.ts';
import { BUILD_WEEK, OFFICE_WEEK, PUBLIC_WEEK, STEADY_WEEK, type Week } from './activity.ts';

/** The systems that roles are told apart by. */
export type RoleSystem = 'linux' | 'windows-client' | 'windows-server' | 'macos';

/**
 * What hosts are for, and of which systems there are some that are for it. What that means stands in a file of the data for
 * each, `roles/<name>.tsv`, with a section for each of the systems.
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

/** What hosts of a system may be for. */
export function rolesOn(system: RoleSystem): readonly string[] {
  return Object.keys(ROLES).filter((name) => ROLES[name]?.includes(system));
}

export function roleFile(role: string): string {
  return `roles/${role}.tsv`;
}

const WEEKS = { office: OFFICE_WEEK, public: PUBLIC_WEEK, build: BUILD_WEEK, steady: STEADY_WEEK };
const WEEK_NAMES = oneOf('office', 'public', 'build', 'steady');

/** When hosts of a role are busy. */
export const WEEK: TableColumn<Week> = { ...WEEK_NAMES, read: (cell) => WEEKS[WEEK_NAMES.read(cell)] };
