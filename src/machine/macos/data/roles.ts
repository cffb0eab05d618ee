import { BUILD_WEEK, OFFICE_WEEK, type Rhythm } from '../../time/activity.ts';

export type MacRole = 'office' | 'developer' | 'build' | 'studio';

export const MAC_ROLES: readonly MacRole[] = ['office', 'developer', 'build', 'studio'];

type RoleTraits = {
  readonly rhythm: Rhythm;
  /** Share of memory that programs hold. */
  readonly memoryUsed: number;
  /** Requests per second to its disk at usual activity, relative to an office machine. */
  readonly diskWork: number;
  readonly laptop: boolean;
  /** Terminals that may be open beside the console. */
  readonly terminals: number;
};

/** How hosts of a role behave. */
export const ROLE_TRAITS: Readonly<Record<MacRole, RoleTraits>> = {
  office: {
    rhythm: { busy: 0.07, week: OFFICE_WEEK },
    memoryUsed: 0.6,
    diskWork: 1,
    laptop: true,
    terminals: 0,
  },
  developer: {
    rhythm: { busy: 0.15, week: OFFICE_WEEK },
    memoryUsed: 0.72,
    diskWork: 4,
    laptop: true,
    terminals: 4,
  },
  build: {
    rhythm: { busy: 0.3, week: BUILD_WEEK },
    memoryUsed: 0.55,
    diskWork: 9,
    laptop: false,
    terminals: 1,
  },
  studio: {
    rhythm: { busy: 0.2, week: OFFICE_WEEK },
    memoryUsed: 0.66,
    diskWork: 5,
    laptop: false,
    terminals: 0,
  },
};
