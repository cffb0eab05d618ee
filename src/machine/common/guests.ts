import type { Row } from '../document/cells.ts';
import type { Fill } from '../part.ts';

/**
 * What the containers or the virtual machines of a host have of it: bytes of memory, their share of all that processes
 * do, and the same in tenths of a percent of a core. Filled after the memory, before what divides the rest.
 */
export type Guests = Row<'bytes' | 'share' | 'tenths'> & { readonly fill: Fill };

/** Guests have at most so much of what programs hold and do. */
export const MOST_FOR_GUESTS = 0.65;
