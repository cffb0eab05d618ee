import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../base/kernel/errors.ts';
import { printable } from '../../base/kernel/printable.ts';
import type { ClusterOrder } from '../../cluster/coordinator.ts';
import type { Summary } from '../../metrics/summary/summary-schema.ts';
import type { WebhookOrder } from '../../outputs/webhook/webhook.ts';
import { quietText, summaryText } from '../../report/summary-text.ts';
import { RESULT_FILES } from '../../results/folder.ts';
import { assertShardsPossible, assertTargetAllowed } from '../../run/guards.ts';
import { ALONE, type RunOrder, type RunOutcome, startRun } from '../../run/run.ts';
import type { ScenarioContext } from '../../scenario/reading/parse.ts';
import type { Setting } from '../../scenario/reading/settings.ts';
import type { Variables } from '../../scenario/reading/variables.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import type { RunCommandFlags } from '../commands/runs.ts';
import { controlRun } from '../control/open-control.ts';
import { EXIT_CODES, type ExitCode, exitCodeOf, worstExitCode } from '../exit-codes.ts';
import type { ClusterRequest } from '../flags/cluster-request.ts';
import { openCluster } from '../flags/cluster-request.ts';
import { type FiguresRequest, figuresRequest } from '../flags/figures-request.ts';
import { type LoadedScenario, loadScenarios, loadScenarioText, scenarioContext } from '../flags/load-scenarios.ts';
import { assertOne, type RunRequest, runRequest } from '../flags/run.ts';
import type { Io } from '../io.ts';
import { type OpenFigures, openFigures, takeEvent } from '../open-figures.ts';
import { type CiReports, openCiReports } from '../output/ci-reports.ts';
import { displayPath, pageFor } from '../output/page.ts';
import { createProgress, showEvent, stopAtInterrupts } from '../output/progress.ts';
import { createTraceLog } from '../output/trace-log.ts';
import { assertNoProvision, startSelfProvisioning } from '../self-provisioning.ts';
import { scenarioMissing } from '../usage-message.ts';
import { runNotice, sendWebhook, webhookOrder } from '../webhook.ts';

export async function runScenarios(flags: RunCommandFlags, io: Io): Promise<ExitCode> {
  const context = await scenarioContext(flags, io);
  const scenarios = await scenariosOf(flags, context, io);
  const settings = { environment: context.environment, cwd: io.cwd };
  const request = {
    ...runRequest(scenarios, flags, settings),
    figures: await figuresRequest(flags, settings),
    webhook: webhookOrder(flags, context.environment),
  };
  const reports = openCiReports(flags, io);
  const { cluster } = request;
  if (cluster !== undefined) return await runOnCluster({ ...request, cluster }, reports, { io, ...context });
  return await runRequested({ ...request, machines: undefined }, reports, io);
}

const STARTER_AGENTS = 100;

const STARTED_ALONE = `Without a scenario file, this runs the starter scenario with ${STARTER_AGENTS} new agents; muster run FILE --target URL runs your file.`;

/** The scenarios of the command line; without a file, but with a target, the starter scenario with agents that no server knows yet. */
async function scenariosOf(
  { scenario, resume, target, seed, quiet }: RunCommandFlags,
  context: ScenarioContext,
  io: Io,
): Promise<readonly LoadedScenario[]> {
  if (scenario.length > 0) return await loadScenarios(scenario, context, io);
  if (resume !== undefined) return [];
  if (target === undefined) throw new UserError(scenarioMissing('run'));
  if (!quiet) io.stderr.write(`${STARTED_ALONE}\n`);
  const { starterScenario } = await import('./init.ts');
  const text = starterScenario(STARTER_AGENTS);
  const drawn = { ...context, settings: [...(seed === undefined ? [newSeed()] : []), ...context.settings] };
  return [loadScenarioText({ file: 'starter.yaml', text }, drawn, io)];
}

function newSeed(): Setting {
  return { source: '--target', change: { kind: 'assign', path: ['fleet', 'seed'], text: String(randomInt(1, 1e6)) } };
}

/** Runs on machines that have joined, or resumes a run on its machines. */
async function runOnCluster(
  { cluster, ...request }: FullRequest & { readonly cluster: ClusterRequest },
  reports: CiReports,
  { io, environment }: { readonly io: Io; readonly environment: Variables },
): Promise<ExitCode> {
  const { resume } = cluster;
  if (resume !== undefined) assertOne('--resume', request.scenarios);
  const { order, machines: machinesOf, close } = await openCluster(cluster, 'muster run', environment);
  try {
    const mayStart = request.scenarios.length > 0 && cluster.machines !== undefined;
    const resumed = resume === undefined ? undefined : await resumedRun(order, resume, { mayStart, io });
    if (resumed === undefined) return await runRequested({ ...request, cluster, machines: machinesOf() }, reports, io);
    const { scenario, machines } = resumed;
    const scenarios = [{ file: resume ?? '', scenario }];
    return await runRequested({ ...request, cluster, machines, scenarios }, reports, io);
  } finally {
    await close();
  }
}

async function resumedRun(
  order: ClusterOrder,
  run: string,
  { mayStart, io }: { readonly mayStart: boolean; readonly io: Io },
) {
  const { resumeIfStarted, resumeRun } = await import('../../cluster/coordinator.ts');
  const say = (text: string): void => void io.stderr.write(`${text}\n`);
  return mayStart ? resumeIfStarted(order, run, say) : resumeRun(order, run);
}

type FullRequest = RunRequest & { readonly figures: FiguresRequest; readonly webhook: WebhookOrder | undefined };

type PlacedRequest = FullRequest & Pick<RunOrder, 'machines'>;

type ReportedRequest = Omit<PlacedRequest, 'figures'> & { readonly figures: OpenFigures | undefined };

/**
 * Runs the scenarios of a request one after another; returns the worst exit code. An interrupted scenario is the
 * last one. No scenario starts if one of them has a target that is not allowed.
 */
async function runRequested(request: PlacedRequest, reports: CiReports, io: Io): Promise<ExitCode> {
  for (const { scenario } of request.scenarios) {
    assertTargetAllowed(scenario.target);
    assertShardsPossible(scenario, request.shard);
    if (request.shard.count > 1) assertNoProvision(scenario, '--shard');
  }
  const figures = await openFigures(request.figures, io);
  const codes: ExitCode[] = [];
  const summaries: Summary[] = [];
  try {
    for (const { scenario } of request.scenarios) {
      if (summaries.length > 0) await figures?.flush();
      const outcome = await watchRun(scenario, { ...request, figures }, io);
      codes.push(show(outcome, request, io));
      summaries.push(outcome.summary);
      if (request.webhook !== undefined) await sendWebhook(runNotice(outcome.summary), request.webhook, io);
      if (outcome.summary.verdict.kind === 'interrupted') break;
    }
    reports.write(summaries);
  } finally {
    await figures?.close();
  }
  return worstExitCode(codes);
}

/** Shows a run. The first interrupt stops it after operations in flight, the second immediately. */
async function watchRun(scenario: Scenario, request: ReportedRequest, io: Io): Promise<RunOutcome> {
  const { workers, shard, startAt, resultsFolder, debug, control: place, machines, giveUpMs } = request;
  const traceLog = debug && createTraceLog(io.stderr);
  // The trace of --debug replaces the live view.
  const progress = createProgress(scenario, request, { stderr: traceLog?.sink ?? io.stderr, env: io.env });
  if (startAt !== undefined) progress.preparing(`starts at ${startAt.toISOString()}`);
  const identity = { scenario: scenario.name, seed: scenario.fleet.seed, phases: scenario.phases };
  const figures = request.figures?.begin(identity, progress.note);
  const control = place && (await controlRun(place, { scenario, shard, machines }, io));
  const order = { ...ALONE, scenario, shard, startAt, giveUpMs, workers, resultsFolder, debug, machines };
  const provisioning = startSelfProvisioning({ scenario: () => scenario, note: progress.note, cwd: io.cwd });
  const run = startRun(order, (event) => {
    control?.take(event);
    provisioning.take(event);
    takeEvent(figures, event);
    if (event.kind === 'traced') traceLog?.show(event);
    else if (event.kind === 'note') progress.note(event.text);
    else showEvent(event, progress);
  });
  control?.attach(run);
  const unsubscribe = stopAtInterrupts(run, progress, io);
  try {
    const outcome = await run.outcome;
    figures?.ended(outcome.summary.verdict.kind);
    return outcome;
  } finally {
    unsubscribe();
    await provisioning.end();
    control?.close();
    progress.end();
    await traceLog?.flush();
  }
}

/** Prints the summary. With --json, stdout contains only JSON, so text goes to stderr. */
function show({ summary, resultsPath, resultsProblem }: RunOutcome, { json, quiet }: RunRequest, io: Io): ExitCode {
  const words = json ? io.stderr : io.stdout;
  const page = pageFor(words, io.env);
  // On a full disk, the report may be missing; `resultsProblem` then lists what was written.
  const isThere = resultsPath !== undefined && existsSync(join(resultsPath, RESULT_FILES.report));
  const resultsText = isThere ? displayPath(resultsPath, io.cwd) : undefined;
  words.write(quiet ? quietText(summary, page) : summaryText(summary, resultsText, page));
  if (json) io.stdout.write(`${JSON.stringify(summary)}\n`);
  const verdict = exitCodeOf(summary.verdict.kind);
  if (resultsProblem === undefined) return verdict;
  io.stderr.write(`The results on disk are incomplete: ${printable(resultsProblem)}\n`);
  return worstExitCode([EXIT_CODES.notStored, verdict]);
}
