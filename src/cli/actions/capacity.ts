import type { Ending } from '../../capacity/explore.ts';
import { capacityText } from '../../report/capacity.ts';
import { capacityPage } from '../../report/html/capacity-page.ts';
import { writeReport } from '../../storage/whole-files.ts';
import { machineLimits } from '../../system/limits.ts';
import { announcement } from '../capacity/announcement.ts';
import { capacityRequest } from '../capacity/request.ts';
import { searchByRuns } from '../capacity/search-by-runs.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import type { CapacityFlags } from '../flags/capacity.ts';
import type { ScenarioFlags } from '../flags/common.ts';
import { loadScenario, scenarioContext } from '../flags/load-scenarios.ts';
import type { Io } from '../io.ts';
import { pageFor } from '../output/page.ts';

type Flags = ScenarioFlags & CapacityFlags & { readonly scenario: string };

const BY_ENDING: Readonly<Record<Ending, ExitCode>> = {
  found: EXIT_CODES.pass,
  top_held: EXIT_CODES.pass,
  undecided: EXIT_CODES.pass,
  nothing_held: EXIT_CODES.thresholdCrossed,
  generator: EXIT_CODES.invalid,
  unreachable: EXIT_CODES.unreachable,
  incomplete: EXIT_CODES.incomplete,
  interrupted: EXIT_CODES.interrupted,
};

export async function capacity(flags: Flags, io: Io): Promise<ExitCode> {
  const context = await scenarioContext(flags, io);
  const scenario = await loadScenario(flags.scenario, context, io);
  const around = { environment: context.environment, cwd: io.cwd, limits: machineLimits() };
  const request = capacityRequest(scenario, flags, around);
  io.stderr.write(announcement(request));
  const result = await searchByRuns(request, io);
  if (request.htmlFile !== undefined) writeReport(request.htmlFile, capacityPage(result));
  // Beside JSON, which has stdout for itself, the words for a person go to stderr.
  const words = flags.json ? io.stderr : io.stdout;
  words.write(capacityText(result, pageFor(words, io.env)));
  if (flags.json) io.stdout.write(`${JSON.stringify(result)}\n`);
  return BY_ENDING[result.ending];
}
