import type { StartedFleet } from '../fleet/fleet.ts';

/** A fleet as the API sees it; its owner provides it. */
export type ControlledFleet = Omit<StartedFleet, 'current' | 'apply' | 'send' | 'outcome'> & {
  /** `undefined` for a run, whose scenario cannot change. */
  readonly apply: StartedFleet['apply'] | undefined;
};
