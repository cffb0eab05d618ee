import type { Place } from './client.ts';

/** A peer's task: to post one constant body over a number of connections. */
export type Work = Place & {
  /** File with the body. */
  readonly body: string;
  readonly connections: number;
  /** If `undefined`, as fast as answers arrive. */
  readonly perSecond: number | undefined;
};

/** Another load generator, used if it is installed. */
export type Peer = {
  /** The name of the program as installed by its package. */
  readonly name: string;
  /** Whether it can send at a given rate. */
  readonly paces: boolean;
  readonly command: (work: Work) => readonly string[];
};
