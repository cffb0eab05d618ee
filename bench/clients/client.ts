/** Where a client pushes to, and for how long. */
export type Place = {
  readonly url: string;
  /** PEM file of the target's certificate, if it has one. */
  readonly ca: string | undefined;
  /** A temporary folder for its files. */
  readonly folder: string;
  readonly seconds: number;
  /** The first of these seconds, which do not count. */
  readonly warmUpSeconds: number;
};

/** A program that pushes: Muster, or a peer. */
export type Client = {
  readonly name: string;
  /** The command that pushes for this time and then exits. */
  readonly command: (place: Place) => readonly string[];
};
