import { type CapacityResult, findCapacity, type SearchEnding } from '../../capacity/find-capacity.ts';
import { writeReport } from '../../ground/storage/whole-files.ts';
import { machineLimits } from '../../ground/system/limits.ts';
import { capacityText, searchAnnouncement, stepLine } from '../../report/capacity.ts';
import { capacityPage } from '../../report/html/capacity-page.ts';
import { ALONE, type Run, startRun } from '../../run/run.ts';
import type { CapacityCommandFlags } from '../commands/runs.ts';
import { type OpenCluster, openCluster } from '../connect-cluster.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { type CapacityRequest, capacityRequest } from '../flags/capacity.ts';
import { type FiguresRequest, figuresRequest } from '../flags/figures-request.ts';
import { loadScenario, scenarioContext } from '../flags/load-scenarios.ts';
import type { Io } from '../io.ts';
import { openFigures, takeEvent } from '../open-figures.ts';
import { pageFor } from '../output/page.ts';
import { assertNoProvision } from '../self-provisioning.ts';

// No load holds without a server, so the search does not wait for one.
const GIVE_UP_MS = 10_000;

const BY_ENDING: Readonly<Record<SearchEnding, ExitCode>> = {
  found: EXIT_CODES.pass,
  top_held: EXIT_CODES.pass,
  undecided: EXIT_CODES.pass,
  nothing_held: EXIT_CODES.thresholdCrossed,
  not_recovered: EXIT_CODES.thresholdCrossed,
  undrained: EXIT_CODES.thresholdCrossed,
  generator: EXIT_CODES.invalid,
  unreachable: EXIT_CODES.unreachable,
  incomplete: EXIT_CODES.incomplete,
  interrupted: EXIT_CODES.interrupted,
};

export async function capacity(flags: CapacityCommandFlags, io: Io): Promise<ExitCode> {
  const context = await scenarioContext(flags, io);
  const scenario = await loadScenario(flags.scenario, context, io);
  assertNoProvision(scenario, 'muster capacity');
  const settings = { environment: context.environment, cwd: io.cwd };
  const request = capacityRequest(scenario, flags, { ...settings, limits: machineLimits() });
  const figures = await figuresRequest(flags, settings);
  io.stderr.write(searchAnnouncement(request.order, request.leftOut));
  const cluster = request.cluster && (await openCluster(request.cluster, 'muster capacity', context.environment));
  const result = await searchByRuns(request, { io, cluster, figures }).finally(cluster?.close);
  if (request.htmlFile !== undefined) writeReport(request.htmlFile, capacityPage(result));
  // With --json, stdout contains only JSON, so text goes to stderr.
  const words = flags.json ? io.stderr : io.stdout;
  words.write(capacityText(result, pageFor(words, io.env)));
  if (flags.json) io.stdout.write(`${JSON.stringify(result)}\n`);
  return BY_ENDING[result.ending];
}

type SearchContext = {
  readonly io: Io;
  readonly cluster: OpenCluster | undefined;
  readonly figures: FiguresRequest;
};

/** Runs each step and reports it on stderr. The first interrupt ends the search after the current step, the second immediately. */
async function searchByRuns(
  { order, workers, resultsFolder }: CapacityRequest,
  { io, cluster, figures: figuresWanted }: SearchContext,
): Promise<CapacityResult> {
  const print = (sentence: string) => void io.stderr.write(`${sentence}\n`);
  let interrupts = 0;
  let run: Run | undefined;
  const shown = await openFigures(figuresWanted, io);
  const unsubscribe = io.onInterrupt(() => {
    io.stderr.write('stopping after this step; interrupt again to stop immediately\n');
    if (++interrupts > 1) run?.send('cancel');
  });
  try {
    return await findCapacity(order, {
      run: async (scenario) => {
        const { name, phases, fleet } = scenario;
        await shown?.flush();
        const figures = shown?.begin({ scenario: name, seed: fleet.seed, phases }, print);
        const order = {
          ...ALONE,
          giveUpMs: GIVE_UP_MS,
          machines: cluster?.machines(),
          scenario,
          workers,
          resultsFolder,
        };
        run = startRun(order, (event) => takeEvent(figures, event));
        const { summary, resultsProblem } = await run.outcome;
        figures?.ended(summary.verdict.kind);
        if (resultsProblem !== undefined) io.stderr.write(`The results on disk are incomplete: ${resultsProblem}\n`);
        return summary;
      },
      onStep: (step) => io.stderr.write(`${stepLine(step, order.facts.raised)}\n`),
      isStopped: () => interrupts > 0,
    });
  } finally {
    unsubscribe();
    await shown?.close();
  }
}
