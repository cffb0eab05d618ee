/** One line of what `muster doctor` found. */
export type Diagnosis = {
  /** `absent`: something optional that is not there. */
  readonly mark: 'good' | 'caution' | 'absent';
  readonly what: string;
  /** What is there. */
  readonly found: string;
  /** What follows from it. */
  readonly meaning: string;
  /** How to lift the limit; empty where nothing needs to be done. */
  readonly remedy: string;
};
