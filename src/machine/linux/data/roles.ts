import type { Rhythm } from '../../time/activity.ts';

export type Role = 'web' | 'database' | 'build' | 'desktop';

export const ROLES: readonly Role[] = ['web', 'database', 'build', 'desktop'];

type RoleTraits = { readonly rhythm: Rhythm; readonly memoryUsed: number; readonly users: number };

/** How hosts of a role behave. `memoryUsed` is the share that programs hold. */
export const ROLE_TRAITS: Readonly<Record<Role, RoleTraits>> = {
  web: { rhythm: { busy: 0.09, daily: 0.5, weekly: 0.15 }, memoryUsed: 0.35, users: 2 },
  database: { rhythm: { busy: 0.12, daily: 0.35, weekly: 0.1 }, memoryUsed: 0.62, users: 1 },
  build: { rhythm: { busy: 0.2, daily: 0.55, weekly: 0.3 }, memoryUsed: 0.4, users: 2 },
  desktop: { rhythm: { busy: 0.05, daily: 0.6, weekly: 0.25 }, memoryUsed: 0.45, users: 3 },
};
