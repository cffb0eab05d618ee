import { complaintText } from '../../notation/finding.ts';

/** Where a value was written: in the scenario's text, or in a flag or environment variable laid over it. */
export type SourcePlace =
  /** Both count from 1. */
  | { readonly kind: 'text'; readonly line: number; readonly column: number }
  | { readonly kind: 'setting'; readonly source: string };

/** One thing wrong with a scenario. */
export type Problem = {
  readonly place: SourcePlace;
  /** Dotted, as `--set` takes it: `phases.1.checkdata.every`; empty for the file as a whole. */
  readonly path: string;
  readonly expected: string;
  readonly found: string;
  /** The name that was probably meant. */
  readonly suggestion: string | undefined;
};

/** One line per problem, in the order of the text: `file:line:column: path: expected …, found …; did you mean …?` */
export function formatProblems(file: string, problems: readonly Problem[]): string {
  return problems.map((problem) => formatProblem(file, problem)).join('\n');
}

function formatProblem(file: string, problem: Problem): string {
  const { place } = problem;
  const where = place.kind === 'text' ? `${file}:${place.line}:${place.column}` : `${file}: ${place.source}`;
  return `${where}: ${complaintText(problem)}`;
}

/** Text order first, then what flags and the environment brought. */
export function inReadingOrder(problems: readonly Problem[]): readonly Problem[] {
  return [...problems].sort((a, b) => {
    if (a.place.kind === 'setting' || b.place.kind === 'setting') return rank(a) - rank(b);
    return a.place.line - b.place.line || a.place.column - b.place.column;
  });
}

function rank(problem: Problem): number {
  return problem.place.kind === 'text' ? 0 : 1;
}
