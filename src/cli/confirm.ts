import type { Io } from './io.ts';

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
