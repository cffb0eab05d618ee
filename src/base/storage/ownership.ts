import { existsSync, lstatSync, readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { NotOwnError } from '../kernel/errors.ts';

/**
 * Checks that a file or folder, and a link to it, is this user's or root's, and that not everyone may write the file. Nothing there is no
 * fault. Root also works in folders of others, as in a container of CI: what belongs to the owner of the folder around it is a folder that
 * root has chosen. On Windows, which has no such owners, nothing is checked.
 * @throws NotOwnError that names the path and its owner.
 */
export function assertOwn(path: string, remedy: string): void {
  const link = lstatSync(path, { throwIfNoEntry: false });
  for (const found of [link, link?.isSymbolicLink() ? statSync(path, { throwIfNoEntry: false }) : undefined]) {
    if (found === undefined) continue;
    if (isForeign(found.uid) && !(found.isDirectory() && process.geteuid?.() === 0 && isLikeFolder(path, found.uid)))
      throw new NotOwnError(
        `${path}: expected its owner to be this user, found ${userNamed(found.uid)}; act as that user, or ${remedy}`,
      );
    if (found.isFile() && process.geteuid !== undefined && (found.mode & 0o002) !== 0)
      throw new NotOwnError(
        `${path}: expected a file that its owner alone may write, found that all users may; ${remedy}`,
      );
  }
}

/**
 * Checks that what is in a folder is of a user who may put it there: of this user, of root, or of the owner of the folder.
 * @throws NotOwnError like `assertOwn`.
 */
export function assertNotPlanted(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || !isForeign(found.uid) || isLikeFolder(path, found.uid)) return;
  throw new NotOwnError(
    `${path}: expected its owner to be this user or the owner of its folder, found ${userNamed(found.uid)}; remove it`,
  );
}

function isLikeFolder(path: string, uid: number): boolean {
  return statSync(dirname(resolve(path))).uid === uid;
}

/**
 * The other user whose program listens at the port of a URL of this machine, and must not receive a token. `undefined` if it is a program of
 * this user or root, or the system does not say.
 */
export function strangerAt(url: string): string | undefined {
  const port = Number(new URL(url).port).toString(16).toUpperCase().padStart(4, '0');
  const users = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => {
    const rows = existsSync(table) ? readFileSync(table, 'utf8').split('\n') : [];
    return rows.flatMap((row) => {
      const [, local, , state, , , , uid] = row.trim().split(/\s+/);
      return state === LISTENING && local?.endsWith(`:${port}`) ? [Number(uid)] : [];
    });
  });
  const [first] = users;
  return first === undefined || !users.every(isForeign) ? undefined : userNamed(first);
}

const LISTENING = '0A';

/** Neither this user nor root. */
export function isForeign(uid: number): boolean {
  return process.geteuid !== undefined && uid !== 0 && uid !== process.geteuid();
}

export function userNamed(uid: number): string {
  let users = '';
  try {
    users = readFileSync('/etc/passwd', 'utf8');
  } catch {
    // The number suffices.
  }
  const name = users.split('\n').find((line) => line.split(':')[2] === String(uid));
  return name === undefined ? `user ${uid}` : `user ${name.split(':', 1)[0]} (${uid})`;
}
