/** Where an agent stands in its life (docs/protocol.md, "The agent's life"). */
export const LIFECYCLE_STATES = ['unregistered', 'waiting', 'refused', 'registered', 'authorized'] as const;
export type LifecycleState = (typeof LIFECYCLE_STATES)[number];
