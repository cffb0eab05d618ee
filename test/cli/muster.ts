import { Readable } from 'node:stream';
import { runMuster } from '../../src/cli/muster.ts';

export type Ending = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** Runs a command line in this process. */
export async function muster(
  args: readonly string[],
  { env = {}, cwd = import.meta.dirname, stdin = '' } = {},
): Promise<Ending> {
  let stdout = '';
  let stderr = '';
  const code = await runMuster(args, {
    stdin: Readable.from([Buffer.from(stdin)]),
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
    env,
    cwd,
    onInterrupt: () => () => undefined,
  });
  return { code, stdout, stderr };
}
