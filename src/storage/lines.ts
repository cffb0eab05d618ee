import { createReadStream } from 'node:fs';

export type Line = { readonly number: number; readonly text: string };

/**
 * The whole lines of a file, one after another, without the file in memory. What stands after the last line break is
 * left out: a writer that was killed did not get further.
 */
export async function* wholeLines(path: string): AsyncGenerator<Line, undefined> {
  let number = 0;
  let rest = '';
  for await (const part of createReadStream(path, { encoding: 'utf8', highWaterMark: 1 << 20 })) {
    const texts = `${rest}${part}`.split('\n');
    rest = texts.pop() ?? '';
    for (const text of texts) yield { number: ++number, text };
  }
}
