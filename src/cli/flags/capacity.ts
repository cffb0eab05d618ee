import { resolve } from 'node:path';
import { conditionsOf } from '../../capacity/conditions.ts';
import type { CapacityOrder } from '../../capacity/find-capacity.ts';
import type { SearchPlan } from '../../capacity/search.ts';
import { mostAgents, type SweptKind, type SweptLoad, sweptLoadOf } from '../../capacity/swept-load.ts';
import { UserError } from '../../ground/kernel/errors.ts';
import { parseDuration, parseRate, wholeMicroseconds } from '../../ground/kernel/units.ts';
import { quoted } from '../../ground/notation/finding.ts';
import { assertReportWritable } from '../../ground/storage/whole-files.ts';
import type { MachineLimits } from '../../ground/system/limits.ts';
import { type Threshold, thresholdSubject } from '../../metrics/judging/thresholds.ts';
import { loadText } from '../../report/capacity.ts';
import { readUntil } from '../../scenario/conditions.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import type { CapacityFlags } from '../commands/runs.ts';
import { type ClusterRequest, clusterRequest } from './cluster-request.ts';
import { type CommandContext, percentageOf } from './common.ts';
import { resultsFolder, workersWanted } from './run.ts';
import { complaintAbout, parsed, wholeNumber } from './values.ts';

const LEAST_GROWTH = 1.05;
const MOST_GROWTH = 10;

/** Parses a load in agents or operations per second; `undefined` without the flag. Throws `UserError`. */
function loadOf(flag: 'from' | 'to', given: string | undefined, kind: SweptKind): number | undefined {
  const expected = kind === 'agents' ? 'a number of agents such as 500' : 'a rate above zero such as 200/s';
  const read = kind === 'agents' ? wholeNumber(1, 99_999_999) : (text: string) => parseRate(text) || undefined;
  return parsed(given, read, complaintAbout(`--${flag}`, expected));
}

/** Factor between steps. Throws `UserError`. */
function growthOf(given: string): number {
  const read = (text: string) => {
    const growth = /^\d{1,2}(\.\d{1,3})?$/.test(text) ? Number(text) : 0;
    return growth >= LEAST_GROWTH && growth <= MOST_GROWTH ? growth : undefined;
  };
  return parsed(given, read, complaintAbout('--growth', `a factor from ${LEAST_GROWTH} to ${MOST_GROWTH} such as 1.5`));
}

/** Parses a duration to milliseconds. Throws `UserError`. */
function timeOf(flag: 'step' | 'settle', given: string): number {
  const mayBeZero = flag === 'settle';
  const read = (text: string) => {
    const milliseconds = wholeMicroseconds(parseDuration(text) ?? -1);
    return milliseconds > 0 || (mayBeZero && milliseconds === 0) ? milliseconds : undefined;
  };
  return parsed(given, read, complaintAbout(`--${flag}`, `a duration such as ${mayBeZero ? '5s or 0s' : '15s'}`));
}

/** The validated request of `muster capacity`. */
export type CapacityRequest = {
  readonly order: CapacityOrder;
  /** Thresholds of the scenario that do not apply to a step. */
  readonly leftOut: readonly string[];
  readonly workers: number | undefined;
  /** Absolute, like `htmlFile`. */
  readonly resultsFolder: string;
  readonly htmlFile: string | undefined;
  /** Cluster that runs each step; `undefined` for this machine alone. */
  readonly cluster: ClusterRequest | undefined;
};

type SearchContext = CommandContext & { readonly limits: MachineLimits };

/** This machine has no known limit for rates in advance; validity shows when the generator reaches its limit. */
const MOST_RATE_GROWTH = 1000;

const LEAST_RESOLUTION = 0.01;
const MOST_RESOLUTION = 0.5;

/** Validates the flags. Throws `UserError` for an invalid flag, or for a scenario without a load to raise. */
export function capacityRequest(scenario: Scenario, flags: CapacityFlags, context: SearchContext): CapacityRequest {
  const cluster = clusterRequest({ ...flags, resume: undefined }, context.environment);
  const swept = sweptLoadOf(scenario, flags.raise);
  const until = flags.until === undefined ? undefined : readUntil(flags.until);
  const conditions = conditionsOf({ scenario, swept }, until);
  const { thresholds, leftOut, operation } = conditions;
  const plan = searchPlan(scenario, swept, { flags, limits: context.limits, machines: cluster?.machines ?? 1 });
  const times = { settleMs: timeOf('settle', flags.settle), sampleMs: timeOf('step', flags.step) };
  const htmlFile = flags.html === undefined ? undefined : resolve(context.cwd, flags.html);
  if (htmlFile !== undefined) assertReportWritable(htmlFile);
  return {
    order: {
      plan,
      steps: { scenario, swept, thresholds, ...times, drainMs: 0, restMs: 0 },
      facts: {
        ...{ scenarioName: scenario.name, raised: swept.kind, operation, plan, ...times },
        conditions: thresholds.map(writtenThreshold),
      },
    },
    leftOut: leftOut.map(writtenThreshold),
    workers: workersWanted(flags, context.environment),
    resultsFolder: resultsFolder(flags, context),
    ...{ htmlFile, cluster },
  };
}

type PlanParts = { readonly flags: CapacityFlags; readonly limits: MachineLimits; readonly machines: number };

function searchPlan(scenario: Scenario, { kind, own }: SweptLoad, { flags, limits, machines }: PlanParts): SearchPlan {
  const from = loadOf('from', flags.from, kind) ?? own;
  const most = kind === 'agents' ? machines * mostAgents(scenario, limits) : Number.POSITIVE_INFINITY;
  const to = loadOf('to', flags.to, kind) ?? Math.min(most, from * MOST_RATE_GROWTH);
  const resolution = percentageOf('resolution', flags.resolution);
  if (resolution < LEAST_RESOLUTION || resolution > MOST_RESOLUTION)
    throw new UserError(`--resolution: expected a percentage from 1% to 50%, found ${quoted(flags.resolution)}`);
  if (Math.max(from, to) > most) {
    const those = machines === 1 ? 'this machine has' : `${machines} machines like this one have`;
    throw new UserError(
      `The search would reach ${loadText(kind, Math.max(from, to))}, but ${those} room for ${loadText(kind, most)}: lower --from or --to, or find the limiting resource with muster plan --agents ${Math.max(from, to)}.`,
    );
  }
  if (from <= to) return { from, to, growth: growthOf(flags.growth), resolution, whole: kind === 'agents' };
  throw new UserError(
    `The search would start at ${loadText(kind, from)} and end at ${loadText(kind, to)}: --to must be at least --from.`,
  );
}

function writtenThreshold(threshold: Threshold): string {
  return `${thresholdSubject(threshold)} ${threshold.text}`;
}
