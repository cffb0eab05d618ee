/** What the machines of a fleet are made from; the whole input besides the agent's index and the instant. */
export type MachineFleet = {
  readonly seed: number;
  /** Profile names and their relative weights. */
  readonly profiles: Readonly<Record<string, number>>;
  readonly payload: 'full' | 'typical' | 'lean';
  /** The agent's check interval as it stands in its configuration. */
  readonly checkIntervalSeconds: number;
};

/**
 * Renders the documents of any agent at any instant into a caller's buffer. Compiled once per fleet; holds no state
 * per agent. Writers return the offset after the last byte; the buffer must have room for the maximum.
 */
export type PayloadWriter = {
  readonly maxCheckdataBytes: number;
  readonly maxPackagesBytes: number;
  /** `instantMs` is Unix time in milliseconds. */
  writeCheckdata(out: Buffer, offset: number, agent: number, instantMs: number): number;
  writePackages(out: Buffer, offset: number, agent: number, instantMs: number): number;
};
