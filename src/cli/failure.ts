import { messageOf, TargetNotAllowedError, UserError } from '../kernel/errors.ts';
import { EXIT_CODES, type ExitCode } from './exit-codes.ts';
import type { Io } from './io.ts';

/** Tells a person why a command failed, and which exit code that is. */
export function reportFailure(error: unknown, { stderr }: Io): ExitCode {
  if (error instanceof UserError) {
    stderr.write(`${error.message}\n`);
    return EXIT_CODES.userError;
  }
  if (error instanceof TargetNotAllowedError) {
    stderr.write(`${error.message}\n`);
    return EXIT_CODES.targetNotAllowed;
  }
  const trace = error instanceof Error ? (error.stack ?? error.message) : messageOf(error);
  stderr.write(`Muster failed; this is a fault of Muster itself, please report it:\n${trace}\n`);
  return EXIT_CODES.internalError;
}
