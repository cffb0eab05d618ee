// What the script in the page is given with it. It knows nothing else of the program, and so this file imports nothing.

/** Something that can be done to a fleet. */
export type EventKind = {
  readonly name: string;
  /** A sentence. */
  readonly means: string;
  /** It is over at some time, unlike what is done in a moment. */
  readonly lasts: boolean;
  /** What else it takes. */
  readonly fields: readonly EventField[];
};

export type EventField = {
  readonly name: string;
  readonly means: string;
  readonly isRequired: boolean;
  /** Empty: any text. */
  readonly choices: readonly string[];
  readonly isNumber: boolean;
  /** As it is written; empty: none. */
  readonly example: string;
};
