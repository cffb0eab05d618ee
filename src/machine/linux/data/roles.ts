import { BUILD_WEEK, OFFICE_WEEK, PUBLIC_WEEK, type Rhythm, STEADY_WEEK } from '../../time/activity.ts';

export type Role = 'web' | 'database' | 'build' | 'desktop';

export const ROLES: readonly Role[] = ['web', 'database', 'build', 'desktop'];

type RoleTraits = { readonly rhythm: Rhythm; readonly memoryUsed: number; readonly users: number };

/** How hosts of a role behave. `memoryUsed` is the share that programs hold. */
export const ROLE_TRAITS: Readonly<Record<Role, RoleTraits>> = {
  web: { rhythm: { busy: 0.09, week: PUBLIC_WEEK }, memoryUsed: 0.35, users: 2 },
  database: { rhythm: { busy: 0.12, week: STEADY_WEEK }, memoryUsed: 0.62, users: 1 },
  build: { rhythm: { busy: 0.2, week: BUILD_WEEK }, memoryUsed: 0.4, users: 2 },
  desktop: { rhythm: { busy: 0.05, week: OFFICE_WEEK }, memoryUsed: 0.45, users: 3 },
};
