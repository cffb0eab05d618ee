import promises, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';

/** Disk operations in order, by the last part of the path: `sync agent.key`, `rename agent.key`. */
export type DiskLog = readonly string[];

/**
 * Runs `act` on the real disk and logs its disk operations. With `failAt`, the disk fails at that step, like a full or removed one.
 * Temporary files are logged under their final name.
 */
export async function onWatchedDisk(act: () => Promise<unknown>, failAt?: string): Promise<DiskLog> {
  const log: string[] = [];
  const step = (text: string) => {
    log.push(text);
    if (text === failAt) throw Object.assign(new Error(`EIO: i/o error, ${text}`), { code: 'EIO' });
  };
  const real = { ...promises };
  const nameOf = (path: unknown) => basename(String(path)).replace(/^\.(.*)\.\d+\.part$/, '$1');
  promises.open = async (path, ...rest) => {
    const file = await real.open(path, ...rest);
    const watched = (method: 'sync' | 'writeFile') => {
      const original = file[method].bind(file) as (...words: unknown[]) => Promise<void>;
      return async (...words: unknown[]) => {
        step(`${method === 'sync' ? 'sync' : 'write'} ${nameOf(path)}`);
        await original(...words);
      };
    };
    return Object.assign(file, { sync: watched('sync'), writeFile: watched('writeFile') }) as FileHandle;
  };
  promises.rename = async (from, to) => {
    step(`rename ${nameOf(to)}`);
    await real.rename(from, to);
  };
  promises.mkdir = (async (path: string, options: object) => {
    step(`mkdir ${nameOf(path)}`);
    return real.mkdir(path, options);
  }) as typeof promises.mkdir;
  syncBuiltinESMExports();
  try {
    await act();
  } finally {
    Object.assign(promises, real);
    syncBuiltinESMExports();
  }
  return log;
}
