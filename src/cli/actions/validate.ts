import { formatDuration } from '../../kernel/units.ts';
import { timelineEndMs } from '../../load/timeline.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { tryScenarios } from '../flags/load-scenarios.ts';
import type { ScenarioFlags } from '../flags/scenario.ts';
import { scenarioContext } from '../flags/scenario-context.ts';
import type { Io } from '../io.ts';

export async function validate(flags: ScenarioFlags & { scenario: string[] }, io: Io): Promise<ExitCode> {
  const results = await tryScenarios(flags.scenario, await scenarioContext(flags, io), io);
  for (const result of results) {
    const text = result.kind === 'refused' ? result.text : `${result.file}: valid: ${outline(result.scenario)}`;
    io.stdout.write(`${text}\n`);
  }
  return results.some(({ kind }) => kind === 'refused') ? EXIT_CODES.userError : EXIT_CODES.pass;
}

/** `1000 agents, 3 phases, 30s` */
function outline({ fleet, phases }: Scenario): string {
  return `${counted(fleet.agents, 'agent')}, ${counted(phases.length, 'phase')}, ${formatDuration(timelineEndMs(phases))}`;
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}
