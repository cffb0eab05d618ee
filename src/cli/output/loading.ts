import type { TextSink } from '../io.ts';

/**
 * Shows a line in a terminal while the program loads. The first text written to one of the streams replaces it. Imports nothing,
 * because it comes before the imports.
 * @returns removes the line.
 */
export function showLoading(text: string, terminal: TextSink, ...others: readonly TextSink[]): () => void {
  const originals = [terminal, ...others].map((stream) => ({ stream, write: stream.write }));
  terminal.write(`  ${text}`);
  const remove = () => {
    for (const { stream, write } of originals.splice(0)) {
      stream.write = write;
      if (stream === terminal) terminal.write('\r\u001b[K');
    }
  };
  for (const { stream } of originals)
    stream.write = (...written) => {
      remove();
      return stream.write(...written);
    };
  return remove;
}
