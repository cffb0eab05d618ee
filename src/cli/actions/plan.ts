import { counted, formatBytes } from '../../base/kernel/units.ts';
import { readHostData } from '../../base/storage/host-data.ts';
import { machineLimits } from '../../base/system/limits.ts';
import { formatScenario } from '../../scenario/file.ts';
import { needsOf, placeOf, storeBytes } from '../../scenario/planning/needs.ts';
import { planOf } from '../../scenario/planning/plan.ts';
import type { PlanFlags } from '../commands/runs.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { machineCount } from '../flags/cluster-request.ts';
import { loadScenario } from '../flags/load-scenarios.ts';
import { workerCount } from '../flags/run.ts';
import type { Io } from '../io.ts';
import { planText } from '../output/plan-text.ts';

export async function planScenario(flags: PlanFlags, io: Io): Promise<ExitCode> {
  const machines = machineCount(flags);
  const { scenario, environment } = await loadScenario(flags.scenario, flags, io);
  if (flags.effective) {
    io.stdout.write(formatScenario(scenario));
    return EXIT_CODES.pass;
  }
  const plan = planOf(scenario, readHostData());
  const limits = { ...machineLimits(), workers: workerCount(flags, environment) };
  io.stdout.write(planText(scenario, plan, { limits, columns: io.stdout.columns }));
  if (machines !== undefined) {
    const stored = formatBytes(storeBytes(scenario, machines));
    io.stdout.write(
      `NATS stores up to ${stored} for ${counted(machines, 'machine')}, an hour without a coordinator included\n`,
    );
  }
  const needs = needsOf(plan.size, placeOf(scenario.target), limits);
  return needs.every(({ isEnough }) => isEnough) ? EXIT_CODES.pass : EXIT_CODES.userError;
}
