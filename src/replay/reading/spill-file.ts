import { closeSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { writtenTo } from '../../base/kernel/errors.ts';
import { partOf } from '../../base/storage/whole-files.ts';
import type { Spill } from '../arrival-rows.ts';

/** A temporary file beside another one. It has no name, so that nothing is left of it, however the process ends. */
export function openSpillFile(beside: string): Spill & { readonly close: () => void } {
  const path = partOf(`${beside}.rows`);
  const name = `a temporary file beside ${beside}`;
  const descriptor = writtenTo(name, () => {
    const opened = openSync(path, 'wx+', 0o600);
    rmSync(path);
    return opened;
  });
  const bytesOf = (values: Float64Array): Uint8Array =>
    new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  return {
    write: (values) => writtenTo(name, () => writeFileSync(descriptor, bytesOf(values))),
    read: (into, offset) => {
      const bytes = bytesOf(into);
      const from = offset * Float64Array.BYTES_PER_ELEMENT;
      for (let read = 0; read < bytes.length; ) {
        const now = readSync(descriptor, bytes, read, bytes.length - read, from + read);
        if (now === 0) throw new Error('the temporary file is shorter than what was written to it');
        read += now;
      }
    },
    close: () => closeSync(descriptor),
  };
}
