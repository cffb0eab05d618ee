import type { ExitCode } from './exit-codes.ts';
import type { Io } from './io.ts';
import type { RunRequest } from './run-request.ts';

/** Runs the scenarios of a request one after another; returns the gravest exit code. */
export async function runScenarios(_request: RunRequest, _io: Io): Promise<ExitCode> {
  throw new Error('running scenarios is not there yet');
}
