import { UserError } from '../../base/kernel/errors.ts';
import { monotonicClock, realTimer } from '../../base/runtime/event-loop.ts';
import { AGENT_CASES } from '../../conformance/agent/mode.ts';
import { type CaseResult, RULE_LEVELS, type Rule, type RuleLevel } from '../../conformance/case.ts';
import { PUSH_CASES } from '../../conformance/pushes/mode.ts';
import {
  type ConformanceReport,
  conformanceJson,
  conformanceJunit,
  conformancePage,
  conformanceText,
  judged,
  resultLine,
} from '../../conformance/report.ts';
import { selectCases } from '../../conformance/run.ts';
import { SERVER_CASES } from '../../conformance/server/mode.ts';
import type { ConformFlags } from '../commands/others.ts';
import { agentMode } from '../conform/agent.ts';
import { pushesMode } from '../conform/pushes.ts';
import { serverMode } from '../conform/server.ts';
import type { Mode } from '../conform/subject.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { type Io, interruptible } from '../io.ts';
import { pageFor } from '../output/page.ts';
import { reportWriter } from '../output/report-writer.ts';

/** Tries the rules of an interface, and reports which hold. */
export function conform(flags: ConformFlags, io: Io): Promise<ExitCode> {
  switch (flags.mode) {
    case 'server':
      return tryCases({ cases: SERVER_CASES, open: serverMode }, flags, io);
    case 'agent':
      return tryCases({ cases: AGENT_CASES, open: agentMode }, flags, io);
    case 'pushes':
      return tryCases({ cases: PUSH_CASES, open: pushesMode }, flags, io);
  }
}

type Interface<Case> = {
  readonly cases: readonly Case[];
  readonly open: (flags: ConformFlags, io: Io) => Promise<Mode<Case>>;
};

async function tryCases<Case extends Rule>(
  { cases: all, open }: Interface<Case>,
  flags: ConformFlags,
  io: Io,
): Promise<ExitCode> {
  const levels = levelsOf(flags);
  const cases = selectCases(all, { only: splitList(flags.only), except: splitList(flags.except) });
  if (flags.list) {
    for (const { id, level, rule } of cases) io.stdout.write(`${id.padEnd(16)} ${level.padEnd(8)} ${rule}\n`);
    return EXIT_CODES.pass;
  }
  const [writeJunit, writePage] = [flags.junit, flags.html].map((file) => reportWriter(file, io.cwd));
  const mode = await open(flags, io);
  const startedAt = new Date();
  const startedMs = monotonicClock();
  const ports = { clock: monotonicClock, timer: realTimer, onResult: progressOf(cases.length, io) };
  const { found, isInterrupted } = await interruptible(io, async (signal) => ({
    found: await mode.run(cases, { ...ports, signal }),
    isInterrupted: signal.aborted,
  }));
  if (found === undefined) return isInterrupted ? EXIT_CODES.interrupted : EXIT_CODES.unreachable;
  const elapsedMs = monotonicClock() - startedMs;
  const report: ConformanceReport = { mode: flags.mode, subject: mode.subject, levels, ...found, startedAt, elapsedMs };
  writeJunit?.(conformanceJunit(report));
  writePage?.(conformancePage(report));
  io.stdout.write(flags.json ? conformanceJson(report) : conformanceText(report, pageFor(io.stdout, io.env)));
  if (isInterrupted) return EXIT_CODES.interrupted;
  return judged(report).failed.length > 0 ? EXIT_CODES.notConforming : EXIT_CODES.pass;
}

/** The values of a flag that takes several with commas, or is repeated. */
function splitList(values: readonly string[] | undefined): readonly string[] {
  return (values ?? []).flatMap((value) => value.split(',')).filter((value) => value !== '');
}

function levelsOf(flags: ConformFlags): readonly RuleLevel[] {
  const names = splitList(flags.level);
  const known = Object.keys(RULE_LEVELS) as RuleLevel[];
  const strange = names.find((name) => !known.some((level) => level === name));
  if (strange !== undefined) throw new UserError(`--level: expected ${known.join(', ')}, found ${strange}.`);
  return known.filter((level) => names.includes(level));
}

/** Shows each broken rule when it is found, and every few seconds how many cases have ended. */
function progressOf(count: number, { stderr }: Io): (result: CaseResult) => void {
  let ended = 0;
  let printedMs = monotonicClock();
  return (result) => {
    ended++;
    if (result.verdict.kind === 'broken') stderr.write(`${resultLine(result)}\n`);
    if (monotonicClock() < printedMs + PROGRESS_EVERY_MS) return;
    printedMs = monotonicClock();
    stderr.write(`${ended} of ${count} cases ended\n`);
  };
}

const PROGRESS_EVERY_MS = 5000;
