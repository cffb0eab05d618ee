import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { messageOf, NotWrittenError, UserError } from '../../base/kernel/errors.ts';
import { printable } from '../../base/kernel/printable.ts';
import { HOUR_MS } from '../../base/kernel/units.ts';
import { unixMsOf } from '../../base/notation/date.ts';
import { controlFileOf, readControlFile } from '../../base/storage/control-file.ts';
import { readTextFile } from '../../base/storage/text-files.ts';
import { makeReportFolder, writeReport } from '../../base/storage/whole-files.ts';
import type { FiguresAt, FiguresRange } from '../../metrics/merging/fleet-figures.ts';
import type { Summary } from '../../metrics/summary/summary-schema.ts';
import { readAssets } from '../../report/html/assets.ts';
import { type FleetSpan, fleetCsv, fleetPage } from '../../report/html/fleet-page.ts';
import { summaryText } from '../../report/summary-text.ts';
import { writeConclusion } from '../../results/conclusion.ts';
import { mergeShards } from '../../results/merge.ts';
import { rebuild } from '../../results/rebuild.ts';
import type { EventAnswer, FiguresRow } from '../../staging/control-api/schemas.ts';
import { readEventLog } from '../../staging/fleet/event-log.ts';
import { openFigureStore } from '../../staging/fleet/figure-store.ts';
import type { MergeFlags } from '../commands/machines.ts';
import type { RunReportFlags } from '../commands/results.ts';
import { createControlClient } from '../ctl/client.ts';
import { type ExitCode, exitCodeOf } from '../exit-codes.ts';
import { resultsFolder } from '../flags/run.ts';
import { readFlag } from '../flags/values.ts';
import type { Io } from '../io.ts';
import { openCiReports } from '../output/ci-reports.ts';
import { displayPath, pageFor } from '../output/page.ts';

/** Rebuilds the summary of a run, or reports a time of a kept fleet. */
export async function reportRun(flags: RunReportFlags, io: Io): Promise<ExitCode | undefined> {
  const { folder, fleet, from, to, out, json, junit } = flags;
  if (fleet !== undefined && folder === undefined && !json && (junit ?? flags.template) === undefined) {
    await reportFleet({ ...flags, fleet }, io);
    return undefined;
  }
  if (folder === undefined || (fleet ?? from ?? to ?? out) !== undefined)
    throw new UserError('report: expected the result folder of a run, or --fleet with --from, --to and --out.');
  const template = await templateOf(flags, io);
  const reports = openCiReports(flags, io);
  const path = resolve(io.cwd, folder);
  const rebuilt = await rebuild(path);
  const { summary, kind } = rebuilt;
  const problem = kind === 'rebuilt' ? await problemOf(writeConclusion(path, rebuilt)) : undefined;
  if (kind !== 'rebuilt')
    io.stderr.write(`The logs of ${folder} do not contain the end of the run; showing its summary.json unchanged.\n`);
  const written = kind === 'rebuilt' && problem === undefined ? folder : undefined;
  if (template === undefined) print(summary, { json, folder: written }, io);
  else template(summary);
  reports.write([summary]);
  if (problem !== undefined) throw new NotWrittenError(problem);
  return exitCodeOf(summary.verdict.kind);
}

/** Prints a summary with the template of the flags; `undefined` without one. */
async function templateOf({ template: file, json }: RunReportFlags, io: Io) {
  if (file === undefined) return undefined;
  if (json) throw new UserError('report: expected --json or --template, found both.');
  const template = await readTextFile('template', resolve(io.cwd, file));
  const { filledTemplate } = await import('../../report/template.ts');
  return (summary: Summary): void => {
    const { text, unknown } = filledTemplate(template, summary, /\.(x?html?|xml)$/i.test(file));
    io.stdout.write(text);
    for (const name of unknown)
      io.stderr.write(`! the template names ${printable(name)}, which the summary does not have\n`);
  };
}

/** Why files could not be written; `undefined` if they were. */
async function problemOf(writing: Promise<void>): Promise<string | undefined> {
  try {
    await writing;
    return undefined;
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}

export async function mergeResults(flags: MergeFlags, io: Io): Promise<ExitCode> {
  const reports = openCiReports(flags, io);
  const folders = flags.result.map((folder) => resolve(io.cwd, folder));
  const { path, summary } = await mergeShards(folders, resultsFolder(flags, { environment: io.env, cwd: io.cwd }));
  print(summary, { json: flags.json, folder: displayPath(path, io.cwd) }, io);
  reports.write([summary]);
  return exitCodeOf(summary.verdict.kind);
}

type Printing = { readonly json: boolean; readonly folder: string | undefined };

function print(summary: Summary, { json, folder }: Printing, { stdout, env }: Io): void {
  stdout.write(json ? `${JSON.stringify(summary)}\n` : summaryText(summary, folder, pageFor(stdout, env)));
}

type SpanFlags = Pick<RunReportFlags, 'from' | 'to' | 'out'> & { readonly fleet: string };

/** Where the figures of a fleet come from: the running fleet, or its files. */
type Source = {
  readonly name: string;
  readonly figures: (range: FiguresRange) => Promise<readonly FiguresAt[]>;
  readonly events: FleetSpan['events'];
  readonly close: () => void;
};

/** Writes the figures of a kept fleet within a span as a page and as a table. */
async function reportFleet({ fleet, out = '.', ...flags }: SpanFlags, io: Io): Promise<void> {
  const toMs = readFlag('to', flags, INSTANT) ?? Date.now();
  const fromMs = readFlag('from', flags, INSTANT) ?? toMs - HOUR_MS;
  if (fromMs >= toMs)
    throw new UserError(
      `--from: expected a time before ${new Date(toMs).toISOString()}, found ${new Date(fromMs).toISOString()}.`,
    );
  const identities = join(resolve(io.cwd, fleet), 'identities.db');
  const source = (await ofRunning(identities)) ?? ofFiles(identities, fleet);
  try {
    const span = await spanOf(source, { fromMs, toMs });
    const folder = resolve(io.cwd, out);
    makeReportFolder(folder);
    const [page, csv] = [join(folder, 'report.html'), join(folder, 'figures.csv')];
    writeReport(page, fleetPage(span, readAssets()));
    writeReport(csv, fleetCsv(span));
    io.stdout.write(`${page}\n${csv}\n`);
    if (span.rows.length === 0) io.stderr.write('No figures are kept of this time.\n');
  } finally {
    source.close();
  }
}

/** Longest span in hours for each resolution, from the finest. */
const RESOLUTIONS = [
  { resolution: 'second', seconds: 1, mostHours: 1 },
  { resolution: 'minute', seconds: 60, mostHours: 72 },
  { resolution: 'hour', seconds: 3600, mostHours: Number.POSITIVE_INFINITY },
] as const;

async function spanOf(
  source: Source,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Promise<FleetSpan> {
  const fitting = RESOLUTIONS.filter(({ mostHours }) => toMs - fromMs <= mostHours * HOUR_MS);
  const read = await Promise.all(
    fitting.map(async (one) => ({ ...one, rows: await source.figures({ resolution: one.resolution, fromMs, toMs }) })),
  );
  // The oldest seconds and minutes may no longer be kept.
  const finest = read.find(({ rows }, index) => {
    const { rows: coarser = [], seconds = 0 } = read[index + 1] ?? {};
    return rows.length > 0 && (coarser[0]?.atMs ?? Number.POSITIVE_INFINITY) + seconds * 1000 >= (rows[0]?.atMs ?? 0);
  });
  const [whole] = await source.figures({ resolution: 'whole', fromMs, toMs });
  return {
    name: source.name,
    fromMs,
    toMs,
    whole: whole?.figures,
    rows: finest?.rows ?? [],
    secondsPerInterval: finest?.seconds ?? 3600,
    events: source.events.filter((event) => event.fromMs < toMs && event.toMs >= fromMs),
  };
}

/** `undefined` if no process runs the fleet. */
async function ofRunning(identities: string): Promise<Source | undefined> {
  const file = controlFileOf(identities);
  if (!existsSync(file)) return undefined;
  try {
    const client = createControlClient(readControlFile(file));
    const { name } = await client.get<{ readonly name: string }>('/api/v1/fleet');
    const { events } = await client.get<{ readonly events: readonly EventAnswer[] }>('/api/v1/events');
    return {
      name,
      figures: async ({ resolution, fromMs, toMs }) => {
        const [from, to] = [fromMs, toMs].map((ms) => new Date(ms).toISOString());
        const path = `/api/v1/figures?resolution=${resolution}&from=${from}&to=${to}`;
        const { rows } = await client.get<{ readonly rows: readonly FiguresRow[] }>(path);
        return rows.map(({ at, ...figures }) => ({ atMs: Date.parse(at), figures: figures as FiguresAt['figures'] }));
      },
      events: events.flatMap(({ name: event, from, to, status }) => {
        if (from === null) return [];
        const open = status === 'over' ? Date.parse(from) : Number.POSITIVE_INFINITY;
        return [{ name: event, fromMs: Date.parse(from), toMs: to === null ? open : Date.parse(to) }];
      }),
      close: () => {},
    };
  } catch (error) {
    // The file of a killed process.
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

function ofFiles(identities: string, folder: string): Source {
  const figures = `${identities}.figures`;
  if (!existsSync(figures))
    throw new UserError(
      `--fleet: expected the data folder of a fleet, such as fleets/steady, found no ${figures}; see --data of muster fleet.`,
    );
  const log = readEventLog(`${identities}.events.yaml`);
  const store = openFigureStore(figures, (text) => {
    throw new UserError(messageOf(text));
  });
  return {
    name: log?.name ?? folder,
    figures: async (range) => store.read(range),
    events: log?.events ?? [],
    close: store.close,
  };
}

/** Unix ms, in UTC unless it has an offset. */
const INSTANT = { expected: 'a time such as 2026-01-31T12:00:00Z', read: (text: string) => unixMsOf(text.trim()) };
