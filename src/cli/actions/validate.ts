import { counted, formatDuration } from '../../base/kernel/units.ts';
import { timelineEndMs } from '../../load/timeline.ts';
import type { ValidateFlags } from '../commands/runs.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { scenarioContext, tryScenarios } from '../flags/load-scenarios.ts';
import type { Io } from '../io.ts';

/** Prints an outline of each valid scenario, and the problems of the others. */
export async function validateScenarios(flags: ValidateFlags, io: Io): Promise<ExitCode> {
  const results = await tryScenarios(flags.scenario, await scenarioContext(flags, io), io);
  for (const result of results) {
    if (result.kind === 'refused') io.stdout.write(`${result.text}\n`);
    else {
      const { fleet, phases } = result.scenario;
      const duration = formatDuration(timelineEndMs(phases));
      const outline = [counted(fleet.agents, 'agent'), counted(phases.length, 'phase'), duration];
      io.stdout.write(`${result.file}: valid: ${outline.join(', ')}\n`);
    }
  }
  return results.some(({ kind }) => kind === 'refused') ? EXIT_CODES.userError : EXIT_CODES.pass;
}
