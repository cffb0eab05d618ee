import type { DatedFamilies, RunFigures, RunIdentity } from '../exposition/run-families.ts';
import { formatDuration } from '../kernel/units.ts';
import type { FigureExport, OtlpOrder } from '../otlp/export-figures.ts';
import type { RunEvent } from '../run/run.ts';
import type { FiguresRequest } from './flags/figures-request.ts';
import type { Io } from './io.ts';
import { warnOfNetwork } from './output/network-warning.ts';

/** Outputs of metrics for the runs of a command line. */
export type OpenFigures = {
  /** Adds a run; `note` prints a sentence next to its live view. */
  begin(identity: RunIdentity, note: Note): RunFigures;
  /** A run is over, and nothing is drawn of it any more: sends once more what is sent. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

/** What figures are told of a run. */
export function takeEvent(figures: RunFigures | undefined, event: RunEvent): void {
  if (event.kind === 'started') figures?.started(event.startedAt);
  else if (event.kind === 'seconds') figures?.add(event.seconds);
}

type Note = (sentence: string) => void;

/** Says where figures can be had from now on, and where they go. Throws `UserError` if the address cannot be had. */
export async function openFigures({ metrics, otlp }: FiguresRequest, io: Io): Promise<OpenFigures | undefined> {
  if (metrics === undefined && otlp === undefined) return undefined;
  const { createShownRuns } = await import('../exposition/run-families.ts');
  const runs = createShownRuns();
  const write: Note = (sentence) => void io.stderr.write(`${sentence}\n`);
  let note = write;
  const exposition = metrics && (await openExposition(metrics, runs.families, io));
  const sent = otlp && (await openExport(otlp, runs.byRun, { ...io, note: (sentence) => note(sentence) }));
  return {
    begin: (identity, noteBeside) => {
      note = noteBeside;
      return runs.begin(identity);
    },
    flush: async () => {
      note = write;
      await sent?.flush();
    },
    close: async () => {
      note = write;
      exposition?.close();
      await sent?.close();
    },
  };
}

async function openExposition(
  metrics: NonNullable<FiguresRequest['metrics']>,
  families: Parameters<typeof import('../exposition/expose-runs.ts').exposeRuns>[1],
  { stderr }: Io,
) {
  const { exposeRuns } = await import('../exposition/expose-runs.ts');
  const exposition = await exposeRuns(metrics, families);
  stderr.write(`Metrics: ${exposition.url}\n`);
  warnOfNetwork(metrics.address, exposition.url, stderr);
  return exposition;
}

/** Says where figures go from now on. What is waited for at an end is given up when somebody interrupts. */
export async function openExport(
  order: OtlpOrder,
  sources: () => readonly DatedFamilies[],
  { note, onInterrupt }: Pick<Io, 'onInterrupt'> & { readonly note: Note },
): Promise<Omit<FigureExport, 'abort'>> {
  const { exportFigures } = await import('../otlp/export-figures.ts');
  const sent = exportFigures(order, sources, (sentence) => note(`! ${sentence}`));
  note(`OTLP: ${order.shown}, every ${formatDuration(order.intervalMs)}`);
  const whileOn = async (act: () => Promise<void>): Promise<void> => {
    const unsubscribe = onInterrupt(sent.abort);
    await act();
    unsubscribe();
  };
  return { flush: () => whileOn(sent.flush), close: () => whileOn(sent.close) };
}
