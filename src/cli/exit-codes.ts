import type { VerdictKind } from '../metrics/judging/verdict.ts';

/** How the process ends; the numbers are those of k6 where the meaning is the same. */
export const EXIT_CODES = {
  /** Passed, or done without thresholds to pass. */
  pass: 0,
  thresholdCrossed: 99,
  /** The scenario or the flags are wrong. */
  userError: 104,
  interrupted: 105,
  /** A fault of Muster itself. */
  internalError: 107,
  /** The generator was the bottleneck: the figures do not describe the server. */
  invalid: 111,
  targetNotAllowed: 112,
  /** A worker or shard was lost, or the run was killed. */
  incomplete: 113,
  regression: 114,
  unreachable: 115,
  /** The disk did not take all of the results, not the passwords of the agents, or what a fleet begins with. */
  notStored: 116,
  /** Too few runs to separate a change of the server from noise. */
  cannotTell: 117,
} as const;

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];

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

// The worst first. What stops a run before its start, or breaks Muster itself, says more than any verdict.
const BY_SEVERITY: readonly ExitCode[] = [107, 104, 112, 116, 105, 113, 115, 111, 99, 114, 117, 0];

/** The exit code of one run's verdict. */
export function exitCodeOf(verdict: VerdictKind): ExitCode {
  return BY_VERDICT[verdict];
}

/** The one exit code for several runs or reasons; `pass` for none. */
export function worstExitCode(codes: readonly ExitCode[]): ExitCode {
  return BY_SEVERITY.find((code) => codes.includes(code)) ?? EXIT_CODES.pass;
}
