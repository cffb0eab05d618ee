// Data for the script in the page. The script knows nothing else of the program, so this file imports nothing.

/** A kind of event that can be added to a fleet. */
export type EventKind = {
  readonly name: string;
  readonly means: string;
  /** Whether the event lasts for some time; other events are instantaneous. */
  readonly lasts: boolean;
  readonly fields: readonly EventField[];
};

export type EventField = {
  readonly name: string;
  readonly means: string;
  readonly isRequired: boolean;
  /** Empty if any text is allowed. */
  readonly choices: readonly string[];
  readonly isNumber: boolean;
  /** In the notation of scenario files; empty if there is none. */
  readonly example: string;
};
