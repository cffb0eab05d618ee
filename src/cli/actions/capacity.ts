import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UserError } from '../../base/kernel/errors.ts';
import { parseDuration, parseRate, wholeMicroseconds } from '../../base/kernel/units.ts';
import { quoted } from '../../base/notation/finding.ts';
import { type MachineLimits, machineLimits } from '../../base/system/limits.ts';
import { conditionsOf } from '../../capacity/conditions.ts';
import {
  type CapacityOrder,
  type CapacityResult,
  findCapacity,
  type SearchEnding,
} from '../../capacity/find-capacity.ts';
import { mostAgents, type RaisedKind, type RaisedLoad, raisedLoadOf } from '../../capacity/raised-load.ts';
import type { SearchPlan } from '../../capacity/search.ts';
import { type Threshold, thresholdSubject } from '../../metrics/judging/thresholds.ts';
import type { Summary } from '../../metrics/summary/summary-schema.ts';
import { capacityText, loadText, searchAnnouncement, stepLine } from '../../report/capacity.ts';
import { capacityPage } from '../../report/html/capacity-page.ts';
import { remediesOf } from '../../report/remedies.ts';
import { ALONE, type Run, startRun } from '../../run/run.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { readUntil } from '../../scenario/until.ts';
import type { CapacityFlags } from '../commands/runs.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { type ClusterRequest, clusterRequest, type OpenCluster, openCluster } from '../flags/cluster-request.ts';
import type { CommandContext } from '../flags/common.ts';
import { type FiguresRequest, figuresRequest } from '../flags/figures-request.ts';
import { loadScenario } from '../flags/load-scenarios.ts';
import { resultsFolder, workerCount } from '../flags/run.ts';
import { PERCENTAGE, readFlag, wholeNumber } from '../flags/values.ts';
import type { Io } from '../io.ts';
import { openFigures, takeEvent } from '../open-figures.ts';
import { pageFor } from '../output/page.ts';
import { reportWriter } from '../output/report-writer.ts';
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

export async function capacity(flags: CapacityFlags, io: Io): Promise<ExitCode> {
  const { scenario, environment } = await loadScenario(flags.scenario, flags, io);
  assertNoProvision(scenario, 'muster capacity');
  const settings = { environment, cwd: io.cwd };
  const request = capacityRequest(scenario, flags, settings);
  if (!forgetsAgents(request)) return searched(request, { flags, settings, io });
  const folder = mkdtempSync(join(tmpdir(), 'muster-capacity-'));
  return searched(withPasswordFile(request, join(folder, 'identities.sqlite')), { flags, settings, io }).finally(() =>
    rmSync(folder, { recursive: true, force: true }),
  );
}

/**
 * Whether new agents would have to register in each step, only because nothing keeps their passwords. The embedded server starts again with
 * each step, the machines of a cluster have their own files, and conditions on the registration are judged at each load. Over HTTPS,
 * registering opens the connections, and their handshakes would otherwise burden the sample.
 */
function forgetsAgents({ order: { steps }, cluster }: CapacityRequest): boolean {
  const { fleet, target } = steps.scenario;
  const isForgotten = fleet.identities.kind === 'ephemeral' && target.url !== 'embedded' && target.pull === undefined;
  const isCheap = fleet.connections.kind === 'shared' || target.url.startsWith('http:');
  const measured = [undefined, steps.raised.phase.name];
  return (
    isForgotten &&
    isCheap &&
    cluster === undefined &&
    steps.thresholds.every((threshold) => threshold.kind !== 'operation' || measured.includes(threshold.phase))
  );
}

function withPasswordFile(request: CapacityRequest, path: string): CapacityRequest {
  const { scenario, ...steps } = request.order.steps;
  const fleet = { ...scenario.fleet, identities: { kind: 'file', path } as const };
  const order = { ...request.order, steps: { ...steps, scenario: { ...scenario, fleet } } };
  return { ...request, order, forgetsAfterwards: true };
}

type Settings = { readonly flags: CapacityFlags; readonly settings: CommandContext; readonly io: Io };

async function searched(request: CapacityRequest, { flags, settings, io }: Settings): Promise<ExitCode> {
  const figures = await figuresRequest(flags, settings);
  io.stderr.write(searchAnnouncement(request.order, request.leftOut));
  const cluster = request.cluster && (await openCluster(request.cluster, 'muster capacity', settings.environment));
  const result = await searchByRuns(request, { io, cluster, figures }).finally(cluster?.close);
  // With --json, stdout contains only JSON, so text goes to stderr.
  const words = flags.json ? io.stderr : io.stdout;
  words.write(capacityText(result, pageFor(words, io.env)));
  if (flags.json) io.stdout.write(`${JSON.stringify(result)}\n`);
  request.writePage?.(capacityPage(result));
  return BY_ENDING[result.ending];
}

type SearchContext = {
  readonly io: Io;
  readonly cluster: OpenCluster | undefined;
  readonly figures: FiguresRequest;
};

/** Runs each step and reports it on stderr. The first interrupt ends the search after the current step, the second immediately. */
async function searchByRuns(
  { order, workers, resultsFolder, forgetsAfterwards }: CapacityRequest,
  { io, cluster, figures: figuresWanted }: SearchContext,
): Promise<CapacityResult> {
  const print = (sentence: string) => void io.stderr.write(`${sentence}\n`);
  let interrupts = 0;
  let isFirst = true;
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
        if (isFirst) assertAccepted(summary, forgetsAfterwards);
        isFirst = false;
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

/** A server that refuses all of the first step, such as agents that it knows from an earlier search, shows nothing about the load. */
function assertAccepted(summary: Summary, forgetsAfterwards: boolean): void {
  const isRefused = summary.evidence.some(({ outcome }) => ['http_401', 'http_403', 'http_404'].includes(outcome));
  const { fleet, ...others } = summary.scenario as { readonly fleet?: object };
  const scenario = forgetsAfterwards ? { ...others, fleet: { ...fleet, identities: undefined } } : summary.scenario;
  const remedies = remediesOf({ ...summary, scenario });
  if (!isRefused || remedies.length === 0 || summary.overall.some(({ succeeded }) => succeeded > 0)) return;
  throw new UserError(
    `muster capacity: no request of the first step succeeded, so nothing was measured: ${remedies.join('; ')}.`,
  );
}

const MIN_GROWTH = 1.05;
const MAX_GROWTH = 10;

/** Parses a load in agents or operations per second; `undefined` without the flag. Throws `UserError`. */
function loadOf(flag: 'from' | 'to', flags: CapacityFlags, kind: RaisedKind): number | undefined {
  if (kind === 'agents') return readFlag(flag, flags, wholeNumber(1, 99_999_999, 'a number of agents such as 500'));
  const read = (text: string) => parseRate(text) || undefined;
  return readFlag(flag, flags, { expected: 'a rate above zero such as 200/s', read });
}

const GROWTH = {
  expected: `a factor from ${MIN_GROWTH} to ${MAX_GROWTH} such as 1.5`,
  read: (text: string) => {
    const growth = /^\d{1,2}(\.\d{1,3})?$/.test(text) ? Number(text) : 0;
    return growth >= MIN_GROWTH && growth <= MAX_GROWTH ? growth : undefined;
  },
};

/** Parses a duration to milliseconds. Throws `UserError`. */
function timeOf(flag: 'step' | 'settle', flags: CapacityFlags): number {
  const mayBeZero = flag === 'settle';
  const read = (text: string) => {
    const milliseconds = wholeMicroseconds(parseDuration(text) ?? -1);
    return milliseconds > 0 || (mayBeZero && milliseconds === 0) ? milliseconds : undefined;
  };
  return readFlag(flag, flags, { expected: `a duration such as ${mayBeZero ? '5s or 0s' : '15s'}`, read });
}

type CapacityRequest = {
  readonly order: CapacityOrder;
  /** Thresholds of the scenario that do not apply to a step. */
  readonly leftOut: readonly string[];
  readonly workers: number | undefined;
  /** Absolute. */
  readonly resultsFolder: string;
  readonly writePage: ReturnType<typeof reportWriter>;
  /** Cluster that runs each step; `undefined` for this machine alone. */
  readonly cluster: ClusterRequest | undefined;
  /** Whether passwords are kept for the search only, so that no identity file of the user lacks them. */
  readonly forgetsAfterwards: boolean;
};

/** This machine has no known limit for rates in advance; validity shows when the generator reaches its limit. */
const MAX_RATE_GROWTH = 1000;

const MIN_RESOLUTION = 0.01;
const MAX_RESOLUTION = 0.5;

/** Validates the flags. Throws `UserError` for an invalid flag, or for a scenario without a load to raise. */
function capacityRequest(scenario: Scenario, flags: CapacityFlags, context: CommandContext): CapacityRequest {
  const cluster = clusterRequest({ ...flags, resume: undefined }, context.environment);
  const raised = raisedLoadOf(scenario, flags.raise);
  const until = flags.until === undefined ? undefined : readUntil(flags.until);
  const conditions = conditionsOf({ scenario, raised }, until);
  const { thresholds, leftOut, operation } = conditions;
  const plan = searchPlan(scenario, raised, { flags, limits: machineLimits(), machines: cluster?.machines ?? 1 });
  const times = { settleMs: timeOf('settle', flags), sampleMs: timeOf('step', flags) };
  return {
    order: {
      plan,
      steps: { scenario, raised, thresholds, ...times },
      facts: {
        scenarioName: scenario.name,
        raised: raised.kind,
        operation,
        plan,
        ...times,
        conditions: thresholds.map(thresholdText),
      },
    },
    leftOut: leftOut.map(thresholdText),
    workers: workerCount(flags, context.environment),
    resultsFolder: resultsFolder(flags, context),
    writePage: reportWriter(flags.html, context.cwd),
    cluster,
    forgetsAfterwards: false,
  };
}

type PlanParts = { readonly flags: CapacityFlags; readonly limits: MachineLimits; readonly machines: number };

function searchPlan(scenario: Scenario, raised: RaisedLoad, { flags, limits, machines }: PlanParts): SearchPlan {
  const { kind } = raised;
  const from = loadOf('from', flags, kind) ?? raised.scenarioLoad;
  const most = kind === 'agents' ? machines * mostAgents(scenario, limits) : Number.POSITIVE_INFINITY;
  const to = loadOf('to', flags, kind) ?? Math.min(most, from * MAX_RATE_GROWTH);
  const resolution = readFlag('resolution', flags, PERCENTAGE);
  if (resolution < MIN_RESOLUTION || resolution > MAX_RESOLUTION)
    throw new UserError(`--resolution: expected a percentage from 1% to 50%, found ${quoted(flags.resolution)}.`);
  if (Math.max(from, to) > most) {
    const those = machines === 1 ? 'this machine has' : `${machines} machines like this one have`;
    throw new UserError(
      `The search would reach ${loadText(kind, Math.max(from, to))}, but ${those} room for ${loadText(kind, most)}: lower --from or --to, or find the limiting resource with muster plan --agents ${Math.max(from, to)}.`,
    );
  }
  if (from <= to) return { from, to, growth: readFlag('growth', flags, GROWTH), resolution, whole: kind === 'agents' };
  throw new UserError(
    `The search would start at ${loadText(kind, from)} and end at ${loadText(kind, to)}: --to must be at least --from.`,
  );
}

function thresholdText(threshold: Threshold): string {
  return `${thresholdSubject(threshold)} ${threshold.text}`;
}
