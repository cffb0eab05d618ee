/** Whether an agent of a fleet on several machines may register. `held`: another machine may be registering it. */
export type Claim =
  /** `isInherited`: another machine was about to register the agent. If the server refuses it, the agent must ask again. */
  | { readonly kind: 'granted'; readonly isInherited: boolean }
  | { readonly kind: 'held' }
  | { readonly kind: 'registered'; readonly password: string };

/** An agent that wants to register for the first time, by its number in a shard or its index in the fleet. */
export type ClaimRequest = {
  readonly agent: number;
  readonly uuid: string;
  /** Whether the server has refused it under an inherited claim. */
  readonly isRefused: boolean;
};
