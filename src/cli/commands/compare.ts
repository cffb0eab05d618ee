import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { UserError } from '../../kernel/errors.ts';
import { compare } from '../../metrics/comparing/compare.ts';
import { differences } from '../../metrics/comparing/differences.ts';
import type { Summary } from '../../metrics/results/summary-schema.ts';
import { regressionsOf } from '../../report/comparison.ts';
import { comparisonMarkdown } from '../../report/comparison-markdown.ts';
import { comparisonText } from '../../report/comparison-text.ts';
import { comparisonJunitXml } from '../../report/junit.ts';
import { assertReportWritable, writeReport } from '../../storage/report-files.ts';
import { readSummaries } from '../../storage/result-list.ts';
import { EXIT_CODES, type ExitCode, exitCodeOf, gravestExitCode } from '../exit-codes.ts';
import { onlyOne } from '../flags/scenario.ts';
import { toleranceOf } from '../flags/tolerance.ts';
import { paletteFor } from '../output/palette-choice.ts';
import type { Command } from './command.ts';

type CompareFlags = Files & {
  readonly base: string;
  readonly candidate: string;
  readonly tolerance: string;
  readonly json: boolean;
};

export const compareCommand: Command<CompareFlags> = (io, end) => ({
  command: 'compare <base> <candidate>',
  describe: 'Says whether a server became better or worse between runs of one scenario',
  builder: (yargs) =>
    yargs
      .positional('base', { type: 'string', demandOption: true, describe: 'Results before the change' })
      .positional('candidate', { type: 'string', demandOption: true, describe: 'Results after it' })
      .option('tolerance', {
        type: 'string',
        requiresArg: true,
        default: '5%',
        describe: 'By how much a rate or a time may be worse',
      })
      .option('markdown', {
        type: 'string',
        requiresArg: true,
        describe: 'Write the comparison as Markdown to this file',
      })
      .option('junit', {
        type: 'string',
        requiresArg: true,
        describe: 'Write it as JUnit XML to this file, a case for each figure',
      })
      .option('json', { type: 'boolean', default: false, describe: 'Print the comparison as JSON on stdout instead' })
      .example('$0 compare before/steady/latest after/steady/latest', 'one run each')
      .example('$0 compare before/steady after/steady', 'all runs in two folders: noise is learned from them')
      .example('$0 compare run1,run2,run3 run4', 'several runs by name')
      .epilogue(
        'Exit codes: 0 no regression, 114 a regression; 105, 111, 113 or 115 if a run cannot be trusted for its own verdict.',
      ),
  handler: ({ base, candidate, json, ...flags }) => {
    const tolerance = toleranceOf(flags.tolerance);
    const files = comparisonFiles(flags, io.cwd);
    const [before, after] = [sideOf(base, io.cwd), sideOf(candidate, io.cwd)];
    const runs = [...before, ...after];
    const scenarioName = scenarioOf(runs);
    const comparison = compare(before, after, tolerance);
    const doubts = untrusted(runs);
    const facts = {
      ...{ scenarioName, baseRuns: before.length, candidateRuns: after.length, tolerance },
      warnings: [...doubts, ...differences(before, after), ...missing(comparison)],
    };
    if (files.markdown !== undefined) writeReport(files.markdown, comparisonMarkdown(comparison, facts));
    if (files.junit !== undefined) writeReport(files.junit, comparisonJunitXml(scenarioName, comparison, doubts));
    io.stdout.write(
      json ? `${JSON.stringify({ ...facts, ...comparison })}\n` : comparisonText(comparison, facts, paletteFor(io)),
    );
    const found = regressionsOf(comparison).length > 0 ? EXIT_CODES.regression : EXIT_CODES.pass;
    end(gravestExitCode([found, ...runs.map(trustOf)]));
  },
});

type Files = { readonly markdown: string | undefined; readonly junit: string | undefined };

/** Absolute. Throws a `UserError` if one could not be written. */
function comparisonFiles(flags: Files, cwd: string): Files {
  const fileOf = (flag: keyof Files): string | undefined => {
    const given = onlyOne(flag, flags[flag]);
    const file = given === undefined ? undefined : resolve(cwd, given);
    if (file !== undefined) assertReportWritable(file);
    return file;
  };
  return { markdown: fileOf('markdown'), junit: fileOf('junit') };
}

/** One result, a folder of several, or several with commas between them. */
function sideOf(text: string, cwd: string): readonly Summary[] {
  const whole = resolve(cwd, text);
  const folders = existsSync(whole) ? [whole] : text.split(',').map((part) => resolve(cwd, part));
  return folders.flatMap(readSummaries);
}

function scenarioOf(runs: readonly Summary[]): string {
  const names = [...new Set(runs.map(({ scenarioName }) => scenarioName))];
  const [first = '', ...others] = names;
  if (others.length === 0) return first;
  throw new UserError(`Only runs of one scenario can be compared, found results of ${names.join(' and ')}.`);
}

/** A crossed threshold is the run's own affair; what says that its figures mean nothing is not. */
function trustOf({ verdict: { kind } }: Summary): ExitCode {
  return kind === 'threshold_crossed' ? EXIT_CODES.pass : exitCodeOf(kind);
}

function untrusted(runs: readonly Summary[]): string[] {
  const bad = runs.filter((run) => trustOf(run) !== EXIT_CODES.pass);
  return bad.map(({ runId, verdict: { kind, reasons } }) => `${runId} is ${kind}: ${reasons[0]?.text ?? ''}`);
}

function missing({ onlyBase, onlyCandidate }: ReturnType<typeof compare>): string[] {
  return [
    ...onlyBase.map((what) => `only the base has ${what}`),
    ...onlyCandidate.map((what) => `only the candidate has ${what}`),
  ];
}
