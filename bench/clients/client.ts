/** Where a client finds what it needs, and for how long it shall push. */
export type Place = {
  readonly url: string;
  /** PEM file of the certificate that is behind it, if there is one. */
  readonly ca: string | undefined;
  /** For files of its own; gone afterwards. */
  readonly folder: string;
  readonly seconds: number;
  /** The first of them, which do not count. */
  readonly warmUpSeconds: number;
};

/** A program that pushes: Muster, or a peer. */
export type Client = {
  readonly name: string;
  /** The command that pushes to the place for its seconds and then ends by itself. */
  readonly command: (place: Place) => readonly string[];
};
