/**
 * Whether an agent of a fleet on several machines may register: it may, must not because another machine may be registering it, or has been
 * registered by another one.
 */
export type Claim = { readonly kind: 'granted' | 'held' } | { readonly kind: 'registered'; readonly password: string };

/** An agent that wants to register for the first time, by its number in a shard or its index in the fleet. */
export type WantedClaim = { readonly agent: number; readonly uuid: string };
