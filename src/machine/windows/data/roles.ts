import { OFFICE_WEEK, PUBLIC_WEEK, type Rhythm, STEADY_WEEK } from '../../time/activity.ts';

export type ClientRole = 'office' | 'developer' | 'engineering' | 'kiosk';
export type ServerRole = 'domain-controller' | 'file-server' | 'database' | 'web-server';
export type WindowsRole = ClientRole | ServerRole;

export const CLIENT_ROLES: readonly ClientRole[] = ['office', 'developer', 'engineering', 'kiosk'];
export const SERVER_ROLES: readonly ServerRole[] = ['domain-controller', 'file-server', 'database', 'web-server'];

export type RoleTraits = {
  readonly rhythm: Rhythm;
  /** Share of memory that programs hold. */
  readonly memoryUsed: number;
  /** Requests per second to its disks at usual activity, relative to an office machine. */
  readonly diskWork: number;
};

/** How hosts of a role behave. */
export const ROLE_TRAITS: Readonly<Record<WindowsRole, RoleTraits>> = {
  office: { rhythm: { busy: 0.06, week: OFFICE_WEEK }, memoryUsed: 0.52, diskWork: 1 },
  developer: { rhythm: { busy: 0.14, week: OFFICE_WEEK }, memoryUsed: 0.66, diskWork: 4 },
  engineering: { rhythm: { busy: 0.2, week: OFFICE_WEEK }, memoryUsed: 0.6, diskWork: 3 },
  kiosk: { rhythm: { busy: 0.03, week: PUBLIC_WEEK }, memoryUsed: 0.45, diskWork: 0.5 },
  'domain-controller': { rhythm: { busy: 0.05, week: OFFICE_WEEK }, memoryUsed: 0.4, diskWork: 2 },
  'file-server': { rhythm: { busy: 0.08, week: OFFICE_WEEK }, memoryUsed: 0.35, diskWork: 12 },
  database: { rhythm: { busy: 0.16, week: STEADY_WEEK }, memoryUsed: 0.82, diskWork: 20 },
  'web-server': { rhythm: { busy: 0.12, week: PUBLIC_WEEK }, memoryUsed: 0.48, diskWork: 3 },
};
