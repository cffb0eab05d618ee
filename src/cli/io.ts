import type { Environment } from '../scenario/reading/variables.ts';

/** Everything a command needs of its process; tests hand in their own. */
export type Io = {
  /** Data: what another program may read. */
  readonly stdout: TextSink;
  /** Words for a person. */
  readonly stderr: TextSink;
  readonly env: Environment;
  /** Absolute; relative paths on the command line start here. */
  readonly cwd: string;
  /** Calls the listener at every request to stop, until the returned function is called. Without listeners the process ends. */
  readonly onInterrupt: (listener: () => void) => () => void;
};

export type TextSink = {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
};
