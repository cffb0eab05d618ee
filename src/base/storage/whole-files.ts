import {
  accessSync,
  appendFileSync,
  constants,
  createReadStream,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { getSystemErrorMessage } from 'node:util';
import { NotWrittenError, UserError } from '../kernel/errors.ts';
import { sweepParts } from './durable-files.ts';
import { isForeign, userNamed } from './ownership.ts';

type Writing = { readonly mode?: number; readonly flush?: boolean };

/**
 * Writes a file completely or not at all, even if the process is killed, and with `flush` also if the power fails. If the disk is
 * full, removes the incomplete file, so that a smaller one may still fit.
 */
export function writeWhole(file: string, data: string | Uint8Array, how: Writing = {}): void {
  const temporary = partOf(file);
  // Another user may have put a file or a link there.
  removePart(temporary);
  try {
    writeFileSync(temporary, data, { ...how, flag: 'wx' });
    renameSync(temporary, file);
  } catch (error) {
    removePart(temporary);
    throw error;
  }
}

/** The temporary name of a file. It identifies the writer, because several machines may share the disk. */
export function partOf(file: string): string {
  return join(dirname(file), `.${basename(file)}.${hostname()}.${process.pid}.part`);
}

/** Longest time to write a file. */
const ABANDONED_MS = 3_600_000;

/** Removes the incomplete files of killed writers in a folder: of ended processes on this machine, and of any writer after an hour. */
export function sweepAbandoned(folder: string): void {
  const parts = readdirSync(folder).filter((name) => name.endsWith('.part'));
  sweepOwnParts(folder, parts);
  for (const name of parts) {
    const { mtimeMs } = statSync(join(folder, name), { throwIfNoEntry: false }) ?? {};
    if (mtimeMs !== undefined && mtimeMs < Date.now() - ABANDONED_MS) removePart(join(folder, name));
  }
}

/** Removes what killed writers of a file on this machine have left beside it. */
export function sweepPartsOf(file: string): void {
  const folder = dirname(file);
  sweepOwnParts(
    folder,
    readdirSync(folder).filter((name) => name.startsWith(`.${basename(file)}.`)),
  );
}

/** Of ended processes on this machine. */
function sweepOwnParts(folder: string, parts: readonly string[]): void {
  const isOwn = (name: string) => name.includes(`.${hostname()}.`);
  sweepParts(folder, parts.filter(isOwn));
}

export function removePart(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The error of the write says more.
  }
}

/** Checks that a report can be written to the file before a run measures anything. @throws UserError if it cannot. */
export function assertReportWritable(file: string): void {
  try {
    if (existsSync(file) && statSync(file).isDirectory()) throw new UserError(`cannot write ${file}: it is a folder`);
    // The slash also refuses a file as its folder.
    accessSync(isReplaceable(file) ? `${dirname(file)}/` : file, constants.W_OK);
  } catch (error) {
    throw new UserError(unwritable(file, error));
  }
}

/**
 * Writes a report completely or not at all, except to a link, a pipe or a device such as `/dev/stdout`, which stays what it is.
 * @throws NotWrittenError if the write fails.
 */
export function writeReport(file: string, text: string): void {
  reporting(file, () => (isReplaceable(file) ? writeWhole(file, text) : writeFileSync(file, text)));
}

/** Appends to a report that other programs also write to. @throws NotWrittenError if the write fails. */
export function addToReport(file: string, text: string): void {
  reporting(file, () => appendFileSync(file, text));
}

/** Creates a folder for reports like `makeFolder`. @throws NotWrittenError if it cannot be created. */
export function makeReportFolder(path: string): void {
  reporting(path, () => makeFolder(path));
}

/** @throws UserError if it would be written through a link or a pipe of another user. */
function isReplaceable(file: string): boolean {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined || found.isFile()) return true;
  if (isForeign(found.uid))
    throw new UserError(`cannot write ${file}: it belongs to ${userNamed(found.uid)}; choose another file`);
  return false;
}

function reporting(file: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    throw new NotWrittenError(unwritable(file, error));
  }
}

/** Why a report cannot be written. Throws errors that are not of the operating system. */
function unwritable(file: string, error: unknown): string {
  const reason = systemReason(error);
  if (reason === undefined) throw error;
  return `cannot write ${file}: ${reason}; choose a file in an existing, writable folder`;
}

/** Why the operating system refused something; `undefined` for other errors. */
export function systemReason(error: unknown): string | undefined {
  if (!(error instanceof Error && 'errno' in error && typeof error.errno === 'number')) return undefined;
  return getSystemErrorMessage(error.errno) ?? error.message;
}

// A run of a million agents writes lines of up to 150 million characters.
const MAX_CHARACTERS = 2 ** 28;

type NumberedLine = { readonly number: number; readonly text: string };

/**
 * Streams the complete lines of a file without loading it into memory. Text after the last line break is ignored,
 * because it is from a writer that was killed.
 * @throws UserError if a line is too long
 */
export async function* wholeLines(path: string): AsyncGenerator<NumberedLine, undefined> {
  let number = 0;
  let rest = '';
  for await (const part of createReadStream(path, { encoding: 'utf8', highWaterMark: 1 << 20 })) {
    const texts = String(part).split('\n');
    const last = texts.pop() ?? '';
    for (const text of texts) {
      yield { number: ++number, text: rest + text };
      rest = '';
    }
    rest += last;
    if (rest.length > MAX_CHARACTERS)
      throw new UserError(`${path}:${number + 1}: expected a line written by muster run, found one without an end.`);
  }
}

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
