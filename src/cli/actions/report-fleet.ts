import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { messageOf, UserError } from '../../base/kernel/errors.ts';
import { HOUR_MS } from '../../base/kernel/units.ts';
import { unixMsOf } from '../../base/notation/date.ts';
import { controlFileOf, readControlFile } from '../../base/storage/control-file.ts';
import { makeReportFolder, writeReport } from '../../base/storage/whole-files.ts';
import type { FiguresAt, FiguresRange } from '../../metrics/merging/fleet-figures.ts';
import { readAssets } from '../../report/html/assets.ts';
import { type FleetSpan, fleetCsv, fleetPage } from '../../report/html/fleet-page.ts';
import type { EventAnswer, FiguresRow } from '../../staging/control-api/schemas.ts';
import { readEventLog } from '../../staging/fleet/event-log.ts';
import { openFigureStore } from '../../staging/fleet/figure-store.ts';
import type { RunReportFlags } from '../commands/results.ts';
import { createControlClient } from '../ctl/client.ts';
import { readFlag } from '../flags/values.ts';
import type { Io } from '../io.ts';

type SpanFlags = Pick<RunReportFlags, 'from' | 'to' | 'out'> & { readonly fleet: string };

/** Where the figures of a fleet come from: the running fleet, or its files. */
type Source = {
  readonly name: string;
  readonly figures: (range: FiguresRange) => Promise<readonly FiguresAt[]>;
  readonly events: FleetSpan['events'];
  readonly close: () => void;
};

/** Writes the figures of a kept fleet within a span as a page and as a table. */
export async function reportFleet({ fleet, out = '.', ...flags }: SpanFlags, io: Io): Promise<void> {
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
