/** The operating system flavours an agent can have. */
export const PROFILE_NAMES = ['ubuntu-24.04'] as const;
