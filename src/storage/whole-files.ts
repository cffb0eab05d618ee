import {
  accessSync,
  appendFileSync,
  constants,
  createReadStream,
  existsSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { getSystemErrorMessage } from 'node:util';
import { messageOf, UserError } from '../kernel/errors.ts';
import { sweepParts } from './durable-files.ts';

/**
 * Writes a file whole or not at all, for readers and against a killed process; it is not flushed to the disk. What a full
 * disk took of it is removed: a smaller file may still find room.
 */
export function writeWhole(file: string, text: string): void {
  const temporary = partOf(file);
  try {
    writeFileSync(temporary, text);
    renameSync(temporary, file);
  } catch (error) {
    removePart(temporary);
    throw error;
  }
}

/** Where a file is written before it is whole: its name identifies the writer, on a disk shared by several machines. */
export function partOf(file: string): string {
  return join(dirname(file), `.${basename(file)}.${hostname()}.${process.pid}.part`);
}

/** Longest time to write a file. */
const ABANDONED_MS = 3_600_000;

/** Removes what is left of files in a folder whose writers were killed: processes of this machine that are gone, any after an hour. */
export function sweepAbandoned(folder: string): void {
  const parts = readdirSync(folder).filter((name) => name.endsWith('.part'));
  sweepParts(
    folder,
    parts.filter((name) => name.includes(`.${hostname()}.`)),
  );
  for (const name of parts) {
    const { mtimeMs } = statSync(join(folder, name), { throwIfNoEntry: false }) ?? {};
    if (mtimeMs !== undefined && mtimeMs < Date.now() - ABANDONED_MS) removePart(join(folder, name));
  }
}

/** Removes what there is of a file that could not be written whole. */
export function removePart(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Why it could not be written says more.
  }
}

/** Throws a `UserError` if a report could not be written there, so that nothing is measured whose report would be lost. */
export function assertReportWritable(file: string): void {
  reporting(file, () => {
    accessSync(dirname(file), constants.W_OK);
    if (existsSync(file) && statSync(file).isDirectory()) throw new UserError(`cannot write ${file}: it is a folder`);
  });
}

/** Writes a report whole or not at all. Throws a `UserError` if the disk does not take it. */
export function writeReport(file: string, text: string): void {
  reporting(file, () => writeWhole(file, text));
}

/** Adds to a report that others write to as well. Throws a `UserError` if the disk does not take it. */
export function addToReport(file: string, text: string): void {
  reporting(file, () => appendFileSync(file, text));
}

function reporting(file: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof Error && 'errno' in error && typeof error.errno === 'number')) throw error;
    const reason = getSystemErrorMessage(error.errno) ?? messageOf(error);
    throw new UserError(`cannot write ${file}: ${reason}; choose a file in an existing, writable folder`);
  }
}

type NumberedLine = { readonly number: number; readonly text: string };

/**
 * The whole lines of a file, one after another, without the file in memory. What stands after the last line break is
 * left out: a writer that was killed did not get further.
 */
export async function* wholeLines(path: string): AsyncGenerator<NumberedLine, undefined> {
  let number = 0;
  let rest = '';
  for await (const part of createReadStream(path, { encoding: 'utf8', highWaterMark: 1 << 20 })) {
    const texts = `${rest}${part}`.split('\n');
    rest = texts.pop() ?? '';
    for (const text of texts) yield { number: ++number, text };
  }
}
