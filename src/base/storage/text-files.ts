import { createPrivateKey, X509Certificate } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { explained, messageOf, systemCode, UserError } from '../kernel/errors.ts';

/**
 * @param kind what the text is for, in messages, such as `scenario file`.
 * @throws UserError if the file does not exist, or is not readable UTF-8.
 */
export async function readTextFile(kind: string, file: string): Promise<string> {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw new UserError(`Cannot read the ${kind} ${file}: ${faultIn(READ_FAULTS, error)}`);
  });
  return decoded(bytes, `${kind} ${file}`);
}

/** Reads a scenario from standard input. @throws UserError if it is not UTF-8. */
export async function readScenarioStream(stream: AsyncIterable<Uint8Array>): Promise<string> {
  return decoded(await buffer(stream), 'scenario from stdin');
}

/** Like `readTextFile`, for readers that cannot wait. */
export function readTextFileSync(kind: string, file: string): string {
  return readable(kind, file, () => decoded(readFileSync(file), `${kind} ${file}`));
}

/** @throws UserError with the kind and the name of the file, if the system cannot read it */
export function readable<T>(kind: string, file: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`Cannot read the ${kind} ${file}: ${faultIn(READ_FAULTS, error)}`);
  }
}

export type LargeFile = ReturnType<typeof openLargeFile>;

/**
 * Opens a file that is too large to be read as a whole.
 * @param kind as for `readTextFile`
 * @throws UserError if the file does not exist, or is not readable.
 */
export function openLargeFile(kind: string, name: string) {
  return readable(kind, name, () => {
    // Opening a pipe waits for a writer.
    if (!statSync(name).isFile())
      throw new UserError(`Cannot read the ${kind} ${name}: expected a file, found a folder, a pipe or a device.`);
    const descriptor = openSync(name, 'r');
    return {
      name,
      sizeBytes: fstatSync(descriptor).size,
      /** Reads from a position on. Returns the number of bytes that were read; 0 at the end. Throws like `openLargeFile`. */
      read: (into: Uint8Array, position: number): number =>
        readable(kind, name, () => readSync(descriptor, into, 0, into.length, position)),
      close: () => closeSync(descriptor),
    };
  });
}

/** Reads certificates in PEM. Throws like `readTextFile`, and if there is no certificate. */
export function readCertificates(file: string): Promise<string> {
  return readPem('certificate', file, (text) => new X509Certificate(text));
}

/** Reads a private key in PEM. Throws like `readTextFile`, and if there is no key. */
export function readKey(file: string): Promise<string> {
  return readPem('key', file, createPrivateKey);
}

async function readPem(kind: 'certificate' | 'key', file: string, read: (text: string) => object): Promise<string> {
  const text = await readTextFile(`${kind} file`, file);
  const expected = kind === 'key' ? 'a private key' : 'a certificate';
  const unusable = (reason: string) =>
    `The ${kind} file ${file} cannot be used: expected ${expected} in PEM, found an error: ${reason}`;
  explained(unusable, () => read(text));
  return text;
}

/** Writes a scenario. @throws UserError if the file cannot be written, or exists and must not be replaced. */
export async function writeScenarioFile(file: string, text: string, mode: 'create' | 'replace'): Promise<void> {
  await writeFile(file, text, { flag: mode === 'create' ? 'wx' : 'w' }).catch((error: unknown) => {
    throw new UserError(`Cannot write ${file}: ${faultIn(WRITE_FAULTS, error)}`);
  });
}

function decoded(bytes: Buffer, source: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UserError(`Cannot read the ${source}: expected UTF-8 text, found other bytes; save it as UTF-8.`);
  }
}

const NO_FILE = 'no such file; check the path.';
const UNREADABLE = 'this user may not read it; change its permissions.';
const NO_FOLDER = 'its folder does not exist; create the folder first.';
const UNWRITABLE = 'this user may not write there; choose another folder.';

/** By the code of the error. */
const READ_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: NO_FILE,
  ENOTDIR: NO_FILE,
  EACCES: UNREADABLE,
  EPERM: UNREADABLE,
  EISDIR: 'expected a file, found a folder; choose a file in it.',
};
const WRITE_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: NO_FOLDER,
  ENOTDIR: NO_FOLDER,
  EACCES: UNWRITABLE,
  EPERM: UNWRITABLE,
  EROFS: UNWRITABLE,
  EEXIST: 'it already exists; choose another name, or replace it with --force.',
  EISDIR: 'expected a file name, found a folder; add a file name.',
};

function faultIn(faults: Readonly<Record<string, string>>, error: unknown): string {
  return faults[String(systemCode(error))] ?? `${messageOf(error)}.`;
}
