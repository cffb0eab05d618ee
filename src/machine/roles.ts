import { type ProfileDraw, profileChooser, profileNames, variantChooser } from './fleet.ts';
import { PROFILES, profileNamed } from './profiles.ts';

/** What hosts are for, of all profiles. */
export const ROLE_NAMES: readonly string[] = [...new Set(PROFILES.flatMap(({ roles }) => roles))].sort();

/** Which role the host of each agent has: a part of its variant, and so the same on every worker. */
export function roleNamer(fleet: ProfileDraw): (agent: number) => string {
  const profile = profileChooser(fleet);
  const roles = profileNames(fleet).map((name) => {
    const { roles, variantWeights } = profileNamed(name);
    const variant = variantChooser(fleet.seed, variantWeights);
    return (agent: number): string => roles[variant(agent) % roles.length] ?? '';
  });
  return (agent) => roles[profile(agent)]?.(agent) ?? '';
}
