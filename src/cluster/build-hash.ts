import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { once } from '../base/kernel/memoize.ts';

/** The folder of the program: its sources, or what is compiled from them. */
const PROGRAM = fileURLToPath(new URL('..', import.meta.url));

/** Identifies this build of the program by the content of its files: 12 hexadecimal digits, the same on all machines. */
export const buildHash = once((): string => {
  const hash = createHash('sha256');
  const files = readdirSync(PROGRAM, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort();
  for (const path of paths)
    hash
      .update(`${relative(PROGRAM, path)}\0`)
      .update(readFileSync(path))
      .update('\0');
  return hash.digest('hex').slice(0, 12);
});
