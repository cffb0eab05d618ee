/**
 * An error that the user can fix: a wrong file, flag, address or permission. The message is one sentence that names the thing, what was
 * expected, what was found and how to fix it. The command line prints it without a stack trace; every other error is a bug and fails
 * loudly.
 */
export class UserError extends Error {
  override readonly name = 'UserError';
}

/** Something is missing that may come later without the user, such as an address, a free port or the right time. */
export class NotYetError extends UserError {}

/** A file or folder that another user could have put there. */
export class NotOwnError extends UserError {}

/** A file with results could not be written after they were measured. */
export class NotWrittenError extends UserError {}

/** A target, or an agent to poll, that is neither on this machine nor allowed by name. */
export class TargetNotAllowedError extends Error {
  override readonly name = 'TargetNotAllowedError';
}

/** Error codes of Node and SQLite for a full disk or an exhausted quota. */
const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 13]);

/** Whether an error, or one of its causes, is a full disk. The same operation may succeed later. */
export function isDiskFull(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const { code, errcode } = thrown as { readonly code?: unknown; readonly errcode?: unknown };
  return FULL.has(code) || FULL.has(errcode) || isDiskFull(thrown.cause);
}

/** Why a write to a file that was open failed, and what helps against that. */
export function writeFailure(thrown: unknown): string {
  const remedy = isDiskFull(thrown)
    ? 'free disk space'
    : 'check that the file exists, that this user may write it, and that its disk works';
  return `${messageOf(thrown)}; ${remedy}`;
}

/** Runs `act`. @throws UserError with what `explain` makes of the error, or of its message, if it fails. */
export function explained<T>(explain: (reason: string, error: unknown) => string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw new UserError(explain(messageOf(error), error), { cause: error });
  }
}

/** Writes to an open file. @throws UserError with the reason why that failed, and what helps. */
export function writtenTo<T>(file: string, write: () => T): T {
  return explained((_, error) => `Cannot write ${file}: ${writeFailure(error)}.`, write);
}

/** The code of an error of the system, such as `ENOENT`; `undefined` for any other value. */
export function systemCode(thrown: unknown): unknown {
  return thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
}

/** Text of any thrown value, for a message to a user. */
export function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  // The error of a host with several addresses has only a code.
  return thrown.message || String(systemCode(thrown) ?? 'an unknown error');
}
