import { resolve } from 'node:path';
import { conditionsOf } from '../../capacity/conditions.ts';
import { type RaisedLoad, raisedLoadOf } from '../../capacity/raised-load.ts';
import type { CapacityResult } from '../../capacity/result.ts';
import type { SearchPlan } from '../../capacity/search.ts';
import type { StepPlan } from '../../capacity/step-scenario.ts';
import { UserError } from '../../kernel/errors.ts';
import { type Threshold, thresholdSubject } from '../../metrics/judging/thresholds.ts';
import { loadText } from '../../report/capacity.ts';
import { readUntil } from '../../scenario/reading/until.ts';
import type { Environment } from '../../scenario/reading/variables.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { assertReportWritable } from '../../storage/whole-files.ts';
import type { MachineLimits } from '../../system/limits.ts';
import { type CapacityFlags, growthOf, loadOf, timeOf, unexpected } from '../flags/capacity.ts';
import { onlyOne, percentageOf } from '../flags/common.ts';
import { resultsFolder, workersWanted } from '../flags/run.ts';
import { mostAgents } from './most-agents.ts';

/** What `muster capacity` is asked to do. */
export type CapacityRequest = {
  readonly plan: SearchPlan;
  readonly steps: StepPlan;
  /** What the result says beside what is found. */
  readonly facts: Omit<CapacityResult, 'ending' | 'held' | 'gaveWay' | 'steps'>;
  /** Thresholds of the scenario that say nothing about a step. */
  readonly leftOut: readonly string[];
  readonly workers: number | undefined;
  /** Absolute, as is the file of the page. */
  readonly resultsFolder: string;
  readonly htmlFile: string | undefined;
};

type Surroundings = { readonly environment: Environment; readonly cwd: string; readonly limits: MachineLimits };

/** Rates have no limit that this machine would tell beforehand; the generator says when it is at its own. */
const MOST_RATE_GROWTH = 1000;

const LEAST_RESOLUTION = 0.01;
const MOST_RESOLUTION = 0.5;

/** Throws a `UserError` for a flag that makes no sense, and for a scenario in which there is nothing to raise. */
export function capacityRequest(scenario: Scenario, flags: CapacityFlags, around: Surroundings): CapacityRequest {
  const until = onlyOne('until', flags.until);
  const raised = raisedLoadOf(scenario, onlyOne('raise', flags.raise));
  const conditions = conditionsOf({ scenario, raised }, until === undefined ? undefined : readUntil(until));
  const { thresholds, leftOut, operation } = conditions;
  const plan = searchPlan(scenario, raised, { flags, limits: around.limits });
  const times = { settleMs: timeOf('settle', flags.settle), sampleMs: timeOf('step', flags.step) };
  const html = onlyOne('html', flags.html);
  const htmlFile = html === undefined ? undefined : resolve(around.cwd, html);
  if (htmlFile !== undefined) assertReportWritable(htmlFile);
  return {
    plan,
    steps: { scenario, raised, thresholds, ...times },
    facts: {
      ...{ scenarioName: scenario.name, raised: raised.kind, operation, plan, ...times },
      conditions: thresholds.map(writtenThreshold),
    },
    leftOut: leftOut.map(writtenThreshold),
    workers: workersWanted(flags, around.environment),
    resultsFolder: resultsFolder(flags, around),
    htmlFile,
  };
}

type PlanParts = { readonly flags: CapacityFlags; readonly limits: MachineLimits };

function searchPlan(scenario: Scenario, { kind, own }: RaisedLoad, { flags, limits }: PlanParts): SearchPlan {
  const from = loadOf('from', flags.from, kind) ?? own;
  const most = kind === 'agents' ? mostAgents(scenario, limits) : Number.POSITIVE_INFINITY;
  const to = loadOf('to', flags.to, kind) ?? Math.min(most, from * MOST_RATE_GROWTH);
  const resolution = percentageOf('resolution', flags.resolution);
  if (resolution < LEAST_RESOLUTION || resolution > MOST_RESOLUTION)
    throw unexpected('resolution', 'a percentage from 1% to 50%', flags.resolution);
  if (Math.max(from, to) > most) {
    throw new UserError(
      `The search would go to ${loadText(kind, Math.max(from, to))}, and this machine has room for ${loadText(kind, most)}: lower --from or --to, or see what is short with muster plan --agents ${Math.max(from, to)}.`,
    );
  }
  if (from <= to) return { from, to, growth: growthOf(flags.growth), resolution, whole: kind === 'agents' };
  throw new UserError(
    `The search would start at ${loadText(kind, from)} and end at ${loadText(kind, to)}: --to has to be at least --from.`,
  );
}

function writtenThreshold(threshold: Threshold): string {
  return `${thresholdSubject(threshold)} ${threshold.text}`;
}
