import type { VerdictKind } from '../metrics/judging/verdict.ts';

/** Exit codes of the process, as in k6 if k6 has a code with the same meaning. */
export const EXIT_CODES = {
  pass: 0,
  thresholdCrossed: 99,
  userError: 104,
  interrupted: 105,
  internalError: 107,
  /** The generator was the bottleneck: the figures do not describe the server. */
  invalid: 111,
  targetNotAllowed: 112,
  /** A worker or shard was lost, or the run was killed. */
  incomplete: 113,
  regression: 114,
  unreachable: 115,
  /** The output, some results, the agents' passwords, or the initial data of a fleet could not be written. */
  notStored: 116,
  cannotTell: 117,
  notConforming: 118,
} as const;

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];

/** What each code means, in the words of the help. docs/reference/exit-codes.md explains them. */
const WORDS: Readonly<Record<ExitCode, string>> = {
  0: 'pass',
  99: 'threshold crossed',
  104: 'invalid scenario or flags',
  105: 'interrupted',
  107: 'internal error',
  111: 'invalid run (the generator was the bottleneck)',
  112: 'target not allowed',
  113: 'incomplete',
  114: 'regression',
  115: 'target unreachable',
  116: 'output, results or passwords not written',
  117: 'cannot tell (too few runs or too much noise)',
  118: 'a rule does not hold',
};

/** The line of the help about the exit codes of a command. */
export function exitCodesText(...codes: readonly ExitCode[]): string {
  return `Exit codes: ${codes.map((code) => `${code} ${WORDS[code]}`).join(', ')}.`;
}

const BY_VERDICT: Readonly<Record<VerdictKind, ExitCode>> = {
  interrupted: EXIT_CODES.interrupted,
  incomplete: EXIT_CODES.incomplete,
  unreachable: EXIT_CODES.unreachable,
  invalid: EXIT_CODES.invalid,
  threshold_crossed: EXIT_CODES.thresholdCrossed,
  regression: EXIT_CODES.regression,
  pass: EXIT_CODES.pass,
  done: EXIT_CODES.pass,
};

// Worst first. Bugs, and errors that prevent a run, take precedence over verdicts.
const BY_SEVERITY = [107, 104, 112, 116, 105, 113, 115, 111, 99, 118, 114, 117, 0] as const;

export function exitCodeOf(verdict: VerdictKind): ExitCode {
  return BY_VERDICT[verdict];
}

/** The worst of several exit codes; `pass` if there are none. */
export function worstExitCode(codes: readonly (typeof BY_SEVERITY)[number][]): ExitCode {
  return BY_SEVERITY.find((code) => codes.includes(code)) ?? EXIT_CODES.pass;
}
