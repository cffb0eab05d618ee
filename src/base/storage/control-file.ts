import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { explained, isDiskFull, systemCode, UserError } from '../kernel/errors.ts';
import { jsonIn } from '../protocol/exact-json.ts';
import { isAlive } from './durable-files.ts';
import { assertOwn, strangerAt } from './ownership.ts';
import { makeFolder, writeWhole } from './whole-files.ts';

/** Address and token of a fleet's API; only the file's owner may read it. */
const controlSchema = z.object({
  url: z.url({ protocol: /^https?$/ }),
  token: z.string().min(1),
  pid: z.int().min(1),
  startedAt: z.iso.datetime(),
});

export type ControlRecord = z.output<typeof controlSchema>;

/** A token of another user would let that user steer the fleet, and an address receive the token of this one. */
const NOT_OWN = 'remove it';

const SUFFIX = '.control.json';

export function controlFileOf(identities: string): string {
  return `${identities}${SUFFIX}`;
}

export function identitiesBeside(controlFile: string): string {
  return controlFile.slice(0, -SUFFIX.length);
}

type NamedFleet = {
  readonly name: string;
  readonly fleet: {
    readonly identities: { readonly kind: 'ephemeral' } | { readonly kind: 'file'; readonly path: string };
  };
};

/** The identity file that a scenario sets, or the one below a folder. */
export function identitiesOf({ name, fleet: { identities } }: NamedFleet, folder: string): string {
  return identities.kind === 'file' ? identities.path : join(folder, 'fleets', name, 'identities.db');
}

export function newToken(): string {
  return randomBytes(24).toString('base64url');
}

/**
 * Returns the token of a kept fleet, from a file next to the identities that only its owner may read. It stays the same
 * across restarts, so that open pages keep working.
 * @throws UserError if the file cannot be read or created.
 */
export function lastingToken(identities: string): string {
  const file = `${identities}.control-token`;
  assertOwn(file, NOT_OWN);
  // A power failure may leave an empty file.
  if (!existsSync(file) || tokenIn(file) === '') writePrivately(file, `${newToken()}\n`);
  const token = tokenIn(file);
  if (token.length >= MIN_TOKEN_CHARACTERS) return token;
  throw new UserError(
    `${file}: expected a token of ${MIN_TOKEN_CHARACTERS} characters or more, found ${token.length}: remove it, and Muster creates a new one.`,
  );
}

function tokenIn(file: string): string {
  const unreadable = (reason: string) => `${file}: ${reason}: make it readable for this user, or remove it.`;
  return explained(unreadable, () => readFileSync(file, 'utf8').trim());
}

/** Shorter tokens can be guessed. */
const MIN_TOKEN_CHARACTERS = 20;

/** Writes the file completely or not at all, readable by its owner only. @throws UserError if the write fails. */
function writePrivately(file: string, text: string): void {
  assertOwn(file, NOT_OWN);
  writing(file, () => writeWhole(file, text, { mode: 0o600 }));
}

/**
 * Writes the control file, replacing an earlier one: what guards the fleet is a lock, because the number of an ended process may belong
 * to another one.
 * @throws UserError if the write fails.
 */
export function writeControlFile(file: string, record: ControlRecord) {
  const folder = dirname(file);
  // The first folder that had to be created.
  const made = writing(file, () => makeFolder(folder, 0o700));
  writePrivately(file, `${JSON.stringify(record, null, 2)}\n`);
  return {
    /** Removes the file, unless another process has replaced it. */
    remove: (): void => {
      const found = foundIn(file);
      if (typeof found === 'object' && found.pid === record.pid && found.token === record.token)
        rmSync(file, { force: true });
      if (made !== undefined) removeEmpty(folder, made);
    },
  };
}

/**
 * What the file says; `undefined` if there is none, it contains other data, or another user's program listens at its address.
 * @throws UserError if it is of another user.
 */
export function recordedControl(file: string): ControlRecord | undefined {
  assertOwn(file, NOT_OWN);
  const found = foundIn(file);
  return typeof found === 'object' && strangerAt(found.url) === undefined ? found : undefined;
}

/** @throws UserError if the file does not exist or is of another user, or its process has ended. */
export function readControlFile(file: string): ControlRecord {
  assertOwn(file, NOT_OWN);
  const found = foundIn(file);
  const start = 'start it with muster fleet or muster run --control';
  if (found === 'none') throw new UserError(`${file}: no such file, so this fleet is not running: ${start}.`);
  if (found === 'strange')
    throw new UserError(`${file}: expected the control file of a fleet, found other data: remove it and start again.`);
  const { url, pid } = found;
  const stranger = strangerAt(url);
  if (isAlive(pid) && stranger === undefined) return found;
  const why = stranger === undefined ? `its process ${pid} has exited` : `${url} is now of ${stranger}`;
  throw new UserError(`${file}: ${why}, so the fleet is down: ${start}.`);
}

function foundIn(file: string): ControlRecord | 'none' | 'strange' {
  try {
    return controlSchema.safeParse(jsonIn(readFileSync(file, 'utf8'))).data ?? 'strange';
  } catch {
    return 'none';
  }
}

function removeEmpty(folder: string, made: string): void {
  try {
    for (let empty = folder; ; empty = dirname(empty)) {
      rmdirSync(empty);
      if (empty === made) return;
    }
  } catch {
    // A folder is no longer empty.
  }
}

/** @throws UserError if the file, or a folder for it, cannot be written. */
function writing<T>(file: string, write: () => T): T {
  const unwritable = (_: string, error: unknown) => {
    const code = systemCode(error) === undefined ? '' : ` (${String(systemCode(error))})`;
    const [what, remedy] = isDiskFull(error)
      ? ['no space left on the disk', 'free disk space']
      : ['this user cannot write it', 'put the identities in a writable folder'];
    return `${file}: ${what}${code}: ${remedy}.`;
  };
  return explained(unwritable, write);
}
