import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { UserError, writtenTo } from '../../base/kernel/errors.ts';
import { serializeTraceHeader } from '../../load/traces/row.ts';
import { createLogFollower } from '../../replay/follower.ts';
import type { LogFormat } from '../../replay/log-format.ts';
import { createLogReader, emptyCounts } from '../../replay/log-lines.ts';
import { exactCount } from '../../report/page/figures.ts';
import { summaryText } from '../../report/summary-text.ts';
import { assertTargetAllowed } from '../../run/guards.ts';
import { ALONE, startRun } from '../../run/run.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import type { ReplayFlags } from '../commands/runs.ts';
import { EXIT_CODES, type ExitCode, exitCodeOf } from '../exit-codes.ts';
import { loadScenarioText, scenarioContext } from '../flags/load-scenarios.ts';
import { durationAboveZero, readFlag, wholeNumber } from '../flags/values.ts';
import type { Io } from '../io.ts';
import { displayPath, pageFor } from '../output/page.ts';
import { createProgress, showEvent, stopAtInterrupts } from '../output/progress.ts';

const USUAL_AGENTS = 1000;
/** Largest fleet that mirrors a log. */
const MAX_FOLLOWED_AGENTS = 1_000_000;
const MIN_DELAY_MS = 1000;
const WRITTEN_EVERY_MS = 100;

/** Sends the requests of a log that grows to a target, some seconds later, until an interrupt or the end of the input. */
export async function followLog(flags: ReplayFlags, format: LogFormat, io: Io): Promise<ExitCode> {
  const agents = readFlag('agents', flags, wholeNumber(1, MAX_FOLLOWED_AGENTS)) ?? USUAL_AGENTS;
  const delayMs = readFlag('delay', flags, durationAboveZero('a duration such as 5s'));
  if (flags.log.length !== 1 || flags.log[0] !== '-' || flags.target === undefined || delayMs < MIN_DELAY_MS)
    throw new UserError(
      '--follow: expected the log on stdin, a target, and a delay of at least 1s; for example: tail -F access.log | muster replay - --follow --target URL',
    );
  const folder = mkdtempSync(join(tmpdir(), 'muster-follow-'));
  try {
    const trace = join(folder, 'followed.trace');
    writeFileSync(trace, serializeTraceHeader({ agents, start: new Date().toISOString() }));
    const scenario = await scenarioOf(trace, agents, { flags, io });
    assertTargetAllowed(scenario.target);
    return await mirror(scenario, trace, { format, delayMs, agents, io });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function scenarioOf(
  trace: string,
  agents: number,
  { flags, io }: { flags: ReplayFlags; io: Io },
): Promise<Scenario> {
  const text = `description: Mirrors the requests of a log.
target: { url: embedded, apiKey: "\${MUSTER_API_KEY:-}" }
fleet: { agents: ${agents}, payload: typical }
phases: [{ name: mirror, duration: 365d, load: { trace: ${JSON.stringify(trace)} } }]
`;
  const context = await scenarioContext({ target: flags.target, allow: flags.allow }, io);
  const { scenario } = loadScenarioText({ file: 'followed.yaml', text }, context, io);
  const grows = { grows: true, sizeBytes: undefined, counts: undefined };
  const phases = scenario.phases.map((phase) => {
    const loads = phase.loads.map(({ operation, model }) => ({
      operation,
      model: model.kind === 'trace' ? { ...model, ...grows } : model,
    }));
    return { ...phase, loads };
  });
  return { ...scenario, phases };
}

type Mirror = { readonly format: LogFormat; readonly delayMs: number; readonly agents: number; readonly io: Io };

async function mirror(scenario: Scenario, trace: string, { format, delayMs, agents, io }: Mirror): Promise<ExitCode> {
  let startedUs: number | undefined;
  let failure: unknown;
  const follower = createLogFollower(agents, delayMs * 1000, () => startedUs);
  const progress = createProgress(scenario, { quiet: false }, io);
  const resultsFolder = resolve(io.cwd, io.env.MUSTER_OUT || 'results');
  const run = startRun({ ...ALONE, scenario, workers: undefined, resultsFolder }, (event) => {
    if (event.kind === 'started') startedUs = event.startedAt.getTime() * 1000;
    else if (event.kind === 'note') progress.note(event.text);
    else showEvent(event, progress);
  });
  const unsubscribe = stopAtInterrupts(run, progress, io);
  const write = (): void => {
    const rows = follower.rows(Date.now() * 1000);
    try {
      if (rows.length > 0) writtenTo(trace, () => appendFileSync(trace, rows));
    } catch (error) {
      failure ??= error;
      run.send('stop');
    }
  };
  const writing = setInterval(write, WRITTEN_EVERY_MS);
  const lines = emptyCounts();
  void readInput(createLogReader('stdin', { format, counts: lines, take: follower.take }), io).then(() =>
    setTimeout(() => run.send('stop'), 2 * delayMs).unref(),
  );
  try {
    const { summary, resultsPath } = await run.outcome;
    progress.end();
    const page = pageFor(io.stdout, io.env);
    io.stdout.write(summaryText(summary, resultsPath && displayPath(resultsPath, io.cwd), page));
    io.stdout.write(`${followedText(follower, lines.strange)}\n`);
    if (failure !== undefined) throw failure;
    // An interrupt is the usual end.
    const { kind } = summary.verdict;
    return kind === 'interrupted' ? EXIT_CODES.pass : exitCodeOf(kind);
  } finally {
    clearInterval(writing);
    unsubscribe();
    progress.end();
    io.stdin.destroy?.();
  }
}

async function readInput(reader: ReturnType<typeof createLogReader>, { stdin }: Io): Promise<void> {
  try {
    for await (const piece of stdin) reader.push(Buffer.from(piece));
    reader.end();
  } catch {
    // The run has ended, and closed the input.
  }
}

/** How many requests of the log were sent, and what became of the others. */
function followedText({ counts }: ReturnType<typeof createLogFollower>, strange: number): string {
  const { requests, late, tooLate, beyond, overflow } = counts;
  const parts = [
    [late, 'sent late'],
    [tooLate, 'dropped: logged too late, see --delay'],
    [beyond, 'dropped: more addresses than --agents'],
    [overflow, 'dropped: the buffer was full'],
    [strange, 'lines not understood'],
  ] as const;
  const present = parts.filter(([count]) => count > 0).map(([count, what]) => `${exactCount(count)} ${what}`);
  return `followed ${exactCount(requests)} requests${present.length === 0 ? '' : `: ${present.join('; ')}`}`;
}
