/**
 * Something the user can put right: a bad file, flag, address or permission.
 * The message is one sentence that names the thing, what was expected, what was found and how to fix it.
 * The process edge prints it without a stack trace; every other error is a programming fault and fails loudly.
 */
export class UserError extends Error {
  override readonly name = 'UserError';
}

/** A target, or an agent to be polled, is not on this machine and nobody has allowed it by name. */
export class TargetNotAllowedError extends Error {
  override readonly name = 'TargetNotAllowedError';
}

/** The text of anything thrown, for a message to a person. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
