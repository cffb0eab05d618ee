import { closeSync, existsSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, relative, resolve } from 'node:path';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { UserError, writtenTo } from '../../base/kernel/errors.ts';
import { printable } from '../../base/kernel/printable.ts';
import { DAY_MS } from '../../base/kernel/units.ts';
import { quoted } from '../../base/notation/finding.ts';
import { readable, writeScenarioFile } from '../../base/storage/text-files.ts';
import { assertReportWritable, partOf, removePart, sweepPartsOf } from '../../base/storage/whole-files.ts';
import { phasesOfLog } from '../../replay/breaks.ts';
import { KNOWN_FORMATS } from '../../replay/known-formats.ts';
import { compileFormat } from '../../replay/log-format.ts';
import type { LogCounts } from '../../replay/log-lines.ts';
import { createLoadObserver } from '../../replay/logged-load.ts';
import { proposedScenario } from '../../replay/proposal.ts';
import { fileBytes } from '../../replay/reading/log-bytes.ts';
import { type LogSource, readLogs } from '../../replay/reading/read-logs.ts';
import { openSpillFile } from '../../replay/reading/spill-file.ts';
import { traceBytes } from '../../replay/trace-text.ts';
import { writeLogged } from '../../results/logged.ts';
import { environmentOf } from '../../run/conclusion.ts';
import { MAX_AGENTS } from '../../scenario/hosts.ts';
import type { ReplayFlags } from '../commands/runs.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { loadScenarioText, scenarioContext } from '../flags/load-scenarios.ts';
import { readFlag, wholeNumber } from '../flags/values.ts';
import type { Io } from '../io.ts';
import { replayLines } from '../output/log-text.ts';

/** As scenarios take it. */
const SPEED = {
  expected: 'a number from 0.01 to 1000',
  read: (text: string) =>
    /^\d{1,4}(\.\d{1,6})?$/.test(text) && Number(text) >= 0.01 && Number(text) <= 1000 ? Number(text) : undefined,
};
const DAY_US = DAY_MS * 1000;
/** From the first request to the last one. */
const LONGEST_US = 366 * DAY_US;
const LONGEST_THEN_US = 31 * DAY_US;
/** Pieces of the trace that are written before an interrupt is noticed. */
const PIECES = 16;

/** Reads access logs, and writes a trace of them and a scenario that replays it. */
export async function replayLogs(flags: ReplayFlags, io: Io): Promise<ExitCode> {
  const agents = readFlag('agents', flags, wholeNumber(1, MAX_AGENTS));
  const speed = readFlag('speed', flags, SPEED);
  const format = flags.format === undefined ? KNOWN_FORMATS : compileFormat(flags.format);
  if (flags.follow) return await (await import('./follow.ts')).followLog(flags, format, io);
  const sources = sourcesOf(flags.log, io);
  const output = outputOf(flags, io);
  sweepPartsOf(output.trace);
  const spill = openSpillFile(output.trace);
  const part = partOf(output.trace);
  try {
    const warn = (text: string): void => void io.stderr.write(`! ${printable(text)}\n`);
    const { counts, arrivals, book } = await readLogs(sources, format, { spill, warn });
    const numbers = book.numbers(agents);
    const observer = createLoadObserver();
    const pieces = traceBytes(arrivals, numbers, observer);
    const startUs = await writePieces(part, pieces, io);
    if (startUs === undefined) return EXIT_CODES.interrupted;
    const observed = observer.end();
    if (observed.lastUs > LONGEST_US)
      throw new UserError(wrongClock(flags, startUs, startUs + observed.lastUs, counts));
    const proposal = {
      trace: basename(output.trace),
      startMs: startUs / 1000,
      observed,
      numbers,
      phases: phasesOfLog(observed),
      isGiven: agents !== undefined,
      speed,
    };
    const text = proposedScenario(proposal);
    // A scenario without its trace is refused; one with the trace of another log would not be.
    if (flags.force) rmSync(output.scenario, { force: true });
    renameSync(part, output.trace);
    await writeScenarioFile(output.scenario, text, 'create');
    const lines = replayLines({ ...proposal, files: sources.length, counts }, io.stdout.columns);
    for (const line of lines) io.stdout.write(`${line.split('\n').map(printable).join('\n')}\n`);
    const written = [output.scenario, output.trace];
    // Without response times, the figures would be rates of errors, which the results of a run have, too.
    const isLong = observed.lastUs > LONGEST_THEN_US * speed;
    if (isLong)
      warn(`${relative(io.cwd, output.then)} is left out: it has each second, and there are more than 31 days of them`);
    else if (observed.percentileMs(0, observed.bins, 1) !== undefined) {
      const context = { ...(await scenarioContext({}, { ...io, env: {} })), countsTraces: false };
      const { scenario } = loadScenarioText({ file: flags.out, text }, context, io);
      await writeLogged(scenario, environmentOf(1), output.then);
      written.push(output.then);
    }
    const names = written.map((path) => relative(io.cwd, path)).join(', ');
    io.stderr.write(`Wrote ${names}. Now: muster plan ${flags.out}\n`);
    return EXIT_CODES.pass;
  } finally {
    spill.close();
    removePart(part);
  }
}

function wrongClock({ log }: ReplayFlags, fromUs: number, toUs: number, { firstStep }: LogCounts): string {
  const [from, to] = [fromUs, toUs].map((us) => new Date(us / 1000).toISOString());
  const step = firstStep === undefined ? '' : `, for example before ${firstStep.file}:${firstStep.line}`;
  return `${log.join(', ')}: expected the requests of at most a year, found some from ${from} to ${to}; leave out the lines with a wrong time${step}.`;
}

/** The logs, each once, although patterns may name one twice. */
function sourcesOf(names: readonly string[], { cwd, stdin }: Io): readonly LogSource[] {
  const sources = new Map<string, LogSource>();
  for (const name of names) {
    if (name === '-') {
      sources.set('-', { name: 'stdin', open: () => stdin });
      continue;
    }
    const path = resolve(cwd, name);
    const { dev, ino } = readable('log', name, () => statSync(path, { bigint: true }));
    sources.set(`${dev}:${ino}`, { name, open: (note) => fileBytes(name, path, note) });
  }
  return [...sources.values()];
}

type Output = { readonly scenario: string; readonly trace: string; readonly then: string };

/** The files to write, which do not exist yet. */
function outputOf({ out, force }: ReplayFlags, { cwd }: Io): Output {
  if (!/[^/\\]\.ya?ml$/.test(out))
    throw new UserError(`--out: expected the name of a scenario such as incident.yaml, found ${quoted(out)}.`);
  const scenario = resolve(cwd, out);
  const [trace, then] = ['.trace', '-then'].map((end) => scenario.replace(/\.ya?ml$/, end)) as [string, string];
  assertReportWritable(scenario);
  for (const file of [scenario, trace])
    if (!force && existsSync(file))
      throw new UserError(`Cannot write ${file}: it already exists; choose another name, or replace it with --force.`);
  return { scenario, trace, then };
}

/** Writes the pieces, and returns what the generator returns; `undefined` if it was interrupted. Before, an interrupt ends the process. */
async function writePieces(
  file: string,
  pieces: Generator<Uint8Array, number>,
  { onInterrupt }: Io,
): Promise<number | undefined> {
  const descriptor = writtenTo(file, () => openSync(file, 'wx'));
  let isInterrupted = false;
  const unsubscribe = onInterrupt(() => {
    isInterrupted = true;
  });
  try {
    for (let count = 0; !isInterrupted; count++) {
      const { done, value } = pieces.next();
      if (done) return value;
      writtenTo(file, () => writeFileSync(descriptor, value));
      if (count % PIECES === 0) await turnOfTheLoop();
    }
    return undefined;
  } finally {
    unsubscribe();
    closeSync(descriptor);
  }
}
