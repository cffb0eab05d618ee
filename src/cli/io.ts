import type { Variables } from '../scenario/reading/variables.ts';

/** A command's interface to its process; tests provide their own. */
export type Io = {
  readonly stdin: AsyncIterable<Uint8Array> & { readonly isTTY?: boolean | undefined };
  /** For the output of a command: results, plans, documents. */
  readonly stdout: TextSink;
  /** For progress and errors. */
  readonly stderr: TextSink;
  readonly env: Variables;
  /** Absolute base of relative paths on the command line. */
  readonly cwd: string;
  /** Calls the listener at each interrupt until the returned function is called. Without listeners, an interrupt ends the process. */
  readonly onInterrupt: (listener: () => void) => () => void;
  /** Ends the process immediately, although a thread hangs that the usual end would wait for; absent if it has no such threads. */
  readonly leave?: (code: number) => void;
};

export type TextSink = {
  write(text: string): unknown;
  /** Writes asynchronously and calls back when done; absent if readers are never slow. */
  post?(text: string, done: () => void): void;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  /** Adds a listener for changes of the terminal's size; absent if there is no terminal. */
  on?(event: 'resize', listener: () => void): unknown;
  off?(event: 'resize', listener: () => void): unknown;
};
