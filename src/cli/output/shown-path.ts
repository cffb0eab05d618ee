import { isAbsolute, relative } from 'node:path';

/** A path as a person in this folder would type it: relative if it lies below, else as it is. */
export function shownPath(path: string, cwd: string): string {
  const below = relative(cwd, path);
  return below === '' || below.startsWith('..') || isAbsolute(below) ? path : below;
}
