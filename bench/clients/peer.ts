import type { Place } from './client.ts';

/** What a peer is to do at the place: post one constant body over so many connections. */
export type Work = Place & {
  /** A file that holds the body. */
  readonly body: string;
  readonly connections: number;
  /** As fast as answers come if undefined. */
  readonly perSecond: number | undefined;
};

/** Another load generator, if the machine has it. */
export type Peer = {
  /** The program, as its package installs it. */
  readonly name: string;
  /** Whether it can send at a given rate. */
  readonly paces: boolean;
  readonly command: (work: Work) => readonly string[];
};
