/**
 * Something the user can put right: a bad file, flag, address or permission.
 * The message is one sentence that names the thing, what was expected, what was found and how to fix it.
 * The process edge prints it without a stack trace; every other error is a programming fault and fails loudly.
 */
export class UserError extends Error {
  override readonly name = 'UserError';
}

/** A target, or an agent to be polled, is not on this machine and not allowed by name. */
export class TargetNotAllowedError extends Error {
  override readonly name = 'TargetNotAllowedError';
}

/** Codes of Node and of SQLite for a disk, or a quota, that has no room left. */
const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 13]);

/** Whether it was thrown, or what it names as its cause, because a disk is full: the same may go well later. */
export function isDiskFull(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const { code, errcode } = thrown as { readonly code?: unknown; readonly errcode?: unknown };
  return FULL.has(code) || FULL.has(errcode) || isDiskFull(thrown.cause);
}

/** The text of anything thrown, for a message to a person. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
