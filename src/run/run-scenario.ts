import { availableParallelism, cpus } from 'node:os';
import { parse } from 'yaml';
import type { RunRequest } from '../cli/flags/run.ts';
import type { Io } from '../cli/io.ts';
import { paletteFor } from '../cli/output/palette-choice.ts';
import { createProgress } from '../cli/output/progress.ts';
import { VERSION } from '../cli/version.ts';
import { monotonicClock } from '../kernel/clock.ts';
import type { Delivery } from '../metrics/delivery/schema.ts';
import type { VerdictKind } from '../metrics/judging/verdict.ts';
import { responseDistributions, summarise } from '../metrics/results/summary.ts';
import type { Summary } from '../metrics/results/summary-schema.ts';
import { summaryText } from '../report/summary-text.ts';
import { formatScenario } from '../scenario/meaning/effective-scenario.ts';
import { placeOf, workersOn } from '../scenario/planning/needs.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { openResultFolder, type ResultFolder } from '../storage/result-folder.ts';
import { takesConnections } from '../transport/reachability.ts';
import { openShards } from '../workers/open-shards.ts';
import { type RunEnd, type RunPorts, startRun } from './control.ts';
import { deliveryOf } from './delivery.ts';
import { openTarget, type RunTarget } from './target.ts';

// How long a target may take to accept its first connection.
const FIRST_CONNECTION_MS = 4000;

/** Runs one scenario to its verdict: target up, workers, results on disk, summary on the terminal. */
export async function runScenario(scenario: Scenario, request: RunRequest, io: Io): Promise<VerdictKind> {
  const workers = workersFor(scenario, request);
  const target = await openTarget(scenario);
  const progress = createProgress(scenario, request, io);
  let folder: ResultFolder | undefined;
  try {
    const run = startRun(scenario, {
      ...runPorts(scenario, target, workers),
      onStart: (startedAt) => {
        folder = openResultFolder({
          outDir: request.resultsFolder,
          scenarioName: scenario.name,
          seed: scenario.fleet.seed,
          startedAt,
          scenarioText: formatScenario(scenario),
        });
        target.startFaults(startedAt);
      },
      onSeconds: (seconds) => {
        folder?.append(seconds);
        progress.advance(seconds);
      },
    });
    const listening = io.onInterrupt(() => {
      progress.note('stopping: what is under way may end; interrupt again to stop at once');
      run.interrupt();
    });
    const end = await run.end.finally(() => {
      listening();
      progress.end();
    });
    const delivery = await deliveryOf(
      { seed: scenario.fleet.seed, workers, deliveryCounts: end.deliveryCounts },
      target,
    );
    return conclude(scenario, end, { folder, delivery, workers, request, io });
  } finally {
    await target.close();
  }
}

function runPorts(scenario: Scenario, target: RunTarget, workers: number): Omit<RunPorts, 'onStart' | 'onSeconds'> {
  const plan = { scenario, targetUrl: target.url, workers, knownPasswords: target.knownPasswords };
  return {
    openShards: (events) => openShards(plan, events),
    clock: monotonicClock,
    takesConnections: () => takesConnections(target.url, FIRST_CONNECTION_MS),
    saveCredentials: target.saveCredentials,
  };
}

type Conclusion = {
  readonly folder: ResultFolder | undefined;
  readonly delivery: Delivery;
  readonly workers: number;
  readonly request: RunRequest;
  readonly io: Io;
};

function conclude(
  scenario: Scenario,
  end: RunEnd,
  { folder, delivery, workers, request, io }: Conclusion,
): VerdictKind {
  if (folder === undefined) throw new Error('a run ended that had not started');
  const { recording, startedAt, endedAt, reasons } = end;
  const summary: Summary = summarise(recording, {
    startedAt,
    endedAt,
    reasons,
    delivery,
    runId: folder.runId,
    scenarioName: scenario.name,
    seed: scenario.fleet.seed,
    thresholds: scenario.thresholds,
    environment: environmentOf(workers),
    scenario: parse(formatScenario(scenario)) as Record<string, unknown>,
  });
  folder.finish(summary, responseDistributions(recording));
  io.stderr.write(summaryText(summary, folder.path, paletteFor(io)));
  if (request.json) io.stdout.write(`${JSON.stringify(summary)}\n`);
  return summary.verdict.kind;
}

/** As fits the machine, and never more than agents, or than connections where they share some. */
function workersFor({ target, fleet }: Scenario, { workers }: RunRequest): number {
  const { agents, connections } = fleet;
  const most = connections.kind === 'shared' ? Math.min(agents, connections.size) : agents;
  return Math.min(workers ?? workersOn(availableParallelism(), placeOf(target)), most);
}

function environmentOf(workers: number): Summary['environment'] {
  const processors = cpus();
  return {
    muster: VERSION,
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cpuModel: processors[0]?.model ?? 'unknown',
    cpuCount: processors.length,
    workers,
  };
}
