import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  type Stats,
  statSync,
  utimesSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { VERSION } from '../kernel/version.ts';
import { isForeign, userNamed } from './ownership.ts';

/** Versions of Muster and Node whose folders are kept, those that were used last. */
const MAX_VERSIONS = 2;
/** Files of a version; each checkout makes 1400, of 8 KB on average. */
const MAX_FILES = 4000;

type CompileCache =
  | { readonly kind: 'folder'; readonly path: string }
  /** What is found there is of another user, and is not used. */
  | { readonly kind: 'foreign'; readonly problem: string }
  | { readonly kind: 'none' };

/**
 * Opens the folder for compiled code in the user's cache folder. Anyone who can write there can run code as this user, so all others must be
 * unable to change the folder or a folder above it.
 */
export function openCompileCache(environment: NodeJS.ProcessEnv): CompileCache {
  try {
    const home = environment.XDG_CACHE_HOME || environment.LOCALAPPDATA || join(homedir(), '.cache');
    const folder = join(home, 'muster', 'compiled', `${VERSION}-node${process.versions.node}`);
    if (!isAbsolute(folder)) return { kind: 'none' };
    const missing = wayTo(folder).filter((path) => !existsSync(path));
    const above = missing[0] === undefined ? undefined : problemAbove(dirname(missing[0]), 'above');
    for (const path of above === undefined ? missing : []) mkdirSync(path, 0o700);
    const problem = above ?? problemAbove(folder, 'itself');
    if (problem !== undefined) return { kind: 'foreign', problem };
    keepBounded(folder);
    return { kind: 'folder', path: realpathSync(folder) };
  } catch {
    // No home, or one without a writable disk: Muster starts more slowly.
    return { kind: 'none' };
  }
}

/** Who else could change the folder, through a link or a folder on the way from the root. */
function problemAbove(folder: string, which: 'above' | 'itself'): string | undefined {
  const real = realpathSync(folder);
  if (!statSync(real).isDirectory()) throw new Error(`${real} is no folder`);
  for (const path of new Set([...wayTo(folder), ...wayTo(real)])) {
    const found = lstatSync(path);
    if (isForeign(found.uid)) return `${path} is of ${userNamed(found.uid)}`;
    // In a sticky folder, such as /tmp, nobody can replace what another user made.
    const isSticky = (found.mode & 0o1000) !== 0 && (which === 'above' || path !== real);
    if (!found.isSymbolicLink() && isOpen(found) && !isSticky) return `other users may write ${path}`;
  }
  return undefined;
}

function wayTo(path: string): readonly string[] {
  return path === dirname(path) ? [path] : [...wayTo(dirname(path)), path];
}

/** Whether others than the owner and the own group, which often is that of one user, may write there. */
function isOpen({ mode, gid }: Stats): boolean {
  if (process.getegid === undefined) return false;
  return (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== process.getegid());
}

/** Removes the versions that were used longest ago, and starts again when many checkouts or modules have filled this one. */
function keepBounded(folder: string): void {
  try {
    utimesSync(folder, new Date(), new Date());
  } catch {
    return; // A read-only disk does not grow.
  }
  const parts = namesIn(folder);
  const isFull = parts.reduce((sum, part) => sum + readdirSync(part).length, 0) > MAX_FILES;
  const byUse = namesIn(dirname(folder))
    .map((path) => ({ path, usedMs: statSync(path).mtimeMs }))
    .sort((a, b) => b.usedMs - a.usedMs);
  const unused = byUse.slice(MAX_VERSIONS).map(({ path }) => path);
  for (const path of [...(isFull ? parts : []), ...unused]) rmSync(path, { recursive: true, force: true });
}

function namesIn(folder: string): readonly string[] {
  return readdirSync(folder).map((name) => join(folder, name));
}
