import type { CommandModule } from 'yargs';
import type { Variables } from '../scenario/reading/variables.ts';
import type { ExitCode } from './exit-codes.ts';

/** Everything a command needs of its process; tests hand in their own. */
export type Io = {
  readonly stdin: AsyncIterable<Uint8Array>;
  /** What a command was asked for: results, plans, outcomes, documents. */
  readonly stdout: TextSink;
  /** Progress and complaints. */
  readonly stderr: TextSink;
  readonly env: Variables;
  /** Absolute; relative paths on the command line start here. */
  readonly cwd: string;
  /** Calls the listener at every request to stop, until the returned function is called. Without listeners the process ends. */
  readonly onInterrupt: (listener: () => void) => () => void;
};

export type TextSink = {
  write(text: string): unknown;
  /** Writes without waiting for a slow reader, and calls back when done; absent where readers are never slow. */
  post?(text: string, done: () => void): void;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  /** Called when a terminal has another size; absent where there is none. */
  on?(event: 'resize', listener: () => void): unknown;
  off?(event: 'resize', listener: () => void): unknown;
};

/** A command that says how the process ends by calling `end`; without a call it ends well. */
export type Command<Flags> = (io: Io, end: (code: ExitCode) => void) => CommandModule<object, Flags>;
