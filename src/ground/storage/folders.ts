import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder and the missing ones above it. Returns the first that it created; `undefined` if the folder existed.
 * Node's own recursive creation reports a read-only file system as a missing folder, and does not end in `/proc`.
 * @throws the error of the first folder that cannot be created
 */
export function makeFolder(path: string, mode?: number): string | undefined {
  try {
    mkdirSync(path, { mode });
    return path;
  } catch (error) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return undefined;
    const above = dirname(path);
    if (existsSync(above)) throw error;
    const first = makeFolder(above, mode);
    makeFolder(path, mode);
    return first;
  }
}
