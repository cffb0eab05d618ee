import { rmSync } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemCode } from '../kernel/errors.ts';
import { fileBytes } from '../protocol/agent-files.ts';

/** `folder` is an absolute path. */
export type TextFile = { readonly folder: string; readonly name: string; readonly text: string };

/** Number of files written concurrently: one per thread available for it. */
const AT_ONCE = 4;

/**
 * Writes files for their owner alone (mode 0600, folders 0700). Each write is atomic: after a crash, a file has its old
 * or its new text. Resolves when all are on disk. Flushes each file once, and each changed folder once.
 */
export async function writeDurably(files: readonly TextFile[]): Promise<void> {
  const folders = new Set(files.map(({ folder }) => folder));
  const changed = new Set(folders);
  await each([...folders], async (folder) => {
    const firstMade = await mkdir(folder, { recursive: true, mode: 0o700 });
    for (let made = folder; firstMade !== undefined; made = dirname(made)) {
      changed.add(dirname(made));
      if (made === firstMade) break;
    }
  });
  await each(files, writeWhole);
  await each([...changed], (folder) => flushed(folder, 'r', () => Promise.resolve()));
}

async function writeWhole({ folder, name, text }: TextFile): Promise<void> {
  // The temporary name is unique, because another process may write the same file. Another user may have put something there.
  const temporary = join(folder, `.${name}.${process.pid}.part`);
  await rm(temporary, { force: true }).catch(() => {});
  await flushed(temporary, 'wx', (file) => file.writeFile(fileBytes(text)));
  await rename(temporary, join(folder, name));
}

const PART = /^\..+\.(\d+)\.part$/;

/** Removes the incomplete files of killed processes. */
export function sweepParts(folder: string, names: readonly string[]): void {
  for (const name of names) {
    const pid = Number(PART.exec(name)?.[1]);
    if (pid > 0 && !isAlive(pid)) rmSync(join(folder, name), { force: true });
  }
}

/** Whether the process exists, under any user. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}

/** Opens a file or a folder, and flushes it after the change. */
async function flushed(path: string, flags: 'wx' | 'r', change: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, flags, 0o600);
  try {
    await change(file);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const workNext = async () => {
    for (const item of rest) await work(item);
  };
  // Waits for all writes, so that none overlaps with the next call.
  const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, workNext));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
