import { Readable } from 'node:stream';
import { runMuster } from '../../src/cli/muster.ts';

export type Ending = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** Runs a command line in this process, and interrupts it when `interrupted` resolves. */
export async function muster(
  args: readonly string[],
  {
    env = {},
    cwd = import.meta.dirname,
    stdin = '',
    isTerminal = false,
    interrupted = new Promise<void>(() => {}),
    onText = (): unknown => undefined,
  } = {},
): Promise<Ending> {
  let stdout = '';
  let stderr = '';
  const code = await runMuster(args, {
    stdin: Object.assign(Readable.from([Buffer.from(stdin)]), { isTTY: isTerminal }),
    stdout: {
      write: (text) => {
        stdout += text;
        onText();
      },
    },
    stderr: { write: (text) => (stderr += text) },
    env,
    cwd,
    onInterrupt: (listener) => {
      void interrupted.then(listener);
      return () => undefined;
    },
  });
  return { code, stdout, stderr };
}
