import type { Variables } from '../scenario/reading/variables.ts';

/** A command's interface to its process; tests provide their own. */
export type Io = {
  readonly stdin: AsyncIterable<Uint8Array> & {
    readonly isTTY?: boolean | undefined;
    /** Ends the input for its readers; absent if it ends by itself. */
    destroy?(): unknown;
  };
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

/** Passes a task a signal that an interrupt aborts. Until the task ends, an interrupt does not end the process. */
export async function interruptible<T>(
  { onInterrupt }: Pick<Io, 'onInterrupt'>,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const interrupt = new AbortController();
  const unsubscribe = onInterrupt(() => interrupt.abort());
  try {
    return await task(interrupt.signal);
  } finally {
    unsubscribe();
  }
}

/** Asks on a terminal; `nobody` if there is none. Only `y` or `yes` means yes. */
export async function confirm(
  question: string,
  { stdin, stderr }: Pick<Io, 'stdin' | 'stderr'>,
): Promise<'yes' | 'no' | 'nobody'> {
  if (stdin.isTTY !== true) return 'nobody';
  stderr.write(`${question} [y/N] `);
  return /^y(es)?$/i.test(await lineOf(stdin)) ? 'yes' : 'no';
}

async function lineOf(stdin: Io['stdin']): Promise<string> {
  let text = '';
  for await (const part of stdin) {
    text += Buffer.from(part).toString();
    if (text.includes('\n')) break;
  }
  return text.split('\n', 1).join('').trim();
}
