import { runScenario } from '../run/run-scenario.ts';
import { assertTargetAllowed } from '../run/target-guard.ts';
import { type ExitCode, exitCodeOf, gravestExitCode } from './exit-codes.ts';
import type { RunRequest } from './flags/run.ts';
import type { Io } from './io.ts';

/**
 * Runs the scenarios of a request one after another; returns the gravest exit code. An interrupted scenario is the
 * last one. No scenario starts if one of them has a target that is not allowed.
 */
export async function runScenarios(request: RunRequest, io: Io): Promise<ExitCode> {
  for (const { scenario } of request.scenarios) assertTargetAllowed(scenario.target);
  const codes: ExitCode[] = [];
  for (const { scenario } of request.scenarios) {
    const verdict = await runScenario(scenario, request, io);
    codes.push(exitCodeOf(verdict));
    if (verdict === 'interrupted') break;
  }
  return gravestExitCode(codes);
}
