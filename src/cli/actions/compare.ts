import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { UserError } from '../../base/kernel/errors.ts';
import { printable } from '../../base/kernel/printable.ts';
import { type Comparison, compare, isUntrusted, planComparison } from '../../metrics/comparing/compare.ts';
import { differences } from '../../metrics/comparing/differences.ts';
import { MIN_PAIRS } from '../../metrics/comparing/significance.ts';
import type { Summary } from '../../metrics/summary/summary-schema.ts';
import { comparedRunOf, comparisonPlanText, comparisonText } from '../../report/comparison.ts';
import { comparisonPage } from '../../report/html/comparison-page.ts';
import { comparisonJunitXml } from '../../report/junit.ts';
import { comparisonMarkdown } from '../../report/markdown.ts';
import { type FoundSummary, readSummaries } from '../../results/find-runs.ts';
import type { CompareFlags } from '../commands/results.ts';
import { EXIT_CODES, type ExitCode, exitCodeOf } from '../exit-codes.ts';
import { PERCENTAGE, readFlag } from '../flags/values.ts';
import type { Io } from '../io.ts';
import { pageFor } from '../output/page.ts';
import { reportWriter } from '../output/report-writer.ts';

export function compareResults({ base, candidate, json, ...flags }: CompareFlags, io: Io): ExitCode {
  const rules = {
    tolerance: readFlag('tolerance', flags, PERCENTAGE),
    errorTolerance: readFlag('error-tolerance', flags, PERCENTAGE),
    acceptsNoise: flags['accept-noise'],
  };
  const [writeMarkdown, writePage, writeJunit] = [flags.markdown, flags.html, flags.junit].map((file) =>
    reportWriter(file, io.cwd),
  );
  if (candidate === undefined && !flags.plan)
    throw new UserError(
      'muster compare expects two folders of results, before and after, or one with --plan; found one.',
    );
  const sides = [sideOf(base, io.cwd), candidate === undefined ? [] : sideOf(candidate, io.cwd)];
  assertEachOnce(sides.flat());
  const [before = [], after = []] = sides.map((side) => side.map(({ summary }) => summary));
  const runs = [...before, ...after];
  const scenarioName = scenarioOf(runs);
  const doubts = untrusted(runs);
  const facts = { scenarioName: printable(scenarioName), base: before.map(comparedRunOf), ...rules };
  const page = pageFor(io.stdout, io.env);
  const print = (result: object, text: () => string): void => {
    io.stdout.write(json ? `${JSON.stringify(result)}\n` : text());
  };
  if (flags.plan) {
    const pilot = candidate === undefined ? before : after;
    const least = Math.min(before.length, pilot.length);
    const plan = planComparison(before, pilot, rules);
    if (least < MIN_PAIRS || plan.figures.length === 0)
      throw new UserError(
        `--plan: expected at least ${MIN_PAIRS} runs of a side, with operations in counted phases, found ${least}.`,
      );
    if (writeMarkdown ?? writePage ?? writeJunit)
      throw new UserError(
        '--plan: expected no --markdown, --html or --junit, because there is nothing to compare yet.',
      );
    const planned = { ...facts, warnings: doubts.map(printable) };
    print({ ...planned, ...plan }, () => comparisonPlanText(plan, planned, page));
    return EXIT_CODES.pass;
  }
  const comparison = compare(before, after, rules);
  const warnings = [...doubts, ...differences(before, after), ...missing(comparison)];
  const compared = { ...facts, candidate: after.map(comparedRunOf), warnings: warnings.map(printable) };
  print({ ...compared, ...comparison }, () => comparisonText(comparison, compared, page));
  writeMarkdown?.(comparisonMarkdown(comparison, compared));
  writePage?.(comparisonPage(comparison, compared));
  writeJunit?.(comparisonJunitXml(scenarioName, comparison, doubts));
  const { verdict } = comparison;
  return verdict.kind === 'untrusted' ? exitCodeOf(verdict.because) : CODES[verdict.kind];
}

const CODES = {
  regression: EXIT_CODES.regression,
  no_regression: EXIT_CODES.pass,
  cannot_tell: EXIT_CODES.cannotTell,
  nothing_in_common: EXIT_CODES.cannotTell,
} as const;

/** Resolves one result folder, a folder of several, or a comma-separated list. */
function sideOf(text: string, cwd: string): readonly FoundSummary[] {
  const whole = resolve(cwd, text);
  const folders = existsSync(whole) ? [whole] : text.split(',').map((part) => resolve(cwd, part));
  return folders.flatMap(readSummaries);
}

/** Rejects repeated runs, also in copied folders: copies of one run have no noise, so any difference would look like a change. */
function assertEachOnce(found: readonly FoundSummary[]): void {
  const folders = new Map<string, string>();
  for (const { folder, summary } of found) {
    const text = JSON.stringify(summary);
    const first = folders.get(text);
    if (first === folder)
      throw new UserError(`Expected each run once, found ${folder} more than once; remove it from one side.`);
    if (first !== undefined)
      throw new UserError(`Expected each run once, found ${first} and its copy ${folder}; remove one of them.`);
    folders.set(text, folder);
  }
}

function scenarioOf(runs: readonly Summary[]): string {
  const names = [...new Set(runs.map(({ scenarioName }) => scenarioName))];
  const [first = '', ...others] = names;
  if (others.length === 0) return first;
  throw new UserError(`Expected runs of one scenario, found ${names.join(' and ')}; compare each scenario separately.`);
}

function untrusted(runs: readonly Summary[]): string[] {
  return runs
    .filter(isUntrusted)
    .map(({ runId, verdict: { kind, reasons } }) => `${runId} is ${kind}: ${reasons[0]?.text ?? ''}`);
}

function missing({ onlyBase, onlyCandidate }: Comparison): string[] {
  return [
    ...onlyBase.map((what) => `only the base has ${what}`),
    ...onlyCandidate.map((what) => `only the candidate has ${what}`),
  ];
}
