import { type Address, isLoopback } from '../base/kernel/address.ts';
import { formatDuration } from '../base/kernel/units.ts';
import type { DatedFamilies, RunFigures, RunIdentity } from '../outputs/exposition/run-families.ts';
import type { FigureExport, OtlpOrder } from '../outputs/otlp/export-figures.ts';
import type { RunEvent } from '../run/run.ts';
import type { FiguresRequest } from './flags/figures-request.ts';
import type { Io, TextSink } from './io.ts';

/** Metrics outputs for the runs of a command line. */
export type OpenFigures = {
  /** Adds a run; `note` prints a sentence above its live view. */
  begin(identity: RunIdentity, note: Note): RunFigures;
  /** Sends the final metrics after a run has ended and its live view is closed. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

export function takeEvent(figures: RunFigures | undefined, event: RunEvent): void {
  if (event.kind === 'started') figures?.started(event.startedAt);
  else if (event.kind === 'seconds') figures?.add(event.seconds);
}

type Note = (sentence: string) => void;

/** Opens the requested outputs and prints their URLs. Throws `UserError` if the address is not available. */
export async function openFigures({ metrics, otlp }: FiguresRequest, io: Io): Promise<OpenFigures | undefined> {
  if (metrics === undefined && otlp === undefined) return undefined;
  const { createPublishedRuns } = await import('../outputs/exposition/run-families.ts');
  const { processFamilies, PROCESS_STARTED } = await import('../outputs/exposition/process-families.ts');
  const runs = createPublishedRuns();
  const scraped = () => [...runs.families(), ...processFamilies()];
  const pushed = () => {
    const own = { startedAt: PROCESS_STARTED, families: processFamilies() };
    // A search flushes before each run, also the first.
    return runs.byRun().length === 0 ? [] : [...runs.byRun(), own];
  };
  const write: Note = (sentence) => void io.stderr.write(`${sentence}\n`);
  let note = write;
  const exposition = metrics && (await openExposition(metrics, scraped, io));
  const sent = otlp && (await openExport(otlp, pushed, { ...io, note: (sentence) => note(sentence) }));
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
  families: Parameters<typeof import('../outputs/exposition/expose-runs.ts').exposeRuns>[1],
  { stderr }: Io,
) {
  const { exposeRuns } = await import('../outputs/exposition/expose-runs.ts');
  const exposition = await exposeRuns(metrics, families);
  stderr.write(`Metrics: ${exposition.url}\n`);
  warnOfNetwork(metrics.address, exposition.url, stderr);
  return exposition;
}

/** Starts an OTLP export and prints its URL. An interrupt aborts the final flush. */
export async function openExport(
  order: OtlpOrder,
  sources: () => readonly DatedFamilies[],
  { note, onInterrupt }: Pick<Io, 'onInterrupt'> & { readonly note: Note },
): Promise<Omit<FigureExport, 'abort'>> {
  const { exportFigures } = await import('../outputs/otlp/export-figures.ts');
  const sent = exportFigures(order, sources, (sentence) => note(`! ${sentence}`));
  note(`OTLP: ${order.shown}, every ${formatDuration(order.intervalMs)}`);
  for (const warning of order.warnings) note(`! ${warning}`);
  const whileOn = async (act: () => Promise<void>): Promise<void> => {
    const unsubscribe = onInterrupt(sent.abort);
    await act();
    unsubscribe();
  };
  return { flush: () => whileOn(sent.flush), close: () => whileOn(sent.close) };
}

/** Warns if a token-protected address is reachable over the network without encryption. */
export function warnOfNetwork({ host }: Address, url: string, stderr: TextSink): void {
  if (isLoopback(host)) return;
  stderr.write(
    `! ${url} is reachable from other machines, and the token is sent unencrypted: put a TLS proxy in front of it\n`,
  );
}
